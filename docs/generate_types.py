"""Write the reference of the shared types and of the reasons: python docs/generate_types.py."""

import dataclasses
import inspect
import re
from enum import StrEnum
from pathlib import Path
from typing import Any

from groundwire import types
from groundwire.render.words import REASON_WORDS, VERDICT_WORDS

HERE = Path(__file__).parent / "reference"
NOTE = "<!-- Made by docs/generate_types.py. Change the code, not this page. -->"

GROUPS = {
    "What `verify` takes and returns": ["verification", "source", "policy", "correction"],
    "Coherence and agents": ["coherence", "evidence", "halt"],
    "Streams and guards": ["stream", "guard"],
    "Safety events and hooks": ["safety", "hooks"],
    "Injection": ["injection"],
}


def pages() -> dict[Path, str]:
    """Return every generated page with its path."""
    return {HERE / "types.md": _types_page(), HERE / "reasons.md": _reasons_page()}


def _types_page() -> str:
    parts = [NOTE, "", "# Types", "", "Everything here is imported from `groundwire.types`.", ""]
    for title, modules in GROUPS.items():
        parts += [f"## {title}", ""]
        for name in _names(modules):
            parts += _entry(name, getattr(types, name))
    return "\n".join(parts).rstrip() + "\n"


def _names(modules: list[str]) -> list[str]:
    homes = [f"groundwire.types.{module}" for module in modules]
    found = [name for name in types.__all__ if getattr(getattr(types, name), "__module__", "") in homes]
    order = {name: place for place, name in enumerate(types.__all__)}
    return sorted(found, key=lambda name: (homes.index(getattr(types, name).__module__), order[name]))


def _entry(name: str, kind: Any) -> list[str]:
    lines = [f"### {name}", "", inspect.cleandoc(kind.__doc__ or ""), ""]
    if issubclass(kind, StrEnum):
        return [*lines, ", ".join(f"`{member}`" for member in kind), ""]
    lines += ["| field | type | default |", "|---|---|---|"]
    lines += [f"| `{item.name}` | `{_type(item.type)}` | {_default(item)} |" for item in dataclasses.fields(kind)]
    members = [
        f"- `{member}{'' if isinstance(value, property) else '()'}`: {inspect.getdoc(value)}"
        for member, value in vars(kind).items()
        if not member.startswith("_") and inspect.getdoc(value) and isinstance(value, property | classmethod | FUNCTION)
    ]
    return [*lines, "", *members, *([""] if members else [])]


FUNCTION = type(_entry)


def _type(annotation: Any) -> str:
    text = (
        annotation.__name__ if inspect.isclass(annotation) and not hasattr(annotation, "__args__") else str(annotation)
    )
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", text).replace("|", "\\|")


def _default(item: "dataclasses.Field[Any]") -> str:
    if item.default is not dataclasses.MISSING:
        value = str(item.default) if isinstance(item.default, StrEnum) else item.default
        return f"`{value!r}`"
    if item.default_factory is not dataclasses.MISSING:
        factory = item.default_factory
        return f"`{factory()!r}`" if factory in (list, dict, tuple) else "generated"
    return "required"


def _reasons_page() -> str:
    verdicts = [f"| {words.sign} | `{verdict}` | {words.meaning} |" for verdict, words in VERDICT_WORDS.items()]
    reasons = [f"| `{reason}` | {words.label} | {words.sentence} |" for reason, words in REASON_WORDS.items()]
    return "\n".join(
        [
            NOTE,
            "",
            "# Verdicts and reasons in words",
            "",
            "Code, JSON and command line share one spelling; people read the words.",
            "",
            "| sign | verdict | meaning |",
            "|---|---|---|",
            *verdicts,
            "",
            "| reason | short | in a sentence |",
            "|---|---|---|",
            *reasons,
            "",
        ]
    )


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
