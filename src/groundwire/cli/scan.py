"""The command that looks for injected instructions."""

from typing import Annotated, Any

import typer

from groundwire.cli import inputs, output
from groundwire.render.plain import visible
from groundwire.types import InjectionScan

CLEAN, FOUND = 0, 1
_LONGEST_QUOTE = 160


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("scan")(scan)


def scan(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH]...", help="Files or folders, '-' for standard input.")
    ] = None,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="A text to scan.")] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", metavar="SHARE", help="Score from which a text is reported (0.6).")
    ] = None,
    allow: Annotated[
        list[str] | None, typer.Option("--allow", metavar="PHRASE", help="A passage that is fine; may be repeated.")
    ] = None,
    silent_rule: Annotated[
        list[str] | None, typer.Option("--silent-rule", metavar="RULE", help="A rule to leave out; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing; the exit status is the answer.")] = False,
) -> int:
    """Look for injected instructions in texts, files and folders.

    Exit status: 0 nothing found, 1 an injection found, 2 usage or input error.
    """
    from groundwire.injection import InjectionDetector  # here: `--help` need not wait for it

    if quiet and as_json:
        raise typer.BadParameter("--quiet and --json exclude each other.")
    options: dict[str, Any] = {} if threshold is None else {"threshold": threshold}
    detector = InjectionDetector(**options, allow=allow or (), silent_rules=silent_rule or ())
    found = False
    entries: list[dict[str, Any]] = []
    for item in inputs.read_scanned(text, paths or ()):
        if item.text is None:
            entries.append({"name": item.name, "scanned": False, "why": item.why})
            if not (quiet or as_json):
                output.write(f"– {visible(item.name)}: not scanned, {item.why}")
            continue
        result = detector.scan(item.text)
        found = found or result.detected
        entries.append({"name": item.name, "scanned": True, **result.to_dict()})
        if not (quiet or as_json):
            _show(item.name, item.text, result)
    if as_json:
        output.write_json({"detected": found, "threshold": detector.threshold, "texts": entries})
    return FOUND if found else CLEAN


def _show(name: str, text: str, result: InjectionScan) -> None:
    sign, words = ("✗", "looks like an injection") if result.detected else ("✓", "no injection found")
    if not output.is_utf8():
        sign = "x" if result.detected else "+"
    output.write(f"{sign} {visible(name)}: {words}, score {result.score:.2f}")
    shown = result.findings if result.detected else ()
    for item in shown:
        detail = f" ({item.detail})" if item.detail else ""
        quote = text[item.start : min(item.end, item.start + _LONGEST_QUOTE)]
        output.write(f"  {item.start}-{item.end} {item.rule} {item.weight:.2f}: {item.meaning}{detail}")
        output.write(f"    {visible(quote)}{'…' if item.end - item.start > _LONGEST_QUOTE else ''}")
    for note in result.notes:
        output.write(f"  Note: {note}")
