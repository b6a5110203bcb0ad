"""Check a value against the part of JSON Schema that our policy schemas use."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

KINDS = ("containment", "attestation", "ontology", "trajectory", "physical", "swarm")
Path = tuple[str | int, ...]

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (Mapping,),
    "array": (list, tuple),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


class Mistake(NamedTuple):
    """One thing a value does wrong, and where; `on_key` when the name itself is wrong."""

    path: Path
    what: str
    fix: str
    on_key: bool = False


@cache
def schema_of(kind: str) -> dict[str, Any]:
    """Read the JSON schema of one kind of policy."""
    text = files("groundwire.hooks").joinpath("schemas", f"{kind}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def find_mistake(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], path: Path = ()) -> Mistake | None:
    """Return the first mistake of a value, or None."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        mistakes = [find_mistake(value, option, root, path) for option in schema["anyOf"]]
        if None in mistakes:
            return None
        # The option that got furthest is the one that was meant.
        return max((item for item in mistakes if item), key=lambda item: len(item.path))
    return (
        _type_mistake(value, schema, path)
        or _scalar_mistake(value, schema, path)
        or _object_mistake(value, schema, root, path)
        or _array_mistake(value, schema, root, path)
    )


def _type_mistake(value: Any, schema: Mapping[str, Any], path: Path) -> Mistake | None:
    wanted = schema.get("type")
    if wanted is None:
        return None
    right = isinstance(value, _TYPES[wanted]) and (wanted == "boolean" or not isinstance(value, bool))
    return None if right else Mistake(path, f"is {_named(value)}", f"give {_article(wanted)}")


def _scalar_mistake(value: Any, schema: Mapping[str, Any], path: Path) -> Mistake | None:
    if "enum" in schema and value not in schema["enum"]:
        return Mistake(path, f"is {value!r}", f"choose from {', '.join(map(str, schema['enum']))}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        return Mistake(path, f"is {value!r}", schema.get("description", f"match {schema['pattern']}"))
    if isinstance(value, str):
        if len(value) < schema.get("minLength", 0):
            return Mistake(path, "is empty", "give a text")
        if len(value) > schema.get("maxLength", len(value)):
            return Mistake(path, "is too long", f"use at most {schema['maxLength']} characters")
    if isinstance(value, int | float) and not isinstance(value, bool):
        # Written so that NaN fails.
        if "minimum" in schema and not value >= schema["minimum"]:
            return Mistake(path, f"is {value!r}", f"give at least {schema['minimum']}")
        if "maximum" in schema and not value <= schema["maximum"]:
            return Mistake(path, f"is {value!r}", f"give at most {schema['maximum']}")
    return None


def _object_mistake(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], path: Path) -> Mistake | None:
    if not isinstance(value, Mapping):
        return None
    known, other = schema.get("properties", {}), schema.get("additionalProperties", True)
    if len(value) < schema.get("minProperties", 0):
        return Mistake(path, "is empty", "give at least one entry")
    for name, item in value.items():
        if not isinstance(name, str):
            return Mistake((*path, name), f"the name {name!r} is no text", "put it in quotes", on_key=True)
        if name not in known and other is False:
            fix = f"known fields: {', '.join(known)}"
            return Mistake((*path, name), f"{name!r} is no field here", fix, on_key=True)
        inner = known.get(name, other)
        found = find_mistake(item, inner, root, (*path, name)) if isinstance(inner, Mapping) else None
        if found:
            return found
    missing = [name for name in schema.get("required", ()) if name not in value]
    return Mistake(path, f"has no {missing[0]!r}", f"add {missing[0]!r}") if missing else None


def _array_mistake(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], path: Path) -> Mistake | None:
    if not isinstance(value, list | tuple):
        return None
    if len(value) < schema.get("minItems", 0):
        return Mistake(path, f"has {len(value)} entries", f"give at least {schema['minItems']}")
    if len(value) > schema.get("maxItems", len(value)):
        return Mistake(path, f"has {len(value)} entries", f"give at most {schema['maxItems']}")
    for number, item in enumerate(value):
        found = find_mistake(item, schema["items"], root, (*path, number)) if "items" in schema else None
        if found:
            return found
    return None


def _named(value: Any) -> str:
    if value is None:
        return "empty"
    kind = next((name for name, types in _TYPES.items() if isinstance(value, types)), type(value).__name__)
    return _article("boolean" if isinstance(value, bool) else kind)


def _article(kind: str) -> str:
    words = {"object": "a mapping", "array": "a list", "string": "a text", "integer": "a whole number"}
    return words.get(kind, f"a {kind}")
