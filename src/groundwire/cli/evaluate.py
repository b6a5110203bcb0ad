"""The command that measures verdicts on labelled data."""

import json
from typing import Annotated

import typer

from groundwire import __version__
from groundwire.cli import inputs, options, output
from groundwire.nli.shipped import load_model


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("eval")(evaluate)


def evaluate(
    paths: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Labelled JSON lines, also .xz; '-' for standard input.")
    ],
    policy: options.PolicyFile = None,
    no_model: options.NoModel = False,
    skip_bad: options.SkipBad = False,
    dump: Annotated[
        str | None,
        typer.Option("--dump", metavar="FILE", help="Write one JSON line a row: verdicts, probabilities, time."),
    ] = None,
    html: options.Html = None,
    as_json: options.AsJson = False,
) -> int:
    """Measure how well supported and unsupported responses are told apart.

    A line of a FILE is a JSON object with premise (or source), claim (or response) and label: 1 when the source
    supports all of the response, 0 when not. spans (unsupported parts, as [start, end]), question and kind may be
    added. Exit status: 0 measured, 2 usage or input error.
    """
    from groundwire.evals import dump_line, judge_rows, mean, measure  # here: `--help` need not wait for it
    from groundwire.evals.view import view_of
    from groundwire.render.evaluation import render_evaluation_html, render_evaluation_terminal
    from groundwire.verify import VerifiedScorer

    inputs.refuse_two_readers_of_stdin(paths)
    chosen = inputs.read_policy(policy, None)
    # All files are read before the first is judged: a broken one is found now, not after minutes.
    datasets = [inputs.read_dataset(path, skip_bad=skip_bad) for path in paths]
    scorer = VerifiedScorer(load_model(no_model))
    measured = []
    for data in datasets:
        judged = judge_rows(data.rows, scorer, chosen, progress=output.progress(data.name))
        measured.append((measure(data.name, judged, chosen.grounded_threshold, data.bad), judged))
    model = "none" if scorer.model is None else f"{scorer.model.id} {scorer.model.hash[:12]}".rstrip()
    view = view_of(measured, f"Groundwire {__version__} · model: {model} · policy {chosen.hash[:12]}")
    used = [*paths, *([policy] if policy else [])]
    if dump is not None:
        lines = [json.dumps(dump_line(figures.name, item)) for figures, judged in measured for item in judged]
        output.write_file(dump, "\n".join(lines) + "\n", used)
        output.note(f"{len(lines):,} rows written to {dump}")
    if html is not None:
        output.write_file(html, render_evaluation_html(view), [*used, *([dump] if dump else [])])
        output.note(f"Report written to {html}")
    if as_json:
        figures = [item for item, _ in measured]
        output.write_json(
            {
                "files": [item.to_dict() for item in figures],
                "mean": mean(figures),
                "model": None if scorer.model is None else {"id": scorer.model.id, "hash": scorer.model.hash},
                "policy_hash": chosen.hash,
                "version": __version__,
            }
        )
    else:
        output.write(render_evaluation_terminal(view, unicode=output.is_utf8()))
    return 0
