"""The command that tells whether one batch is worse than another."""

from pathlib import Path
from typing import Annotated

import typer

from groundwire.cli import options, output
from groundwire.render.plain import visible

FINE, WORSE = 0, 1


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("compare")(compare)


def compare(
    first: Annotated[str, typer.Argument(metavar="A", help="The output to compare with.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The output that may be worse.")],
    fail_if_worse: Annotated[
        bool, typer.Option("--fail-if-worse", help="End with status 1 when B is significantly worse, for CI.")
    ] = False,
    alpha: Annotated[
        float, typer.Option("--alpha", metavar="P", help="How rare chance must be to count as a difference.")
    ] = 0.05,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> int:
    """Compare two outputs of groundwire batch over the same rows, with a significance test.

    With labels the share of right approvals is compared, without them the share of approvals (McNemar's exact test);
    the change of the support probability has a paired bootstrap interval. Exit status: 0, or 1 when B is worse and
    --fail-if-worse was given, 2 usage or input error.
    """
    from groundwire.batch.compare import compare_runs  # here: `--help` need not wait for it
    from groundwire.batch.results import read_results
    from groundwire.batch.view import comparison_lines

    if quiet and as_json:
        raise typer.BadParameter("--quiet and --json exclude each other.")
    found = compare_runs(read_results(Path(first)), read_results(Path(second)), alpha=alpha)
    if as_json:
        output.write_json(found.to_dict())
    elif not quiet:
        output.write("\n".join(map(visible, comparison_lines(first, second, found))))
    return WORSE if fail_if_worse and found.worse else FINE
