"""The commands over recorded runs: show, replay, emergent."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from groundwire.cli import output
from groundwire.cli.audit import NOT_STRICT, STRICT, show

if TYPE_CHECKING:
    from groundwire.audit import Replay, StoredRun

_Store = Annotated[str, typer.Argument(metavar="STORE", help="The record store written by 'audit --record'.")]
_Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
_Run = Annotated[int | None, typer.Option("--run", metavar="N", help="One run only.")]


def register(app: typer.Typer) -> None:
    """Add the group of commands to the app."""
    runs = typer.Typer(help="Read recorded runs.", no_args_is_help=True, rich_markup_mode=None)
    runs.command("show")(show_runs)
    runs.command("replay")(replay_runs)
    runs.command("emergent")(emergent)
    app.add_typer(runs, name="runs")


def show_runs(
    store: _Store,
    run: Annotated[int | None, typer.Argument(metavar="[RUN]", help="The number of a run; all without it.")] = None,
    as_json: _Json = False,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="Write a report page.")] = None,
) -> int:
    """List the recorded runs, or show one as it was decided.

    Exit status: 0 the run is STRICT or the list was shown, 1 not STRICT, 2 usage or input error.
    """
    from groundwire.audit import RunStore, run_dag  # here: `--help` need not wait for it
    from groundwire.audit.explain import explain_audit
    from groundwire.audit.results import audit_from_dict

    recorded = RunStore(store, create=False)
    if run is None:
        listed = [_line(item) for item in recorded.runs()]
        if as_json:
            output.write_json(listed)
        else:
            for line in listed:
                output.write(
                    f"{line['run_id']:>5}  {line['created_at']}  {line['audit_mode']:<10}  "
                    f"{line['mode']:<21}  {str(line['root'])[:16]}"
                )
        return STRICT
    stored = recorded.get(run)
    result = audit_from_dict(stored.run.result)
    view = explain_audit(result, stored.run.answer, context=stored.run.context, evidence_map=stored.run.evidence_map)
    if not as_json:
        output.write(f"run {stored.run_id} of {stored.created_at}")
        for name, value in sorted(run_dag(stored.run).nodes.items()):
            output.write(f"  {name:<18} {value}")
        output.write(f"  {'root':<18} {stored.root}")
        output.write("")
    show(view, result, as_json=as_json, html=html, quiet=False, inputs_used=[store])
    return STRICT if view.strict else NOT_STRICT


def replay_runs(
    store: _Store,
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="FILE", help="The new policy; the default one without it.")
    ] = None,
    run: _Run = None,
    record: Annotated[
        str | None, typer.Option("--record", metavar="FILE", help="Keep the new results in a record store.")
    ] = None,
    as_json: _Json = False,
) -> int:
    """Audit recorded answers again under another policy; no language model is asked.

    Exit status: 0 every run is STRICT now, 1 not, 2 usage or input error.
    """
    from groundwire.audit import AuditMode, AuditPolicy, RunStore, replay

    chosen = AuditPolicy() if policy is None else AuditPolicy.from_yaml(policy)
    recorded = RunStore(store, create=False)
    stored = list(recorded.runs()) if run is None else [recorded.get(run)]
    target = None if record is None else RunStore(record)
    replays = [replay(item, chosen) for item in stored]
    if target is not None:
        for item in replays:
            target.add(item.run)
    if as_json:
        output.write_json([_replayed(item) for item in replays])
    else:
        for item in replays:
            change = " ".join(["changed", *item.new_violations]) if item.changed else "same"
            output.write(f"{item.run_id:>5}  {item.before:<10} -> {item.after:<10}  {change}")
        output.write(f"{sum(item.changed for item in replays)} of {len(replays)} runs are decided otherwise")
    return STRICT if all(item.after == AuditMode.STRICT for item in replays) else NOT_STRICT


def emergent(
    store: _Store,
    min_count: Annotated[int, typer.Option("--min-count", min=1, metavar="N", help="Said at least so often.")] = 1,
    as_json: _Json = False,
) -> int:
    """List what answers keep saying that no source supports, most frequent first."""
    from groundwire.audit import RunStore, mine_emergent

    stored = RunStore(store, create=False).runs()
    records = mine_emergent(((str(item.run_id), item.run.result) for item in stored), min_count)
    if as_json:
        output.write_json([asdict(record) for record in records])
    else:
        for record in records:
            output.write(f"{record.count:>4}  {output.one_line(record.text)}  (runs {', '.join(record.run_ids)})")
    return STRICT


def _line(stored: "StoredRun") -> dict[str, object]:
    return {
        "run_id": stored.run_id,
        "created_at": stored.created_at,
        "mode": stored.run.mode,
        "audit_mode": stored.run.result["audit_mode"],
        "root": stored.root,
    }


def _replayed(item: "Replay") -> dict[str, object]:
    return {
        "run_id": item.run_id,
        "before": item.before,
        "after": item.after,
        "changed": item.changed,
        "new_violations": list(item.new_violations),
    }
