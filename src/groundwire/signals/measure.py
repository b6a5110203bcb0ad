"""Measure the five signals of all claims, with one call of the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from groundwire.evidence import Evidence, SourceIndex
from groundwire.nli import NLI, DivergenceScorer
from groundwire.nli.base import Reading
from groundwire.signals.choose import FRAME, CloseReading, choose, read_closely
from groundwire.signals.claim import ClaimView
from groundwire.signals.entailment import Divergences, overlap_divergence, second_opinion, unit_range, with_conflict
from groundwire.signals.finding import Finding
from groundwire.signals.frame import within_frame
from groundwire.signals.names import Aliases, alias_table, compare_names
from groundwire.signals.numbers import compare_numbers, match_numbers
from groundwire.text.coverage import covered, share, union
from groundwire.text.language import tell_languages
from groundwire.text.lexicon import load_words
from groundwire.text.meaning import against, is_specific
from groundwire.text.tokens import stem
from groundwire.types import Policy, Reason

# Words alone cannot tell a paraphrase from an invention: with fewer of them found, nobody can say.
_TRACED = 0.7
_SHARED_VOCABULARY = 0.5
_WIDE_READ = 5
_NUMBER_CLASHES = frozenset({Reason.NUMBER_MISMATCH, Reason.NUMBER_ABSENT, Reason.UNIT_MISMATCH, Reason.DATE_MISMATCH})
_POLARITY_CLASHES = frozenset({Reason.NEGATION_FLIP, Reason.ANTONYM})
_UNION = 3


@dataclass(frozen=True, slots=True)
class Span:
    """One evidence sentence with what was measured of it."""

    evidence: Evidence
    divergence: float
    entity_match: float
    numerical_match: bool | None


@dataclass(frozen=True, slots=True)
class Signals:
    """The five values of one claim, and the clashes behind them."""

    divergence: float | None
    entity_match: float
    entity_vote: int
    numerical_match: bool | None
    negation_flip: bool
    traceability: float | None
    coverage: float
    findings: tuple[Finding, ...]
    matched: Evidence | None
    spans: tuple[Span, ...]
    derived: bool = False  # a number follows from two of the source
    foreign: bool = False  # the sources are written in another language than the claim
    candidates: tuple[Evidence, ...] = ()  # as the index found them, best first
    # As traceability, with names and opposites understood; None when a model finds the claim entailed.
    traced: float | None = None
    reading: Reading | None = None  # what a model said of the claim's window

    @property
    def hard(self) -> bool:
        """Tell whether a hard conflict was found."""
        return any(finding.hard and finding.reason != Reason.NUMBER_ABSENT for finding in self.findings)

    @property
    def soft(self) -> bool:
        """Tell whether a conflict forbids support without contradicting."""
        return any(not finding.hard for finding in self.findings)

    @property
    def thin(self) -> bool:
        """Tell whether too much of the claim's wording occurs nowhere in the sources."""
        return self.traced is not None and self.traced < _TRACED

    @property
    def absent(self) -> bool:
        """Tell whether a number has no counterpart of its kind."""
        return any(finding.hard and finding.reason == Reason.NUMBER_ABSENT for finding in self.findings)


def measure(
    views: Sequence[ClaimView], index: SourceIndex, nli: NLI | DivergenceScorer | None, policy: Policy, top_k: int = 3
) -> list[Signals]:
    """Measure all claims against the index."""
    candidates = [candidates_for(view, index, policy, top_k) for view in views]
    model = Divergences(views, candidates, index, nli, policy) if nli is not None else None
    return [
        _measure_one(number, view, items, index, model, policy, top_k)
        for number, (view, items) in enumerate(zip(views, candidates, strict=True))
    ]


def candidates_for(view: ClaimView, index: SourceIndex, policy: Policy, top_k: int) -> list[Evidence]:
    """Pick the sentences that may bear on a claim, best first."""
    keys = (*view.stems, *sorted(view.lead - set(view.stems)))
    return index.select(keys, sorted(view.digits), max(policy.candidates, top_k), at_least=max(top_k, 1))


def _measure_one(
    number: int, view: ClaimView, items: list[Evidence], index: SourceIndex,
    model: Divergences | None, policy: Policy, top_k: int,
) -> Signals:  # fmt: skip
    trace = index.traceability(view.stems)
    if not items:
        return Signals(None, 1.0, 0, None, False, 0.0 if view.stems else None, 0.0, (), None, ())
    aliases = alias_table(policy, index)
    reading = model.reading(number) if model is not None else None
    if model is None or model.windowed:
        # One value for a whole window cannot say which of its sentences decides.
        best, ranked, near = choose(view, items, index, policy, aliases)
    else:
        ranked = sorted(items, key=lambda item: (_divergence_of(model, number, view, item), item.index))
        best, near = read_closely(view, ranked[0], index, aliases), 1
    numbers = compare_numbers(view, _bearing(view, ranked, near), policy, index)
    if (numbers.match is not True or numbers.findings) and near < _WIDE_READ and trace is not None and trace >= FRAME:
        # Before a number is called wrong or missing, more of the source is looked through.
        numbers = compare_numbers(view, _bearing(view, ranked, _WIDE_READ), policy, index)
    coverage = _coverage(view, best.evidence, ranked)
    clashes = within_frame(best.findings + numbers.findings, view, index)
    findings = second_opinion(clashes, view, index, reading)
    hard = any(finding.hard and finding.reason != Reason.NUMBER_ABSENT for finding in findings)
    # A clash that is only a doubt forbids support, but casts no vote of its own.
    sure = {finding.reason for finding in clashes if finding.hard}
    match = None if numbers.match is False and sure.isdisjoint(_NUMBER_CLASHES) else numbers.match
    flip = best.flip and not sure.isdisjoint(_POLARITY_CLASHES)
    divergence = overlap_divergence(coverage)
    if model is not None:
        divergence = (
            unit_range(reading.entailment.divergence) if reading else _divergence_of(model, number, view, best.evidence)
        )
    entailed = reading is not None and divergence < policy.support_threshold
    if reading is not None and best.confirmed and not findings:
        # What was recognised exactly is not for a model to deny: it then casts no vote.
        divergence = min(divergence, policy.nli_threshold)
    if hard:
        divergence = with_conflict(divergence, coverage, model is not None)
    spans = tuple(
        _span(number, view, item, index, model, policy, aliases, near=place < near)
        for place, item in enumerate(ranked[:top_k])
    )
    return Signals(
        divergence, best.names.match, best.names.vote, match, flip, trace, coverage, findings,
        best.evidence, spans, numbers.derived, _is_foreign(view, index, trace), tuple(items),
        _traced(view, best, index) if (model is None or model.windowed) and not entailed else None,
        reading,
    )  # fmt: skip


def _is_foreign(view: ClaimView, index: SourceIndex, trace: float | None) -> bool:
    """Tell whether claim and sources share no language, so that missing words prove nothing."""
    if trace is None or trace >= _SHARED_VOCABULARY:
        return False
    mine = tell_languages(view.claim.text)
    return bool(mine) and bool(index.languages) and mine.isdisjoint(index.languages)


@cache
def _light_verbs() -> frozenset[str]:
    return frozenset(map(stem, load_words("light_verbs")))


def _traced(view: ClaimView, best: CloseReading, index: SourceIndex) -> float | None:
    """Measure how much of the claim is accounted for, also by a short name or a denied opposite."""
    if not view.stems:
        return None
    missing = [key for key in view.stems if not index.contains(key)]
    if missing and not best.names.findings:
        named = {stem(part) for name in view.names for part in name.key}
        missing = [key for key in missing if key not in named]
    missing = [key for key in missing if against(key).isdisjoint(best.evidence.stems) and key not in _light_verbs()]
    if any(is_specific(key) for key in missing):
        return 0.0  # one foreign thing is enough for doubt
    return 1.0 - len(missing) / len(view.stems)


def _bearing(view: ClaimView, ranked: Sequence[Evidence], near: int) -> list[Evidence]:
    """Pick the sentences worth comparing numbers with: the nearest, and those with the same digits."""
    return [item for place, item in enumerate(ranked) if place < near or view.digits & item.numbers]


def _coverage(view: ClaimView, best: Evidence, ranked: Sequence[Evidence]) -> float:
    alone = share(view.stems, best.stems)
    if alone > 0.65 or len(ranked) < 2:
        return alone
    together = share(view.stems, union(item.stems for item in ranked[:_UNION]))
    return together


def _divergence_of(model: Divergences | None, number: int, view: ClaimView, item: Evidence) -> float:
    """Return the model's divergence of a sentence; for one it did not read, what the words suggest."""
    value = model.of(number, item) if model is not None else None
    return overlap_divergence(share(view.stems, item.stems)) if value is None else value


def _span(
    number: int, view: ClaimView, item: Evidence, index: SourceIndex, model: Divergences | None,
    policy: Policy, aliases: Aliases, *, near: bool,
) -> Span:  # fmt: skip
    """Describe one sentence; names and numbers are compared only where the wording comes near."""
    divergence = _divergence_of(model, number, view, item)
    if not near:
        held = [all(covered(stem(part), item.stems) for part in name.key) for name in view.names]
        return Span(item, divergence, sum(held) / len(held) if held else 1.0, None)
    names = compare_names(view, item, index, aliases)
    return Span(item, divergence, names.match, match_numbers(view, item, policy))
