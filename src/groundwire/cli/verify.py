"""The command that checks a response."""

from typing import Annotated

import typer

from groundwire.cli import inputs, options, output
from groundwire.nli.shipped import load_model

APPROVED, NOT_APPROVED = 0, 1


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("verify")(verify)


def verify(
    response_path: Annotated[
        str | None, typer.Argument(metavar="[RESPONSE_FILE]", help="The response, '-' for standard input.")
    ] = None,
    source_paths: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE_FILE]...", help="The sources it may rest on.")
    ] = None,
    response: Annotated[str | None, typer.Option("--response", metavar="TEXT", help="The response as text.")] = None,
    source: Annotated[
        list[str] | None, typer.Option("--source", metavar="TEXT", help="A source as text; may be repeated.")
    ] = None,
    response_file: Annotated[
        str | None, typer.Option("--response-file", metavar="PATH", help="The response, '-' for standard input.")
    ] = None,
    source_file: Annotated[
        list[str] | None,
        typer.Option("--source-file", metavar="PATH", help="A source, '-' for standard input; may be repeated."),
    ] = None,
    question: Annotated[
        str | None, typer.Option("--question", metavar="TEXT", help="The question; completes answers like '30 days.'")
    ] = None,
    atomic: Annotated[bool, typer.Option("--atomic", help="Split compound sentences into single claims.")] = False,
    top_k: Annotated[int, typer.Option("--top-k", min=0, metavar="N", help="Source sentences kept per claim.")] = 3,
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="FILE", help="Thresholds and switches as a YAML file.")
    ] = None,
    fail_on: options.FailOn = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="Write a report page.")] = None,
    no_model: options.NoModel = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing; the exit status is the answer.")] = False,
) -> int:
    """Check each claim of a response against its sources.

    Exit status: 0 approved, 1 not approved, 2 usage or input error.
    """
    from groundwire.verify import VerifiedScorer  # here: `--help` need not wait for it

    if quiet and as_json:
        raise typer.BadParameter("--quiet and --json exclude each other.")
    responses = [path for path in (response_path, response_file) if path is not None]
    sources = [*(source_paths or ()), *(source_file or ())]
    inputs.refuse_two_readers_of_stdin([*responses, *sources])
    chosen = inputs.read_policy(policy, fail_on)
    response_text = inputs.read_response(response, responses)
    source_texts = inputs.read_sources(source or (), sources)
    scorer = VerifiedScorer(load_model(no_model))
    result = scorer.verify(response_text, source_texts, atomic, top_k, question=question, policy=chosen)
    if html is not None:
        from groundwire.render.html import render_html

        report = render_html(result, response_text, source_texts, question=question)
        output.write_file(html, report, [*responses, *sources, *([policy] if policy else [])])
    if as_json:
        output.write_json(result.to_dict())
    elif not quiet:
        from groundwire.render.terminal import render_terminal

        width, colour = output.terminal_width(), output.wants_colour()
        output.write(render_terminal(result, width=width, colour=colour, unicode=output.is_utf8()))
    if html is not None and not quiet:
        output.note(f"Report written to {html}")
    return APPROVED if result.approved else NOT_APPROVED
