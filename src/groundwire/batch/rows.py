"""Turn records into rows to check, or say why one is none."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from groundwire.batch.records import Record
from groundwire.errors import InputError
from groundwire.evals.datasets import kind_of
from groundwire.ledger import hash_json, hash_text
from groundwire.types import Source

REQUIRED = ("response", "source")
OPTIONAL = ("id", "question", "label", "source_id")
_ROLES = (*REQUIRED, *OPTIONAL)
_MOST_SOURCES = 10_000
_LONGEST_ID = 1_000
_SHORT_HASH = 16


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column plays which part; an optional one that is not named is used when it is there."""

    named: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unknown = [role for role in self.named if role not in _ROLES]
        if unknown:
            raise InputError(f"There is no part {unknown[0]!r} for a column.", fix=f"use {', '.join(_ROLES)}")
        empty = [role for role in REQUIRED if self.named.get(role) == ""]
        if empty:
            raise InputError(f"The column for {empty[0]} has no name.", fix=f"write --columns {empty[0]}=NAME")

    def of(self, role: str) -> str:
        """Return the column of a part; empty when it was switched off."""
        return self.named.get(role, role)

    @property
    def wanted(self) -> list[str]:
        """List the columns an input must have."""
        return [name for role in _ROLES if (role in REQUIRED or role in self.named) and (name := self.of(role))]


def parse_columns(text: str | None) -> Columns:
    """Read `response=answer,source=context`; a name left empty switches an optional column off."""
    named: dict[str, str] = {}
    for part in (text or "").split(","):
        role, equals, name = part.strip().partition("=")
        if not part.strip():
            continue
        if not equals or role.strip() in named:
            raise InputError(
                f"--columns has {part.strip()!r}.",
                why="each part is named once, as part=column",
                fix="write it like --columns response=answer,source=context",
            )
        named[role.strip()] = name.strip()
    return Columns(named)


@dataclass(frozen=True, slots=True)
class Row:
    """A response to check against its source."""

    line: int
    response: str
    source: str | tuple[Source, ...]
    source_id: str
    id: str | None = None
    question: str | None = None
    label: int | None = None


@dataclass(frozen=True, slots=True)
class BadRow:
    """A record that cannot be checked, and why."""

    line: int
    why: str


def to_row(record: Record, columns: Columns) -> Row | BadRow:
    """Turn one record into a row, or say why it is none."""
    if record.content is None:
        return BadRow(record.line, record.why)
    try:
        entry = _entry(record.content)
        source = _source(entry, columns.of("source"))
        return Row(
            line=record.line,
            response=_text(columns.of("response"), _value(entry, columns.of("response"))),
            source=source,
            source_id=_identifier(entry, columns.of("source_id")) or _hash(source),
            id=_identifier(entry, columns.of("id")),
            question=_question(entry, columns.of("question")),
            label=_label(entry, columns.of("label")),
        )
    except InputError as error:
        return BadRow(record.line, error.what)


def _entry(content: bytes | dict[str, Any]) -> dict[str, Any]:
    if isinstance(content, dict):
        return content
    try:
        entry = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8, byte 0x{content[error.start]:02x} at offset {error.start}") from error
    except RecursionError as error:
        raise InputError("nested too deeply") from error
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON, {error.msg} at character {error.pos}") from error
    except ValueError as error:  # Python refuses to read numbers of thousands of digits
        raise InputError("a number is too long") from error
    if not isinstance(entry, dict):
        raise InputError("not a JSON object")
    return entry


def _value(entry: dict[str, Any], name: str) -> Any:
    if name not in entry:
        present = ", ".join(repr(key[:60]) for key in list(entry)[:20]) or "none"
        raise InputError(f"no column {name!r}; present: {present}")
    return entry[name]


def _text(name: str, value: Any) -> str:
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"{name} is not UTF-8, byte 0x{value[error.start]:02x}") from error
    if not isinstance(value, str):
        raise InputError(f"{name} is {kind_of(value)}, not text")
    # A text of CSV has its bytes that are no UTF-8 in this range.
    if any("\udc80" <= character <= "\udcff" for character in _suspects(value)):
        raise InputError(f"{name} is not UTF-8")
    if "\0" in value:
        raise InputError(f"{name} is binary, there is a NUL at character {value.index(chr(0))}")
    return value


def _suspects(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text
    return ""


def _source(entry: dict[str, Any], name: str) -> str | tuple[Source, ...]:
    value = _value(entry, name)
    if not isinstance(value, list):
        return _text(name, value)
    if len(value) > _MOST_SOURCES:
        raise InputError(f"{name} has {len(value):,} entries, more than {_MOST_SOURCES:,}")
    return tuple(_one_source(name, number, item) for number, item in enumerate(value, start=1))


def _one_source(name: str, number: int, item: Any) -> Source:
    if isinstance(item, dict):
        text = _text(f"{name} {number}", item.get("text"))
        given = item.get("id")
        return Source(given if isinstance(given, str) and given else f"source-{number}", text)
    return Source(f"source-{number}", _text(f"{name} {number}", item))


def _identifier(entry: dict[str, Any], name: str) -> str | None:
    value = entry.get(name) if name else None
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"{name} is {kind_of(value)}, not text or a whole number")
    try:
        text = str(value)
    except ValueError as error:  # as above: thousands of digits
        raise InputError(f"{name} is too long a number") from error
    if len(text) > _LONGEST_ID:
        raise InputError(f"{name} has {len(text):,} characters, more than {_LONGEST_ID:,}")
    return _text(name, text)


def _question(entry: dict[str, Any], name: str) -> str | None:
    value = entry.get(name) if name else None
    return None if value is None or value == "" else _text(name, value)


def _label(entry: dict[str, Any], name: str) -> int | None:
    value = entry.get(name) if name else None
    if value is None or value == "":
        return None
    if isinstance(value, str) and value.strip() in ("0", "1"):
        return int(value)
    # true and 1.0 equal 1 in Python; a file that says so may mean something else by it.
    if type(value) is not int or value not in (0, 1):
        shown = repr(value)[:40] if isinstance(value, str | int | float) else kind_of(value)
        raise InputError(f"{name} is {shown}, not 0 or 1 (--columns label= leaves labels out)")
    return value


def _hash(source: str | tuple[Source, ...]) -> str:
    whole = hash_text(source) if isinstance(source, str) else hash_json([[item.id, item.text] for item in source])
    return whole[:_SHORT_HASH]
