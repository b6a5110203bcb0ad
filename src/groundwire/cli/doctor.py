"""The command that checks the installation."""

import platform
import re
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib import metadata
from importlib.resources import files
from time import perf_counter
from typing import Annotated

import typer

from groundwire import __version__
from groundwire.cli import output

_SOURCE = "The warranty lasts 24 months."
_RIGHT = "The warranty lasts 24 months."
_WRONG = "The warranty lasts 36 months."
# Words alone see nothing wrong here: only a model can.
_SHUT = "The bridge has been shut since a barge struck its pier last October."
_NEVER = "The bridge was never closed."
_OLDEST_PYTHON = (3, 11)
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]{1,100})[^;]{0,200};.{0,200}extra == ['\"]([A-Za-z0-9._-]{1,50})['\"]")


class Outcome(StrEnum):
    """How a check ended; a note is worth knowing and no failure."""

    OK = "ok"
    NOTE = "note"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing the doctor looked at."""

    name: str
    outcome: Outcome
    detail: str


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("doctor")(doctor)


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False) -> int:
    """Check that this installation works: one right and one wrong example included.

    Exit status: 0 everything works, 1 a check failed.
    """
    checks = examine()
    healthy = all(check.outcome is not Outcome.FAILED for check in checks)
    if as_json:
        output.write_json({"ok": healthy, "checks": [asdict(check) for check in checks]})
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            output.write(f"{check.outcome:<6}  {check.name:<{width}}  {output.one_line(check.detail)}")
        output.write("Everything works." if healthy else "Something is broken: see the failed checks above.")
    return 0 if healthy else 1


def examine() -> list[Check]:
    """Run every check; a check that breaks is a failed one, and the others still run."""
    started = perf_counter()
    # First of all, so that the time holds everything that is loaded on the way.
    right = _checked("right example", lambda: _verdict(_RIGHT, "supported"))
    first_verdict = f"{1000 * (perf_counter() - started):.0f} ms from the call to the first verdict"
    return [
        _checked("python", _python),
        Check("groundwire", Outcome.OK, __version__),
        _checked("lexicon", _lexicon),
        right,
        _checked("wrong example", lambda: _verdict(_WRONG, "contradicted")),
        Check("time", Outcome.OK, first_verdict),
        _checked("model", _model),
        _checked("extras", _extras),
        _checked("output", _encoding),
    ]


def _checked(name: str, check: Callable[[], tuple[Outcome, str]]) -> Check:
    # Whatever is broken, the doctor is there to say it.
    try:
        return Check(name, *check())
    except Exception as error:
        return Check(name, Outcome.FAILED, f"{type(error).__name__}: {error}")


def _python() -> tuple[Outcome, str]:
    outcome = Outcome.OK if sys.version_info >= _OLDEST_PYTHON else Outcome.FAILED
    return outcome, f"{platform.python_version()} ({platform.python_implementation()}, {platform.system()})"


def _lexicon() -> tuple[Outcome, str]:
    from groundwire.text.lexicon import load_rows, load_words

    sizes: dict[str, int] = {}
    for file in files("groundwire.text.lexicon").iterdir():
        name, _, kind = file.name.rpartition(".")
        if kind == "tsv":
            sizes[name] = len(load_rows(name))
        elif kind == "txt":
            sizes[name] = len(load_words(name))
    empty = sorted(name for name, size in sizes.items() if not size)
    if empty or not sizes:
        return Outcome.FAILED, f"empty word lists: {', '.join(empty) or 'all'}; install Groundwire again"
    return Outcome.OK, f"{len(sizes)} word lists, {sum(sizes.values())} entries"


def _verdict(response: str, expected: str) -> tuple[Outcome, str]:
    from groundwire.verify import VerifiedScorer

    found = [claim.verdict for claim in VerifiedScorer().verify(response, _SOURCE).claims]
    outcome = Outcome.OK if found == [expected] else Outcome.FAILED
    return outcome, f"{', '.join(found) or 'no claim'} (expected {expected})"


def _model() -> tuple[Outcome, str]:
    from groundwire.nli import NLIScorer

    scorer = NLIScorer()
    started = perf_counter()
    info = scorer.model_info
    right = scorer.score(_SHUT, _NEVER) > 0.5
    taken = f"loaded and asked in {1000 * (perf_counter() - started):.0f} ms"
    verdict = "found the denial" if right else "missed a plain denial; install Groundwire again"
    return Outcome.OK if right else Outcome.FAILED, f"{info.id} {info.hash[:12]}, {taken}, {verdict}"


def _extras() -> tuple[Outcome, str]:
    packages: dict[str, list[str]] = {}
    for requirement in metadata.requires("groundwire") or []:
        match = _REQUIREMENT.match(requirement)
        if match:
            packages.setdefault(match[2], []).append(match[1])
    present = [name for name, needed in sorted(packages.items()) if all(map(_installed, needed))]
    absent = [name for name in sorted(packages) if name not in present]
    return Outcome.OK, f"installed: {', '.join(present) or 'none'}; not installed: {', '.join(absent) or 'none'}"


def _installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def _encoding() -> tuple[Outcome, str]:
    if output.is_utf8():
        return Outcome.OK, "UTF-8"
    return Outcome.NOTE, f"{sys.stdout.encoding}: signs are shown in ASCII; set PYTHONUTF8=1 for all characters"
