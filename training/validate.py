"""Check the evidence packet: python -m training validate [--require-recorded-evidence].

Hashes must fit their files, figures must be those of the evaluator's result, and no public text may
claim a figure for the model that no recorded result carries. Exit status: 0 valid, 1 not, 2 usage.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.record import ROOT
from groundwire.errors import InputError
from training import claims
from training.manifest import NAME as MANIFEST
from training.packet import (
    PACKET,
    SECTIONS,
    VALUES,
    Artefact,
    Packet,
    Section,
    Status,
    hash_file,
    load,
    place_of,
    sections_with_results,
    values_of,
)

INVALID = 1


def main(arguments: Sequence[str]) -> int:
    """Check, say why not."""
    parser = argparse.ArgumentParser(prog="python -m training validate", description=__doc__)
    parser.add_argument("--packet", type=Path, default=PACKET)
    parser.add_argument("--root", type=Path, default=ROOT, help="the project whose files and texts are checked")
    parser.add_argument("--artefacts", type=Path, help="folder of the external files; hashed too when it is given")
    parser.add_argument("--require-recorded-evidence", action="store_true", help="refuse what is still pending")
    options = parser.parse_args(arguments)
    problems = check(
        options.packet, options.root, require=options.require_recorded_evidence, artefacts=options.artefacts
    )
    for problem in problems:
        print(f"not valid: {problem}", file=sys.stderr)
    if not problems:
        statuses = ", ".join(f"{name} {section.status}" for name, section in load(options.packet).sections.items())
        print(f"valid: {statuses}")
    return INVALID if problems else 0


def check(path: Path, root: Path, *, require: bool = False, artefacts: Path | None = None) -> list[str]:
    """Return every reason why the packet is not valid."""
    try:
        packet = load(path)
    except InputError as error:
        return [str(error)]
    problems = [
        problem
        for name in SECTIONS
        for problem in _section_problems(name, packet.sections[name], root, artefacts, require)
    ]
    # A file that does not fit its hash carries no figure.
    return [*problems, *_link_problems(packet, root), *_claim_problems(packet, root, trusted=not problems)]


def _section_problems(name: str, section: Section, root: Path, artefacts: Path | None, require: bool) -> list[str]:
    if section.status == Status.PENDING:
        problems = [f"{name}: the evidence is pending, but recorded evidence is required"] if require else []
        if section.files or section.values:
            problems.append(f"{name}: it is pending, yet it lists files or values")
        return problems
    if not section.files:
        return [f"{name}: it is {section.status}, yet it lists no file"]
    problems = [
        problem
        for file in section.files
        if (problem := _file_problem(name, file, section, root, artefacts)) is not None
    ]
    if name == "benchmark_review" and all(file.path.endswith(".json") for file in section.files):
        problems.append(f"{name}: it lists results, but no review of what may be claimed")
    if name not in VALUES:
        return [*problems, *([f"{name}: it has values, which only results have"] if section.values else [])]
    return problems or _value_problems(name, section, root)


def _file_problem(name: str, file: Artefact, section: Section, root: Path, artefacts: Path | None) -> str | None:
    try:
        place = place_of(file, root, artefacts)
        if place is None:
            if file.sha256 in _manifest_hashes(section, root):
                return None
            return f"{name}: {file.path} is external, and no manifest in the project carries its hash"
        found, size = hash_file(place)
    except InputError as error:
        return f"{name}: {error}"
    if (found, size) != (file.sha256, file.bytes):
        return f"{name}: {file.path} has the hash {found[:16]}…, recorded is {file.sha256[:16]}…"
    return None


def _manifest_hashes(section: Section, root: Path) -> set[str]:
    """Return the hashes that the section's manifests in the project name; the manifests are hashed themselves."""
    hashes: set[str] = set()
    for file in section.files:
        if not file.external and Path(file.path).name == MANIFEST:
            files = _json(root / file.path).get("files")
            hashes.update(map(str, files.values()) if isinstance(files, dict) else ())
    return hashes


def _value_problems(name: str, section: Section, root: Path) -> list[str]:
    try:
        measured = values_of(name, _json(root / section.files[0].path))
    except InputError as error:
        return [f"{name}: {error}"]
    return [
        f"{name}: {key} is {section.values.get(key)!r}, the result says {value!r}"
        for key, value in measured.items()
        if section.values.get(key) != value
    ] + [f"{name}: {key} stands in no result" for key in section.values if key not in measured]


def _link_problems(packet: Packet, root: Path) -> list[str]:
    """Check that the figures were measured on the very ONNX file that is recorded."""
    onnx = {file.sha256 for file in packet.sections["onnx"].files if file.path.endswith(".onnx")}
    problems = []
    for name in VALUES:
        section = packet.sections[name]
        if section.status == Status.PENDING or not section.files or not onnx:
            continue
        try:
            measured = _json(root / section.files[0].path).get("model_files")
        except InputError:
            continue  # said already, with the file
        if not isinstance(measured, dict) or onnx.isdisjoint(measured.values()):
            problems.append(f"{name}: it was not measured on the recorded ONNX file")
    return problems


def _claim_problems(packet: Packet, root: Path, *, trusted: bool) -> list[str]:
    values: list[float] = []
    if trusted:
        for section in sections_with_results(packet):
            for file in section.files:
                if not file.external and file.path.endswith(".json"):
                    values += claims.numbers_in(root / file.path)
    return [
        f"{claim.file}:{claim.line} claims {claim.figure!r} for the model, and no recorded result carries it: "
        f"{claim.text[:120]}"
        for path in claims.public_texts(root)
        for claim in claims.claims_in(path.read_text(encoding="utf-8"), path.relative_to(root).as_posix(), packet.names)
        if not claims.is_carried(claim.figure, values)
    ]


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name} cannot be read as JSON.", why=str(error), fix="record it again") from error
    if not isinstance(found, dict):
        raise InputError(f"{path.name} holds no JSON object.", fix="record it again")
    return found
