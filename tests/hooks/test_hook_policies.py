"""Policies: the schema of each kind, and line and column of every mistake."""

from pathlib import Path
from typing import Any

import pytest

from groundwire.errors import PolicyError
from groundwire.hooks import load_policy
from groundwire.hooks.inspect_policy import inspect_policy
from groundwire.hooks.schema import KINDS, find_mistake, schema_of

CONTAINMENT = """kind: containment
version: 1
scopes:
  sandbox:
    hosts: [docs.example.com]
    paths:
      read: [/srv/a]
    commands: [ls]
    sql: {dialect: sqlite, statements: [select], tables: [a]}
"""
PHYSICAL = """kind: physical
version: 1
actions: [move]
workspace: {x: [0 mm, 1 m], y: [0 mm, 1 m], z: [0 mm, 1 m]}
limits:
  speed: {max: 1 m/s}
rates:
  speed: 2 m/s**2
keep_out:
  - {name: a, box: {x: [0 mm, 1 mm], y: [0 mm, 1 mm], z: [0 mm, 1 mm]}}
"""
TRAJECTORY = "kind: trajectory\nversion: 1\ntools:\n  a: {}\nforbidden:\n  - {after: a, next: a}\n"

LOCK = "interlocks:\n  - {name: d, signal: s, equals: true, actions: [mvoe]}"
BALL = "  - {name: a, sphere: {centre: [0 m, 0 m, 0 m], radius: 1 m}}"

MISTAKES = [
    (CONTAINMENT, "docs.example.com", "http://docs", 5, 13, "no host"),
    (CONTAINMENT, "docs.example.com", "bücher.example", 5, 13, "no host"),
    (CONTAINMENT, "docs.example.com", "'127.1'", 5, 13, "no host"),
    (CONTAINMENT, "/srv/a", "srv/a", 7, 14, "absolute"),
    (CONTAINMENT, "[ls]", "[ls, python3]", 8, 20, "runs any program"),
    (CONTAINMENT, "sqlite", "dbase", 9, 20, "no dialect"),
    (CONTAINMENT, "[select]", "[grant]", 9, 41, "choose from"),
    (CONTAINMENT, "sandbox", "lab", 4, 3, "no scope"),
    (CONTAINMENT, "    hosts:", "    host:", 5, 5, "no field"),
    (CONTAINMENT, "version: 1", "version: 2", 2, 10, "choose from 1"),
    (CONTAINMENT, "version: 1\n", "", 1, 1, "has no 'version'"),
    (CONTAINMENT, "kind: containment", "kind: contaminant", 1, 7, "choose from"),
    (CONTAINMENT, "    hosts: [docs.example.com]", "    hosts: docs.example.com", 5, 12, "give a list"),
    (CONTAINMENT, "[/srv/a]", "[/srv/a", 8, 13, "not valid YAML"),
    (CONTAINMENT, "version: 1", "version: 1\nversion: 1", 3, 1, "twice"),
    (CONTAINMENT, "[/srv/a]", "&x [/srv/a]", 7, 13, "anchor"),
    (PHYSICAL, "max: 1 m/s", "max: 1 zork", 6, 16, "no unit"),
    (PHYSICAL, "max: 1 m/s", "max: 1", 6, 16, "give a text"),
    (PHYSICAL, "max: 1 m/s", "max: '1'", 6, 16, "no unit"),
    (PHYSICAL, "speed: 2 m/s**2", "speed: 2 m", 8, 10, "no rate"),
    (PHYSICAL, "speed: 2 m/s**2", "mass: 2 m", 8, 3, "no limit"),
    (PHYSICAL, "x: [0 mm, 1 m]", "x: [2 m, 1 m]", 4, 16, "above"),
    (PHYSICAL, "x: [0 mm, 1 m]", "x: [0 kg, 1 kg]", 4, 16, "no length"),
    (PHYSICAL, "box: {x: [0 mm, 1 mm]", "box: {x: [0 N, 1 mm]", 10, 25, "no length"),
    (PHYSICAL, "keep_out:", f"{LOCK}\nkeep_out:", 10, 50, "no action"),
    (PHYSICAL, "  - {name: a, box", f"{BALL}\n  - {{name: a, box", 11, 12, "twice"),
    (TRAJECTORY, "next: a", "next: b", 6, 22, "no tool"),
    (TRAJECTORY, ", next: a", "", 6, 5, "exactly one"),
    ("kind: ontology\nversion: 1\nshapes: [a.ttl]\n", "a.ttl", "none.ttl", 3, 10, "cannot be read"),
    ("candidates: 4\nnli_threshold: 0.5\n", "0.5", "5", 2, 1, "nli_threshold"),
]


@pytest.mark.parametrize(("text", "old", "new", "line", "column", "words"), MISTAKES)
def test_a_mistake_is_named_with_line_and_column(
    tmp_path: Path, text: str, old: str, new: str, line: int, column: int, words: str
) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(PolicyError) as caught:
        inspect_policy(str(path))
    assert f"at line {line}, column {column}:" in str(caught.value)
    assert words in str(caught.value)
    assert repr(str(path)) in str(caught.value)


@pytest.mark.parametrize("text", [CONTAINMENT, PHYSICAL, TRAJECTORY, "candidates: 4\n"])
def test_a_sound_policy_is_sound(tmp_path: Path, text: str) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    assert len(inspect_policy(str(path)).hash) == 64


def test_a_guard_keeps_its_rules_when_the_mapping_changes() -> None:
    values: dict[str, Any] = {"kind": "swarm", "version": 1, "routes": []}
    policy = load_policy(values)
    values["routes"].append({"from": "a", "to": ["b"]})
    assert policy.values["routes"] == []


def test_a_policy_of_another_kind_is_refused() -> None:
    with pytest.raises(PolicyError, match="a physical policy is needed"):
        load_policy({"kind": "swarm", "version": 1}, "physical")


@pytest.mark.parametrize("text", ["", "- a\n", "just text", "a: " + "[" * 40 + "]" * 40, "? [a]\n: b\n"])
def test_what_is_no_policy_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PolicyError):
        load_policy(path)


def test_a_huge_policy_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("#" * 1_000_001, encoding="utf-8")
    with pytest.raises(PolicyError, match="larger than"):
        load_policy(path)


def schemas(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [value, *(inner for item in value.values() for inner in schemas(item))]
    return [inner for item in value for inner in schemas(item)] if isinstance(value, list) else []


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_uses_only_the_words_that_are_checked(kind: str) -> None:
    known = {
        "$schema", "$ref", "$defs", "title", "description", "type", "properties", "additionalProperties", "required",
        "items", "enum", "anyOf", "pattern", "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength",
        "minProperties",
    }  # fmt: skip
    schema = schema_of(kind)
    names = {name for part in schemas(schema) for name in part.get("properties", {})} | set(schema.get("$defs", {}))
    used = {name for part in schemas(schema) for name in part} - names
    assert used <= known


@pytest.mark.parametrize(
    ("value", "schema", "right"),
    [
        (1, {"type": "integer"}, True),
        (True, {"type": "integer"}, False),
        (1.5, {"type": "integer"}, False),
        (float("nan"), {"type": "number", "minimum": 0}, False),
        (float("inf"), {"type": "number", "maximum": 5}, False),
        ("", {"type": "string", "minLength": 1}, False),
        ([1, "a"], {"type": "array", "items": {"type": "integer"}}, False),
        ({"a": 1}, {"type": "object", "additionalProperties": False}, False),
        (None, {"anyOf": [{"type": "string"}, {"type": "null"}]}, True),
    ],
)
def test_the_schema_checker_holds_its_words(value: Any, schema: dict[str, Any], right: bool) -> None:
    assert (find_mistake(value, schema, schema) is None) is right
