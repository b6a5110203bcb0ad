"""Count what a batch found: rates by verdict and source, the worst claims, calibration, drift."""

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundwire.evals import metrics
from groundwire.types import Verdict

WORST = 20
_BINS = 10
# More sources than this are not told apart: the table would not fit a memory, nor a page.
_MOST_SOURCES = 200_000
_RANK = {Verdict.CONTRADICTED: 0, Verdict.FABRICATED: 0, Verdict.UNVERIFIABLE: 1, Verdict.SUPPORTED: 2}


@dataclass(frozen=True, slots=True)
class SourceFigures:
    """The rows that rest on one source."""

    source_id: str
    rows: int
    refused: int


@dataclass(frozen=True, slots=True)
class WorstClaim:
    """A claim that stands out, and where it stands."""

    line: int
    id: str | None
    verdict: str
    confidence: float
    text: str
    reasons: tuple[str, ...]
    evidence: str


@dataclass(frozen=True, slots=True)
class LabelledFigures:
    """How verdicts and labels agree; None where a class is missing."""

    rows: int
    supported: int
    approval_right: float
    balanced_accuracy: float | None
    auc: float | None
    calibration_error: float | None
    reliability: tuple[metrics.Bin, ...]


@dataclass(frozen=True, slots=True)
class RunFigures:
    """Everything that is told of one run."""

    rows: int
    approved: int
    claims: Mapping[str, int]
    statuses: Mapping[str, int]
    reasons: Mapping[str, int]
    probabilities: tuple[int, ...]  # rows by tenths of the support probability
    mean_probability: float | None
    source_count: int | None  # None: too many to count
    sources: tuple[SourceFigures, ...]
    worst: tuple[WorstClaim, ...]
    labelled: LabelledFigures | None


def figures_of(rows: Iterable[Mapping[str, Any]], *, worst: int = WORST) -> RunFigures:
    """Count all rows in one pass."""
    claims: Counter[str] = Counter({str(verdict): 0 for verdict in Verdict})
    statuses: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    sources: dict[str, list[int]] = {}
    bins = [0] * _BINS
    labels: list[int] = []
    scores: list[float] = []
    right = count = approved = measured = 0
    total = 0.0
    heap: list[tuple[tuple[float, ...], WorstClaim]] = []
    for row in rows:
        count += 1
        approved += bool(row["approved"])
        statuses[str(row["status"])] += 1
        if len(sources) < _MOST_SOURCES or row["source_id"] in sources:
            entry = sources.setdefault(row["source_id"], [0, 0])
            entry[0] += 1
            entry[1] += not row["approved"]
        probability = row["support_probability"]
        if probability is not None:
            bins[min(_BINS - 1, int(probability * _BINS))] += 1
            total += probability
            measured += 1
        if row.get("label") is not None:
            labels.append(row["label"])
            # A row with nothing to check is not called supported, as in `groundwire eval`.
            scores.append(math.nextafter(0.5, 0.0) if probability is None else probability)
            right += bool(row["approved"]) == bool(row["label"])
        for place, claim in enumerate(row["claims"]):
            claims[claim["verdict"]] += 1
            reasons.update(claim["reasons"])
            _keep_worst(heap, worst, row, place, claim)
    return RunFigures(
        rows=count,
        approved=approved,
        claims=dict(claims),
        statuses=dict(statuses.most_common()),
        reasons=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        probabilities=tuple(bins),
        mean_probability=total / measured if measured else None,
        source_count=len(sources) if len(sources) < _MOST_SOURCES else None,
        sources=_worst_sources(sources),
        worst=tuple(item for _, item in sorted(heap, key=lambda entry: entry[0], reverse=True)),
        labelled=_labelled(labels, scores, right),
    )


def stability_index(first: Sequence[int], second: Sequence[int]) -> float | None:
    """Return the population stability index of two counts over the same bins; None when one is empty.

    Below 0.1 is commonly read as stable, above 0.25 as a shift.
    """
    if not sum(first) or not sum(second):
        return None
    index = 0.0
    for a, b in zip(first, second, strict=True):
        # Half a row more in each bin: an empty one would make the index infinite.
        one, two = (a + 0.5) / (sum(first) + 0.5 * len(first)), (b + 0.5) / (sum(second) + 0.5 * len(second))
        index += (two - one) * math.log(two / one)
    return index


def _keep_worst(
    heap: list[tuple[tuple[float, ...], WorstClaim]], most: int, row: Mapping[str, Any], place: int, claim: Any
) -> None:
    if _RANK.get(claim["verdict"], 1):
        return
    probability = 0.5 if claim["support_probability"] is None else claim["support_probability"]
    # The surest first; among equals the one that comes first, so that every machine shows the same.
    key = (claim["confidence"], -probability, -row["line"], -place)
    if len(heap) >= most and key <= heap[0][0]:
        return
    found = WorstClaim(
        row["line"],
        row.get("id"),
        claim["verdict"],
        claim["confidence"],
        claim["text"],
        tuple(claim["reasons"]),
        claim["evidence"][0]["text"] if claim["evidence"] else "",
    )
    (heapq.heappushpop if len(heap) >= most else heapq.heappush)(heap, (key, found))


def _worst_sources(sources: Mapping[str, Sequence[int]]) -> tuple[SourceFigures, ...]:
    if all(rows == 1 for rows, _ in sources.values()):
        return ()  # then a source says no more than its row
    order = heapq.nsmallest(WORST, sources.items(), key=lambda item: (-item[1][1], -item[1][0], item[0]))
    return tuple(SourceFigures(name, rows, refused) for name, (rows, refused) in order if refused)


def _labelled(labels: list[int], scores: list[float], right: int) -> LabelledFigures | None:
    if not labels:
        return None
    return LabelledFigures(
        len(labels),
        sum(labels),
        right / len(labels),
        metrics.balanced_accuracy(labels, scores),
        metrics.auc(labels, scores),
        metrics.calibration_error(labels, scores),
        tuple(metrics.reliability_bins(labels, scores)),
    )
