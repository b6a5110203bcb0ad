"""Signal 1: divergence from a model, or from overlap and conflicts."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from groundwire.evidence import Evidence, SourceIndex
from groundwire.evidence.windows import pack_window, window_text
from groundwire.nli import NLI, DivergenceScorer
from groundwire.nli.base import Entailment, Reading, WindowReader
from groundwire.signals.claim import ClaimView
from groundwire.signals.finding import Finding
from groundwire.signals.frame import told_around
from groundwire.text.bounds import Bound
from groundwire.types import Policy, Reason

# Missing words alone never vote to contradict; a found conflict always does.
_OVERLAP_CEILING = 0.65
_CONFLICT_FLOOR = 0.80
_MODEL_CONFLICT_FLOOR = 0.66
# How sure of entailment a model must be to be heard against a clash, and the frame in which it is not heard.
_SURE = 0.85
_TIGHT = 0.7
_FAINT = 1e-4


def overlap_divergence(coverage: float) -> float:
    """Estimate the divergence from the share of words found."""
    return min(1.0 - coverage, _OVERLAP_CEILING)


def with_conflict(divergence: float, coverage: float, from_model: bool) -> float:
    """Raise a divergence to the floor that a found conflict demands."""
    if from_model:
        return max(divergence, _MODEL_CONFLICT_FLOOR)
    return max(_CONFLICT_FLOOR, 1.0 - coverage)


def second_opinion(
    findings: tuple[Finding, ...], view: ClaimView, index: SourceIndex, reading: Reading | None
) -> tuple[Finding, ...]:
    """Doubt the clashes with loosely worded evidence that a sure model does not see.

    Where sentences say the rest of the claim word for word the exact checks
    are right and a small model is blind; in a paraphrase it is the other way round.
    A number without any counterpart is never argued away, nor is a limit: that is where mistakes hurt.
    """
    if reading is None or reading.entailment.entailment < _SURE:
        return findings
    return tuple(
        finding._replace(hard=False)
        if finding.hard and not _beyond_doubt(finding, view) and told_around(finding, view, index) < _TIGHT
        else finding
        for finding in findings
    )


def _beyond_doubt(finding: Finding, view: ClaimView) -> bool:
    if finding.reason == Reason.NUMBER_ABSENT:
        return True
    return any(
        quantity.bound != Bound.EXACT and quantity.start < finding.claim_end and quantity.end > finding.claim_start
        for quantity in view.analysis.quantities
    )


def index_keys(view: ClaimView) -> tuple[str, ...]:
    """List a claim's stems and numbers as the index knows them."""
    return (*view.stems, *(f"#{digits}" for digits in sorted(view.digits)))


class Divergences:
    """What a model says of every claim, from one batched call.

    A model that counts tokens reads a window of packed sentences per claim, and again the nearest of
    them alone: two looks err less than one. Any other scorer is asked about each candidate sentence.
    """

    def __init__(
        self, views: Sequence[ClaimView], candidates: Sequence[Sequence[Evidence]], index: SourceIndex,
        nli: NLI | DivergenceScorer, policy: Policy,
    ) -> None:  # fmt: skip
        self._values: dict[tuple[int, int], float] = {}
        self._readings: dict[int, Reading] = {}
        self.windowed = isinstance(nli, WindowReader) and nli.count_tokens("") is not None
        if self.windowed and isinstance(nli, WindowReader):
            self._read_windows(views, candidates, index, nli, policy)
        else:
            self._score_sentences(views, candidates, nli)

    def _read_windows(
        self, views: Sequence[ClaimView], candidates: Sequence[Sequence[Evidence]], index: SourceIndex,
        nli: WindowReader, policy: Policy,
    ) -> None:  # fmt: skip
        count = cache(lambda text: nli.count_tokens(text) or 0)
        numbers = [number for number, items in enumerate(candidates) if items]
        windows: dict[int, tuple[Evidence, ...]] = {}
        pairs: list[tuple[str, str]] = []
        owners: list[int] = []
        for number in numbers:
            items, keys, claim = candidates[number], index_keys(views[number]), views[number].claim.text
            windows[number] = pack_window(index, items, keys, policy.window_tokens, count)
            near = pack_window(index, items, keys, policy.near_tokens, count) if policy.near_tokens else ()
            # A short source looks the same from near.
            looks = dict.fromkeys(window_text(window) for window in (windows[number], near) if window)
            pairs += [(look, claim) for look in looks]
            owners += [number] * len(looks)
        readings = nli.read(pairs) if pairs else []
        for number, reading in zip(owners, readings, strict=True):
            first = self._readings.get(number)
            self._readings[number] = reading if first is None else joined(first, reading)
        for number, window in windows.items():
            for item in window:
                self._values[number, item.index] = unit_range(self._readings[number].entailment.divergence)

    def _score_sentences(
        self, views: Sequence[ClaimView], candidates: Sequence[Sequence[Evidence]], nli: NLI | DivergenceScorer
    ) -> None:
        keys = [(number, item.index) for number, items in enumerate(candidates) for item in items]
        pairs = [(item.text, views[number].claim.text) for number, items in enumerate(candidates) for item in items]
        if isinstance(nli, NLI):
            values = [entry.divergence for entry in nli.probabilities(pairs)] if pairs else []
        else:
            values = [nli.score(premise, hypothesis) for premise, hypothesis in pairs]
        self._values = dict(zip(keys, (unit_range(value) for value in values), strict=True))

    def of(self, number: int, item: Evidence) -> float | None:
        """Look up the divergence of a claim against a sentence, None when the model did not read it."""
        return self._values.get((number, item.index))

    def reading(self, number: int) -> Reading | None:
        """Return what the model said of a claim's window, None when it read sentences."""
        return self._readings.get(number)


def joined(window: Reading, near: Reading) -> Reading:
    """Join two looks at the evidence of one claim: the mean of what they say, on the scale of log odds."""
    # A rounded zero must not decide alone.
    logs = [
        0.5 * (math.log(max(one, _FAINT)) + math.log(max(other, _FAINT)))
        for one, other in zip(window.entailment, near.entailment, strict=True)
    ]
    shares = [math.exp(value) for value in logs]
    return replace(window, entailment=Entailment(*(value / sum(shares) for value in shares)))


def unit_range(value: float) -> float:
    """Bring a scorer's answer into 0..1."""
    # A scorer that answers NaN has said nothing: the middle casts no vote.
    if value != value:
        return 0.5
    return min(1.0, max(0.0, float(value)))
