"""The command that shows what a batch found."""

from pathlib import Path
from typing import Annotated

import typer

from groundwire.cli import options, output

SHOWN, TOO_FEW = 0, 1


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("report")(report)


def report(
    out: Annotated[str, typer.Argument(metavar="OUT", help="What groundwire batch wrote: .jsonl or .parquet.")],
    html: options.Html = None,
    markdown: Annotated[
        str | None, typer.Option("--markdown", metavar="FILE", help="Write Markdown, for a pull request.")
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", metavar="OUT", help="An earlier output: show the drift from it.")
    ] = None,
    min_approved: Annotated[
        float | None,
        typer.Option("--min-approved", min=0, max=1, metavar="SHARE", help="End with status 1 below this share."),
    ] = None,
    quiet: options.Quiet = False,
) -> int:
    """Show rates by verdict and source, the worst claims, calibration where rows have labels, and drift.

    Without --html and --markdown the Markdown goes to standard output. Exit status: 0 shown, 1 fewer rows
    approved than --min-approved, 2 usage or input error.
    """
    from groundwire.batch.figures import figures_of  # here: `--help` need not wait for it
    from groundwire.batch.output import Places, read_meta
    from groundwire.batch.results import read_results
    from groundwire.batch.view import view_of_run
    from groundwire.render.run import render_run_html, render_run_markdown

    before = None if against is None else (Path(against).name, figures_of(read_results(Path(against))))
    figures = figures_of(read_results(Path(out)))
    view = view_of_run(Path(out).name, figures, read_meta(Path(out)), before)
    used = [str(path) for name in (out, against) if name for path in (Path(name), *Places(Path(name)).beside)]
    if html is not None:
        output.write_file(html, render_run_html(view), used)
    if markdown is not None:
        output.write_file(markdown, render_run_markdown(view), used)
    for path in (html, markdown):
        if path is not None and not quiet:
            output.note(f"Report written to {path}")
    if html is None and markdown is None and not quiet:
        output.write(render_run_markdown(view).rstrip("\n"))
    # Without rows no share was reached.
    if min_approved is not None and (not figures.rows or figures.approved < min_approved * figures.rows):
        if not quiet:
            output.note(f"{figures.approved:,} of {figures.rows:,} rows are approved, fewer than {min_approved:.2%}")
        return TOO_FEW
    return SHOWN
