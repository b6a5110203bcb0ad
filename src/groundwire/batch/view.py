"""Put the figures of a run into the words and tables that a person is shown."""

from collections.abc import Mapping
from typing import Any

from groundwire.batch.compare import Comparison
from groundwire.batch.figures import RunFigures, WorstClaim, stability_index
from groundwire.render.evaluation import MeasuredBin, MeasuredFigure
from groundwire.render.run import RunClaim, RunTable, RunView
from groundwire.render.words import reason_label, status_note, verdict_words
from groundwire.types import Status

_LONGEST_TEXT = 1_000
_MOST_REASONS = 12


def view_of_run(
    name: str, figures: RunFigures, meta: Mapping[str, Any], before: tuple[str, RunFigures] | None = None
) -> RunView:
    """Return what is shown of a run, and of its drift from an earlier one."""
    tables = [_verdicts(figures), *([_reasons(figures)] if figures.reasons else [])]
    tables += [_sources(figures)] if figures.sources else []
    tables += [_drift(before[0], before[1], figures)] if before else []
    return RunView(
        name=name,
        lead=f"{figures.approved:,} of {figures.rows:,} rows approved ({_share(figures.approved, figures.rows)}).",
        notes=tuple(_notes(figures, meta)),
        figures=tuple(_figures(figures)),
        tables=tuple(tables),
        bins=tuple(
            MeasuredBin(item.score, item.supported, item.rows)
            for item in (figures.labelled.reliability if figures.labelled else ())
        ),
        worst=tuple(map(_claim, figures.worst)),
        footer=_footer(meta),
    )


def comparison_lines(first: str, second: str, found: Comparison) -> list[str]:
    """Say in a few lines what changed between two runs."""
    width = max(len(first), len(second))
    lines = [
        f"{found.measure} of {found.rows:,} rows in both",
        f"  {first:<{width}}  {found.first_rate:.4f}",
        f"  {second:<{width}}  {found.second_rate:.4f}",
        f"changed      {found.lost:,} lost, {found.gained:,} gained",
        f"McNemar      p = {found.p_value:.4g} ({'significant' if found.significant else 'no significant difference'}"
        f" at {found.alpha:g})",
    ]
    if found.probability is not None:
        low, high = found.probability.low, found.probability.high
        lines.append(f"probability  {found.probability.mean:+.4f} on average ({low:+.4f} to {high:+.4f})")
    alone = [(first, found.only_in_first), (second, found.only_in_second)]
    lines += [f"Note: {count:,} rows are only in {name}, and were not compared" for name, count in alone if count]
    for item in found.changed:
        lines.append(f"  {item.key}: {'approved now' if item.approved else 'refused now'}")
    if found.changed_count > len(found.changed):
        lines.append(f"  and {found.changed_count - len(found.changed):,} more")
    lines.append("worse" if found.worse else "not worse")
    return lines


def _figures(figures: RunFigures) -> list[MeasuredFigure]:
    claims = sum(figures.claims.values())
    lines = [
        MeasuredFigure("rows", f"{figures.rows:,}"),
        MeasuredFigure("approved", _share(figures.approved, figures.rows), f"{figures.approved:,} rows"),
        MeasuredFigure("claims", f"{claims:,}", f"{claims / figures.rows:.1f} a row" if figures.rows else ""),
        MeasuredFigure("mean support probability", _number(figures.mean_probability)),
    ]
    labelled = figures.labelled
    if labelled is not None:
        lines += [
            MeasuredFigure("rows with a label", f"{labelled.rows:,}", f"{labelled.supported:,} supported"),
            MeasuredFigure("approval agrees with the label", f"{labelled.approval_right:.1%}"),
            MeasuredFigure("balanced accuracy", _number(labelled.balanced_accuracy), "of the probability at 0.5"),
            MeasuredFigure("AUC", _number(labelled.auc)),
            MeasuredFigure("calibration error", _number(labelled.calibration_error)),
        ]
    return lines


def _notes(figures: RunFigures, meta: Mapping[str, Any]) -> list[str]:
    notes = []
    if bad := meta.get("bad_rows"):
        notes.append(f"{bad:,} rows could not be checked and count nowhere; the side file lists them.")
    notes += [
        f"{count:,} rows: {status_note(status)}"
        for status, count in figures.statuses.items()
        if status != Status.CHECKED
    ]
    if figures.source_count is None:
        notes.append("There are too many sources to count them one by one: only the first ones are.")
    return notes


def _verdicts(figures: RunFigures) -> RunTable:
    whole = sum(figures.claims.values())
    return RunTable(
        "Claims by verdict",
        ("verdict", "claims", "share"),
        tuple(
            (verdict_words(name).label, f"{count:,}", _share(count, whole)) for name, count in figures.claims.items()
        ),
    )


def _reasons(figures: RunFigures) -> RunTable:
    shown = list(figures.reasons.items())[:_MOST_REASONS]
    return RunTable("Reasons", ("reason", "claims"), tuple((reason_label(name), f"{count:,}") for name, count in shown))


def _sources(figures: RunFigures) -> RunTable:
    count = "many" if figures.source_count is None else f"{figures.source_count:,}"
    return RunTable(
        "Sources with the most refused rows",
        ("source", "rows", "refused", "share"),
        tuple(
            (item.source_id, f"{item.rows:,}", f"{item.refused:,}", _share(item.refused, item.rows))
            for item in figures.sources
        ),
        f"There are {count} sources; one without a name of its own is named by its hash.",
    )


def _drift(name: str, before: RunFigures, now: RunFigures) -> RunTable:
    rows = [("approved", _ratio(before.approved, before.rows), _ratio(now.approved, now.rows))]
    whole = sum(before.claims.values()), sum(now.claims.values())
    for verdict in now.claims:
        shares = _ratio(before.claims.get(verdict, 0), whole[0]), _ratio(now.claims[verdict], whole[1])
        rows.append((f"claims {verdict_words(verdict).label.lower()}", *shares))
    index = stability_index(before.probabilities, now.probabilities)
    shifted = "not measured" if index is None else f"{index:.3f}"
    return RunTable(
        "Drift",
        ("share", name, "now", "difference"),
        tuple(
            (what, _percent(a), _percent(b), "–" if a is None or b is None else f"{b - a:+.1%}") for what, a, b in rows
        ),
        f"Population stability index of the support probability: {shifted} (below 0.1 stable, above 0.25 shifted). "
        "groundwire compare tests whether a difference is chance.",
    )


def _claim(claim: WorstClaim) -> RunClaim:
    where = f"line {claim.line}" if claim.id is None else f"line {claim.line}, id {claim.id}"
    return RunClaim(where, claim.verdict, claim.confidence, _cut(claim.text), claim.reasons, _cut(claim.evidence))


def _footer(meta: Mapping[str, Any]) -> str:
    model = meta.get("model")
    told = "none" if not isinstance(model, dict) else f"{model.get('id')} {str(model.get('hash'))[:12]}".rstrip()
    policy = str(meta.get("policy_hash"))[:12]
    return f"Groundwire {meta.get('version')} · model: {told} · policy {policy} · input {_input(meta)}"


def _input(meta: Mapping[str, Any]) -> str:
    given = meta.get("input")
    return f"{given.get('name')} {str(given.get('sha256'))[:12]}" if isinstance(given, dict) else "unknown"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]} …"


def _share(count: int, whole: int) -> str:
    return _percent(_ratio(count, whole))


def _ratio(count: int, whole: int) -> float | None:
    return count / whole if whole else None


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
