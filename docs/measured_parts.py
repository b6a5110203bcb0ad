"""What every section of the page of measured figures is made of."""

from typing import Any


def origin(result: dict[str, Any]) -> str:
    machine = result["machine"]
    processor = machine.get("processor") or machine.get("cpu")
    cores = f", {machine['cores']} cores" if "cores" in machine else ""
    return (
        f"`{result['command']}` at commit `{result['commit'][:10]}` on {processor}{cores}, Python {machine['python']}."
    )


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
