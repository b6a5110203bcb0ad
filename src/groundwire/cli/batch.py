"""The command that checks a whole file of responses."""

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from groundwire.cli import inputs, options, output
from groundwire.errors import InputError

if TYPE_CHECKING:
    from groundwire.batch import BatchSummary

DONE, NOTHING_CHECKED = 0, 1
_REDRAW_SECONDS = 0.2
_LINE_SECONDS = 30.0  # between two lines where no terminal redraws one


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("batch")(batch)


def batch(
    source: Annotated[str, typer.Argument(metavar="IN", help="Rows to check: .jsonl, .csv or .parquet.")],
    out: Annotated[str, typer.Argument(metavar="OUT", help="Verdicts, a line a row: .jsonl or .parquet.")],
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="PART=COLUMN[,…]",
            help="Names of the columns for response, source, id, question, label and source_id.",
        ),
    ] = None,
    policy: options.PolicyFile = None,
    fail_on: options.FailOn = None,
    no_model: options.NoModel = False,
    atomic: Annotated[bool, typer.Option("--atomic", help="Split compound sentences into single claims.")] = False,
    top_k: Annotated[int, typer.Option("--top-k", min=0, metavar="N", help="Source sentences kept per claim.")] = 1,
    limit: Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="Check the first N rows.")] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, metavar="N", help="Check N rows drawn at random (see --seed).")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Which random rows --sample draws.")] = 0,
    processes: Annotated[
        int | None, typer.Option("--processes", min=1, metavar="N", help="Processes, or actors of Ray (all cores).")
    ] = None,
    block_rows: Annotated[
        int | None, typer.Option("--block-rows", min=1, metavar="N", help="Rows checked and kept together (128).")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an unfinished run.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace OUT, or an unfinished run.")] = False,
    engine: Annotated[str, typer.Option("--engine", metavar="NAME", help="local, or ray.")] = "local",
    ray_address: Annotated[
        str | None,
        typer.Option("--ray-address", metavar="ADDRESS", help="A Ray cluster; without it Ray runs on this machine."),
    ] = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> int:
    """Check every row of a file; a run that was killed goes on with --resume.

    Rows that cannot be checked are listed in OUT.bad.jsonl with line and reason, and stop nothing. OUT.meta.json tells
    policy, model and version. Exit status: 0 done, 1 no row could be checked, 2 usage or input error.
    """
    # Here: `--help` need not wait for it.
    from groundwire.batch import BatchOptions, Engine, Existing, ModelChoice, Task, parse_columns, run_batch
    from groundwire.batch.blocks import BLOCK_ROWS

    if resume and overwrite:
        raise typer.BadParameter("--resume and --overwrite exclude each other.")
    if quiet and as_json:
        raise typer.BadParameter("--quiet and --json exclude each other.")
    if inputs.STDIN in (source, out):
        raise InputError(
            "A batch reads and writes files.", why="it must be able to go on after a kill", fix="give file names"
        )
    if engine not in list(Engine):
        raise InputError(f"There is no engine {engine!r}.", fix=f"use {' or '.join(Engine)}")
    if ray_address is not None and engine != Engine.RAY:
        raise InputError("--ray-address was given without --engine ray.", fix="add --engine ray")
    model = None if no_model else ModelChoice()
    task = Task(inputs.read_policy(policy, fail_on), model, parse_columns(columns), atomic, top_k)
    summary = run_batch(
        source,
        out,
        BatchOptions(
            task=task,
            limit=limit,
            sample=sample,
            seed=seed,
            block_rows=block_rows or BLOCK_ROWS,
            processes=processes,
            existing=Existing.RESUME if resume else Existing.OVERWRITE if overwrite else Existing.REFUSE,
            engine=Engine(engine),
            ray_address=ray_address,
        ),
        progress=(lambda done, total, resumed: None) if quiet else show_progress(),
    )
    if as_json:
        output.write_json(
            {
                "out": summary.out,
                "rows": summary.rows,
                "bad_rows": summary.bad_rows,
                "bad_file": summary.bad_file,
                "resumed_rows": summary.resumed_rows,
                "policy_hash": summary.policy_hash,
                "model": None if summary.model is None else {"id": summary.model.id, "hash": summary.model.hash},
            }
        )
    elif not quiet:
        output.write(_words(summary))
    return DONE if summary.rows or not summary.bad_rows else NOTHING_CHECKED


def show_progress() -> Callable[[int, int, int], None]:
    """Return what tells rows, rate and time left: one line redrawn on a terminal, a line now and then elsewhere."""
    started = time.monotonic()
    drawn = started
    redraws = sys.stderr.isatty()

    def show(done: int, total: int, resumed: int) -> None:
        nonlocal drawn
        now = time.monotonic()
        if redraws and done >= total:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            return
        if now - drawn < (_REDRAW_SECONDS if redraws else _LINE_SECONDS):
            return
        drawn = now
        text = progress_text(done, total, resumed, now - started)
        sys.stderr.write(f"\r\x1b[K{text}" if redraws else f"groundwire: {text}\n")
        sys.stderr.flush()

    return show


def progress_text(done: int, total: int, resumed: int, seconds: float) -> str:
    """Say how far the work has come, how fast it goes and how long it will take."""
    fresh = done - resumed
    text = f"{done:,} of {total:,} rows ({done / max(1, total):.0%})"
    if fresh <= 0 or seconds <= 0:
        return text
    rate = fresh / seconds
    left = int((total - done) / rate)
    clock = f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02}" if left >= 3600 else f"{left // 60}:{left % 60:02}"
    return f"{text}, {rate:,.1f} rows a second, {clock} left"


def _words(summary: "BatchSummary") -> str:
    model = "none" if summary.model is None else f"{summary.model.id} {summary.model.hash[:12]}".rstrip()
    if summary.already_complete:
        return f"{summary.out}: complete already, {_rows(summary.rows)}"
    lines = [f"{summary.out}: {_rows(summary.rows)} checked"]
    if summary.resumed_rows:
        lines[0] += f", {summary.resumed_rows:,} of the rows by an earlier run"
    if summary.bad_rows:
        lines.append(f"{summary.bad_file}: {_rows(summary.bad_rows)} that could not be checked, with line and reason")
    lines.append(f"model: {model}, policy {summary.policy_hash[:12]}")
    return "\n".join(lines)


def _rows(count: int) -> str:
    return f"{count:,} row" if count == 1 else f"{count:,} rows"
