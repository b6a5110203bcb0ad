"""Verify labelled rows and keep what the figures need."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from groundwire.evals.datasets import Row
from groundwire.types import Policy, Verdict, VerificationResult
from groundwire.verify import VerifiedScorer

_REFUSED = frozenset({Verdict.CONTRADICTED, Verdict.FABRICATED})


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """What was said of one claim of a response."""

    start: int
    end: int
    verdict: str
    confidence: float
    probability: float | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What one call said of one row, and how long it took."""

    row: Row
    probability: float | None
    grounded: bool | None
    approved: bool
    status: str
    claims: tuple[JudgedClaim, ...]
    spans: tuple[tuple[int, int], ...]
    milliseconds: float

    def score(self, threshold: float) -> float:
        """Return the probability; a response with nothing to check is not called grounded."""
        return math.nextafter(min(0.5, threshold), 0.0) if self.probability is None else self.probability


def judge_rows(
    rows: Sequence[Row],
    scorer: VerifiedScorer,
    policy: Policy,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Judged]:
    """Verify every row; `progress` hears how many of how many are done."""
    if rows:
        # Word lists and model are loaded on first use, which is no time of any row.
        scorer.verify(rows[0].response, rows[0].source, question=rows[0].question, policy=policy)
    judged = []
    for number, row in enumerate(rows, start=1):
        started = perf_counter()
        result = scorer.verify(row.response, row.source, question=row.question, policy=policy)
        judged.append(_judged(row, result, 1000 * (perf_counter() - started)))
        progress(number, len(rows))
    return judged


def _judged(row: Row, result: VerificationResult, milliseconds: float) -> Judged:
    return Judged(
        row=row,
        probability=result.support_probability,
        grounded=result.grounded,
        approved=result.approved,
        status=str(result.status),
        claims=tuple(
            JudgedClaim(
                item.start, item.end, str(item.verdict), item.confidence, item.support_probability, tuple(item.reasons)
            )
            for item in result.claims
        ),
        spans=_marked(result),
        milliseconds=milliseconds,
    )


def _marked(result: VerificationResult) -> tuple[tuple[int, int], ...]:
    spans: list[tuple[int, int]] = []
    for claim in result.claims:
        if claim.unsupported_spans:
            spans += [(start, end) for start, end in claim.unsupported_spans]
        elif claim.verdict in _REFUSED:
            spans.append((claim.start, claim.end))  # nothing in particular is wrong: all of it is
    return tuple(spans)
