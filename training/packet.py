"""The evidence packet: which artefacts of the model exist, their hashes, and the figures measured on them."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from benchmarks.record import ROOT
from groundwire.errors import InputError
from groundwire.ledger import sha256_hex

PACKET = ROOT / "src" / "groundwire" / "models" / "evidence_packet.toml"
SCHEMA = 1
SECTIONS = (
    "student", "teacher", "onnx", "heldout_evaluation", "quantised_latency", "model_card", "benchmark_review",
)  # fmt: skip
# The figures of a section, and where the evaluator's JSON holds them.
VALUES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "heldout_evaluation": {
        "rows": ("rows",),
        "balanced_accuracy": ("balanced_accuracy",),
        "threshold": ("threshold",),
        "auc": ("auc",),
        "calibration_error": ("calibration_error",),
        "heldout_sha256": ("heldout", "sha256"),
    },
    "quantised_latency": {
        "p50_ms": ("latency_ms", "p50"),
        "p95_ms": ("latency_ms", "p95"),
        "p99_ms": ("latency_ms", "p99"),
    },
}
Value = str | int | float


class Status(StrEnum):
    """How far the evidence of a section has come."""

    PENDING = "pending"
    RECORDED = "recorded"
    VALIDATED = "validated"


@dataclass(frozen=True, slots=True)
class Artefact:
    """A hashed file; an external one is too large for the project and lies in the folder of artefacts."""

    path: str
    sha256: str
    bytes: int
    external: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """The evidence of one kind."""

    status: str = Status.PENDING
    files: tuple[Artefact, ...] = ()
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Packet:
    """All sections, the words by which public texts call the model, and what may be claimed of it."""

    model: str
    names: tuple[str, ...]
    claim_boundary: str
    sections: Mapping[str, Section]
    schema: int = SCHEMA


def load(path: Path) -> Packet:
    """Read a packet; anything it should not hold is an error."""
    try:
        plain = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"The packet {str(path)!r} cannot be read.", why=error.strerror or str(error)) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"The packet {str(path)!r} is no TOML.", why=str(error), fix="restore it") from error
    _refuse_unknown("the packet", plain, {"schema", "model", "names", "claim_boundary", *SECTIONS})
    missing = [name for name in SECTIONS if name not in plain]
    if missing:
        raise InputError(f"The packet has no section {missing[0]!r}.", fix="add it, with status 'pending'")
    if plain.get("schema") != SCHEMA:
        raise InputError(f"The packet has schema {plain.get('schema')!r}.", fix=f"this version reads schema {SCHEMA}")
    names = plain.get("names")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise InputError("The packet's names are no list of texts.", fix="say how public texts call the model")
    return Packet(
        model=_text(plain, "model", "the packet"),
        names=tuple(names),
        claim_boundary=_text(plain, "claim_boundary", "the packet"),
        sections={name: _section(name, plain[name]) for name in SECTIONS},
    )


def dump(packet: Packet) -> str:
    """Write a packet as the one TOML text that equal packets share."""
    lines = [
        "# What is known of the embedded model, and by which files. Written by: python -m training record.",
        "# Checked by: python -m training validate. A figure that is not in here may not be claimed.",
        f"schema = {packet.schema}",
        f"model = {_toml(packet.model)}",
        f"names = [{', '.join(map(_toml, packet.names))}]",
        f"claim_boundary = {_toml(packet.claim_boundary)}",
    ]
    for name in SECTIONS:
        section = packet.sections[name]
        lines += ["", f"[{name}]", f"status = {_toml(str(section.status))}"]
        if section.values:
            lines += ["", f"[{name}.values]", *(f"{key} = {_toml(value)}" for key, value in section.values.items())]
        for file in section.files:
            lines += ["", f"[[{name}.files]]", f"path = {_toml(file.path)}", f"sha256 = {_toml(file.sha256)}"]
            lines += [f"bytes = {file.bytes}", *(["external = true"] if file.external else [])]
    return "\n".join(lines) + "\n"


def hash_file(path: Path) -> tuple[str, int]:
    """Return the hash and the size of a file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"The file {str(path)!r} cannot be read.", why=error.strerror or str(error), fix="check the path"
        ) from error
    return sha256_hex(data), len(data)


def files_in(path: Path) -> list[Path]:
    """Return a file, or all files of a folder in order; hidden ones and links are no artefacts."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"{str(path)!r} is neither a file nor a folder.", fix="check the path")
    found = [
        file
        for file in sorted(path.rglob("*"))
        if file.is_file() and not file.is_symlink() and not file.relative_to(path).parts[0].startswith(".")
    ]
    if not found:
        raise InputError(f"The folder {str(path)!r} holds no file.", fix="name the folder that was written")
    return found


def place_of(file: Artefact, root: Path, artefacts: Path | None) -> Path | None:
    """Return where an artefact lies; None for an external one whose folder was not given."""
    base = artefacts if file.external else root
    if base is None:
        return None
    place = (base / file.path).resolve()
    if not place.is_relative_to(base.resolve()):
        raise InputError(f"The path {file.path!r} leads out of its folder.", fix="record the file again")
    return place


def values_of(section: str, result: Mapping[str, Any]) -> dict[str, Value]:
    """Take the figures of a section out of the evaluator's JSON."""
    values: dict[str, Value] = {}
    for name, steps in VALUES[section].items():
        found: Any = result
        for step in steps:
            found = found.get(step) if isinstance(found, Mapping) else None
        if isinstance(found, bool) or not isinstance(found, str | int | float):
            raise InputError(
                f"The evaluation result has no {'.'.join(steps)}.", fix="write it with: python -m training evaluate"
            )
        values[name] = found
    return values


def _section(name: str, plain: Any) -> Section:
    where = f"section {name!r}"
    if not isinstance(plain, dict):
        raise InputError(f"The {where} is no table.", fix="give it a status")
    _refuse_unknown(f"the {where}", plain, {"status", "files", "values"})
    status = _text(plain, "status", f"the {where}")
    if status not in set(Status):
        raise InputError(f"The status of {where} is {status!r}.", fix=f"choose from {', '.join(Status)}")
    values = plain.get("values", {})
    plain_values = isinstance(values, dict) and all(
        isinstance(value, str | int | float) and not isinstance(value, bool) for value in values.values()
    )
    if not plain_values:
        raise InputError(f"The values of {where} are no table of numbers and texts.", fix="record them again")
    files = plain.get("files", [])
    if not isinstance(files, list):
        raise InputError(f"The files of {where} are no list.", fix="record them again")
    return Section(status, tuple(_artefact(where, item) for item in files), values)


def _artefact(where: str, plain: Any) -> Artefact:
    if not isinstance(plain, dict):
        raise InputError(f"A file of {where} is no table.", fix="record it again")
    _refuse_unknown(f"a file of {where}", plain, {"path", "sha256", "bytes", "external"})
    size, external = plain.get("bytes"), plain.get("external", False)
    if type(size) is not int or not isinstance(external, bool):
        raise InputError(f"A file of {where} has no size.", fix="record it again")
    return Artefact(_text(plain, "path", where), _text(plain, "sha256", where), size, external)


def _refuse_unknown(where: str, plain: Mapping[str, Any], known: set[str]) -> None:
    unknown = sorted(set(plain) - known)
    if unknown:
        raise InputError(f"In {where} there is an unknown entry {unknown[0]!r}.", fix="take it out")


def _text(plain: Mapping[str, Any], name: str, where: str) -> str:
    value = plain.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"In {where} there is no text {name!r}.", fix="add it")
    return value


def _toml(value: Value) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        if any(ord(character) < 0x20 or ord(character) == 0x7F for character in escaped):
            raise InputError(f"The text {value!r} holds a control character.", fix="write it on one line")
        return f'"{escaped}"'
    return repr(value)


def relative(path: Path, base: Path) -> str | None:
    """Return a path as seen from a folder, with forward slashes; None when it lies elsewhere."""
    place = path.resolve()
    return place.relative_to(base.resolve()).as_posix() if place.is_relative_to(base.resolve()) else None


def sections_with_results(packet: Packet) -> Sequence[Section]:
    """Return the sections whose files may carry figures."""
    return [packet.sections[name] for name in ("heldout_evaluation", "quantised_latency", "benchmark_review")]
