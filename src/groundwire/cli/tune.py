"""The command that chooses a threshold for a wanted rate of false alarms."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from groundwire.cli import inputs, options, output
from groundwire.errors import InputError
from groundwire.nli.shipped import load_model

if TYPE_CHECKING:
    from groundwire.evals import Tuning


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("tune")(tune_threshold)


def tune_threshold(
    path: Annotated[str, typer.Argument(metavar="FILE", help="Labelled JSON lines, also .xz; '-' for standard input.")],
    false_alarms: Annotated[
        float,
        typer.Option("--false-alarms", metavar="SHARE", help="The share of supported responses that may be refused."),
    ] = 0.05,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Write the tuned policy as YAML for --policy.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing --out file.")] = False,
    policy: options.PolicyFile = None,
    no_model: options.NoModel = False,
    skip_bad: options.SkipBad = False,
    as_json: options.AsJson = False,
) -> int:
    """Choose the threshold that refuses at most the wanted share of supported responses.

    The guarantee is split-conformal: it holds for any number of rows, for responses that are exchangeable with the
    labelled ones. Exit status: 0 tuned, 2 usage or input error.
    """
    from groundwire.evals import judge_rows, policy_text, tune, tuned_policy  # here: `--help` need not wait for it
    from groundwire.evals.datasets import describe_bad
    from groundwire.evals.tune import conformal_rank
    from groundwire.verify import VerifiedScorer

    if out is not None and not overwrite and os.path.lexists(out):
        raise InputError(f"{out!r} exists already.", fix="choose another name, or add --overwrite")
    base = inputs.read_policy(policy, None)
    data = inputs.read_dataset(path, skip_bad=skip_bad)
    conformal_rank(data.supported, false_alarms)  # too few rows are said before minutes of work
    scorer = VerifiedScorer(load_model(no_model))
    tuning = tune(judge_rows(data.rows, scorer, base, progress=output.progress(data.name)), false_alarms)
    tuned = tuned_policy(base, tuning)
    if data.bad:
        output.note(f"{data.name}: left out {describe_bad(data.bad)}")
    if out is not None:
        output.write_file(out, policy_text(tuned, tuning, scorer.model), [path, *([policy] if policy else [])])
    if as_json:
        output.write_json({**tuning.to_dict(), "policy": tuned.to_dict(), "policy_hash": tuned.hash})
    else:
        output.write("\n".join(_words(tuning)))
    if out is not None:
        output.note(f"Policy written to {out}; use it with: groundwire verify --policy {out}")
    return 0


def _words(tuning: "Tuning") -> list[str]:
    from groundwire.evals.tune import SURE

    found = tuning.flagged_unsupported / tuning.unsupported_rows if tuning.unsupported_rows else None
    lines = [
        f"threshold         {tuning.threshold:.4f}",
        f"supported rows    {tuning.supported_rows:,}, of which {tuning.flagged_supported:,} lie below it",
        f"unsupported rows  {tuning.unsupported_rows:,}, of which {tuning.flagged_unsupported:,} lie below it"
        + (f" ({found:.1%} found)" if found is not None else ""),
        f"guarantee         on average at most {tuning.guarantee:.2%} false alarms on supported responses like these",
        f"this threshold    below {tuning.likely_below:.2%} false alarms with a confidence of {SURE:.0%}",
    ]
    if tuning.nothing_to_check:
        lines.append(
            f"left out          {tuning.nothing_to_check:,} rows with nothing to check: they are never refused"
        )
    return lines
