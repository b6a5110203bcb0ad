"""The command that lets an answer through while it is checked."""

from typing import TYPE_CHECKING, Annotated

import typer

from groundwire.cli import inputs, options, output
from groundwire.errors import InputError

if TYPE_CHECKING:
    from groundwire.stream import ClaimStream

COMPLETE, HALTED = 0, 3


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("stream")(stream)


def stream(
    source_paths: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE_FILE]...", help="The sources the answer may rest on.")
    ] = None,
    source: options.SourceTexts = None,
    source_file: options.SourceFiles = None,
    question: options.Question = None,
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            metavar="MODE",
            help="hold_sentence: show a sentence when it was checked; immediate: show text at once; "
            "buffered: show the answer when all of it was checked.",
        ),
    ] = "hold_sentence",
    policy: options.PolicyFile = None,
    fail_on: Annotated[
        str | None, typer.Option("--fail-on", metavar="VERDICT[,VERDICT]", help="Verdicts that stop the stream.")
    ] = None,
    min_certainty: Annotated[
        float,
        typer.Option("--min-certainty", metavar="SHARE", help="Stop only at clashes that are at least this sure."),
    ] = 0.0,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Report rejected claims and let the text through.")
    ] = False,
    events: Annotated[
        str | None, typer.Option("--events", metavar="FILE", help="Append safety events to a file of JSON lines.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print texts, claims and the end as JSON lines.")] = False,
    no_model: options.NoModel = False,
) -> int:
    """Let an answer from standard input through until a claim goes against the sources.

    Exit status: 0 let through, 2 usage or input error, 3 halted.
    """
    from groundwire.events import JsonlSink
    from groundwire.guard import suggest_corrections
    from groundwire.nli.shipped import load_model
    from groundwire.stream import ClaimStream
    from groundwire.stream.wire import end_event
    from groundwire.verify import VerifiedScorer

    paths = [*(source_paths or ()), *(source_file or ())]
    if inputs.STDIN in paths:
        raise InputError("A source was named '-'.", why="the answer is read from standard input", fix="use a file")
    chosen = inputs.read_policy(policy, fail_on)
    scorer = VerifiedScorer(load_model(no_model))
    prepared = scorer.prepare(inputs.read_sources(source or (), paths), policy=chosen)
    guarded = ClaimStream(
        prepared, policy=chosen, mode=mode, nli_scorer=scorer.nli_scorer, question=question, halt=not keep_going,
        min_certainty=min_certainty,
        sinks=[JsonlSink(events)] if events is not None else [],
    )  # fmt: skip
    read: list[str] = []
    claims, reported = 0, 0
    tokens = inputs.read_stream()
    for token in tokens:
        read.append(token)
        for text in guarded.push(token):
            _show(text, as_json)
        if guarded.session.halted:
            break
        claims, reported = _tell(guarded, claims, reported, as_json)
    for text in guarded.finish():
        _show(text, as_json)
    session = guarded.session
    if not as_json and session.tokens and not session.output.endswith("\n"):
        output.write_part("\n")
    _tell(guarded, claims, reported, as_json)
    if as_json:
        output.write_line(end_event(session))
        return HALTED if session.halted else COMPLETE
    if not session.halted:
        return COMPLETE
    output.note(f"halted: {session.halt_evidence}")
    for correction in suggest_corrections("".join(read), guarded.rejected, prepared, scorer):
        output.note(f"suggestion: {correction.diff}")
    return HALTED


def _show(text: str, as_json: bool) -> None:
    from groundwire.stream.wire import text_event

    if as_json:
        output.write_line(text_event(text))
    else:
        output.write_part(text)


def _tell(guarded: "ClaimStream", claims: int, reported: int, as_json: bool) -> tuple[int, int]:
    """Report the claims that came since the last time: all as JSON, the rejected ones to a person."""
    verdicts, rejected = guarded.verdicts, guarded.rejected
    if as_json:
        from groundwire.stream.wire import claim_event

        for verdict in verdicts[claims:]:
            output.write_line(claim_event(verdict, verdict in rejected))
    else:
        from groundwire.render.terminal import render_claim

        if rejected[reported:] and not guarded.session.end_time and not guarded.session.output.endswith("\n"):
            output.complain("")  # the answer goes on in the middle of a line
        for verdict in rejected[reported:]:
            output.complain(render_claim(verdict, width=output.terminal_width(), unicode=output.is_utf8()))
    return len(verdicts), len(rejected)
