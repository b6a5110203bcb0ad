"""Write the reference of the HTTP interface from its OpenAPI document: python docs/generate_http.py."""

import json
from pathlib import Path
from typing import Any

from groundwire.server.app import describe_routes

PAGE = Path(__file__).parent / "reference" / "http.md"
NOTE = "<!-- Made by docs/generate_http.py. Change the code, not this page. -->"


def page() -> str:
    """Return the whole page."""
    document = describe_routes()
    parts = [
        NOTE,
        "",
        "# HTTP interface",
        "",
        "Every address of the service. The running service gives the same as an OpenAPI document at `/openapi.json`. "
        "A failure is a problem document (RFC 9457) with `type`, `title`, `status`, `detail`, `instance` and `fix`.",
        "",
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            parts += _operation(document, path, method, operation)
    return "\n".join(parts)


def _operation(document: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> list[str]:
    parts = [f"## {method.upper()} {path}", "", operation.get("summary", ""), ""]
    if operation.get("description"):
        parts += [operation["description"], ""]
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content:
        schema = document["components"]["schemas"][content["schema"]["$ref"].rsplit("/", 1)[-1]]
        required = schema.get("required", [])
        rows = [
            f"| `{name}` | {_kind(field)} | {'yes' if name in required else 'no'} | {field.get('description', '')} |"
            for name, field in schema["properties"].items()
        ]
        parts += ["| field | type | required | meaning |", "|---|---|---|---|", *rows, ""]
        parts += ["```json", json.dumps(content["example"], indent=2, ensure_ascii=False), "```", ""]
    answers = [f"| {status} | {answer['description']} |" for status, answer in sorted(operation["responses"].items())]
    return [*parts, "| status | meaning |", "|---|---|", *answers, ""]


def _kind(field: dict[str, Any]) -> str:
    if "$ref" in field:
        return "object"
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_kind(item) for item in field["anyOf"]))
    if field.get("type") == "array":
        return f"list of {_kind(field['items'])}"
    return str(field.get("type", "any"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
