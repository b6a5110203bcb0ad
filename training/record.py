"""Write hashes and figures into the evidence packet: python -m training record.

What is not given keeps its entry. The new packet is validated before it takes the old one's place; if
it is not valid, the old one stays as it was.
"""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.record import ROOT
from groundwire.errors import InputError
from training.manifest import NAME as MANIFEST
from training.packet import (
    PACKET,
    Artefact,
    Section,
    Status,
    dump,
    files_in,
    hash_file,
    load,
    relative,
    values_of,
)
from training.validate import INVALID, check

RUNS = "training/runs"  # where manifests of external artefacts are kept in the project


def main(arguments: Sequence[str]) -> int:
    """Record, validate, keep or drop."""
    parser = argparse.ArgumentParser(prog="python -m training record", description=__doc__)
    parser.add_argument("--packet", type=Path, default=PACKET)
    parser.add_argument("--root", type=Path, default=ROOT, help="the project that the packet belongs to")
    parser.add_argument("--artefacts", type=Path, help="folder of files that are too large for the project")
    parser.add_argument("--student", type=Path, nargs="+", default=[], help="files or folders of the trained student")
    parser.add_argument("--teacher", type=Path, nargs="+", default=[], help="files or folders of the teacher")
    parser.add_argument("--onnx", type=Path, nargs="+", default=[], help="the exported files")
    parser.add_argument("--model-card", type=Path, nargs="+", default=[])
    parser.add_argument("--claim-review", type=Path, nargs="+", default=[], help="the review of what may be claimed")
    parser.add_argument("--result", type=Path, nargs="+", default=[], help="further results that carry figures")
    parser.add_argument("--eval-result", type=Path, help="the JSON of python -m training evaluate")
    parser.add_argument("--require-recorded-evidence", action="store_true", help="keep it only if nothing is pending")
    options = parser.parse_args(arguments)
    given = {
        "student": options.student,
        "teacher": options.teacher,
        "onnx": options.onnx,
        "model_card": options.model_card,
    }
    reviewed = {".md": options.claim_review, ".json": options.result}
    if not any(reviewed.values()) and not any(given.values()) and options.eval_result is None:
        raise InputError("Nothing to record was given.", fix="see python -m training record --help")
    old = load(options.packet)
    sections = dict(old.sections)
    kept: dict[Path, bytes | None] = {}  # what a failed recording must put back
    try:
        for name, paths in given.items():
            if paths:
                files = _artefacts(name, paths, options.root, options.artefacts, kept)
                sections[name] = Section(Status.RECORDED, files)
        if any(reviewed.values()):
            sections["benchmark_review"] = _review(old.sections["benchmark_review"], reviewed, options.root, kept)
        if options.eval_result is not None:
            result = _result(options.eval_result)
            file = _artefacts("eval-result", [options.eval_result], options.root, None, kept)
            for name in ("heldout_evaluation", "quantised_latency"):
                sections[name] = Section(Status.RECORDED, file, values_of(name, result))
        problems = _try(options, dump(replace(old, sections=sections)))
    except BaseException:
        _put_back(kept)
        raise
    if problems:
        _put_back(kept)
        for problem in problems:
            print(f"not recorded: {problem}", file=sys.stderr)
        print("the packet was left as it was", file=sys.stderr)
        return INVALID
    print(f"recorded in {options.packet}")
    return 0


def _try(options: argparse.Namespace, text: str) -> list[str]:
    """Put the new packet in place if it is valid; return the reasons if not."""
    packet: Path = options.packet
    fresh = packet.with_name(packet.name + ".new")
    try:
        fresh.write_text(text, encoding="utf-8", newline="\n")
        required = options.require_recorded_evidence
        problems = check(fresh, options.root, require=required, artefacts=_at_hand(options.artefacts, fresh))
        if not problems:
            os.replace(fresh, packet)
        return problems
    finally:
        fresh.unlink(missing_ok=True)


def _at_hand(artefacts: Path | None, packet: Path) -> Path | None:
    """Return the folder of artefacts if all lie there; those recorded earlier are vouched for by their manifests."""
    external = [file for section in load(packet).sections.values() for file in section.files if file.external]
    return artefacts if artefacts is not None and all((artefacts / file.path).exists() for file in external) else None


def _review(old: Section, given: Mapping[str, Sequence[Path]], root: Path, kept: dict[Path, bytes | None]) -> Section:
    """Replace the review, or the results, or both; what is not given stays."""
    files: list[Artefact] = []
    for kind, paths in given.items():
        if paths:
            files += _artefacts("benchmark_review", paths, root, None, kept)
        else:
            files += [file for file in old.files if file.path.endswith(".json") == (kind == ".json")]
    return Section(Status.RECORDED, tuple(files))


def _artefacts(
    name: str, paths: Sequence[Path], root: Path, artefacts: Path | None, kept: dict[Path, bytes | None]
) -> tuple[Artefact, ...]:
    found = []
    for path in (file for given in paths for file in files_in(given)):
        inside = relative(path, root)
        outside = None if artefacts is None else relative(path, artefacts)
        if inside is not None and artefacts is not None and relative(root, artefacts) is not None:
            outside = None  # the project itself lies among the artefacts
        # A folder of artefacts inside the project is not part of it: its files are not committed.
        if outside is not None:
            found.append(Artefact(outside, *hash_file(path), external=True))
            if path.name == MANIFEST:
                copy = root / RUNS / name / MANIFEST
                kept.setdefault(copy, copy.read_bytes() if copy.exists() else None)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(path.read_bytes())
                found[-1] = Artefact(f"{RUNS}/{name}/{MANIFEST}", *hash_file(copy))
        elif inside is not None:
            found.append(Artefact(inside, *hash_file(path)))
        else:
            raise InputError(
                f"{str(path)!r} lies neither in the project nor in the folder of artefacts.",
                fix="name its folder with --artefacts",
            )
    return tuple(found)


def _result(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"The result {str(path)!r} cannot be read as JSON.", why=str(error)) from error
    if not isinstance(found, dict):
        raise InputError(f"The result {str(path)!r} holds no JSON object.", fix="use python -m training evaluate")
    return found


def _put_back(kept: dict[Path, bytes | None]) -> None:
    for path, content in kept.items():
        if content is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(content)
