"""Measure the five signals of all claims, with one call of the model."""

from collections.abc import Sequence
from dataclasses import dataclass

from groundwire.evidence import Evidence, SourceIndex
from groundwire.nli import NLI, DivergenceScorer
from groundwire.signals.claim import ClaimView
from groundwire.signals.coverage import covered, share, union
from groundwire.signals.entailment import Divergences, overlap_divergence, with_conflict
from groundwire.signals.finding import Finding
from groundwire.signals.names import Names, alias_table, compare_names
from groundwire.signals.negation import compare_polarity
from groundwire.signals.numbers import Numbers, compare_numbers
from groundwire.signals.relations import compare_relations
from groundwire.signals.substitution import find_substitution
from groundwire.text.agreement import agree
from groundwire.types import Policy, Reason

# Sentences whose wording fits almost equally well are told apart by their conflicts.
_TIE = 0.05
_CLOSE_READ = 3


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

    @property
    def hard(self) -> bool:
        """Tell whether a hard conflict was found."""
        return any(finding.hard and finding.reason != Reason.NUMBER_ABSENT for finding in self.findings)

    @property
    def soft(self) -> bool:
        """Tell whether a conflict forbids support without contradicting."""
        return any(not finding.hard for finding in self.findings)

    @property
    def absent(self) -> bool:
        """Tell whether a number has no counterpart of its kind."""
        return any(finding.reason == Reason.NUMBER_ABSENT for finding in self.findings)


@dataclass(frozen=True, slots=True)
class _Read:
    """One candidate sentence read closely against a claim."""

    evidence: Evidence
    fit: float
    names: Names
    findings: tuple[Finding, ...]
    flip: bool

    @property
    def conflicts(self) -> int:
        return sum(finding.hard for finding in self.findings)


def measure(
    views: Sequence[ClaimView], index: SourceIndex, nli: NLI | DivergenceScorer | None, policy: Policy, top_k: int = 3
) -> list[Signals]:
    """Measure all claims against the index."""
    candidates = [_candidates(view, index, policy, top_k) for view in views]
    model = Divergences(views, candidates, nli) if nli is not None else None
    return [
        _measure_one(number, view, items, index, model, policy, top_k)
        for number, (view, items) in enumerate(zip(views, candidates, strict=True))
    ]


def _candidates(view: ClaimView, index: SourceIndex, policy: Policy, top_k: int) -> list[Evidence]:
    numbers = [_spoken(quantity.text, quantity.low) for quantity in view.analysis.quantities]
    keys = (*view.stems, *sorted(view.lead - set(view.stems)))
    return index.select(keys, numbers, max(policy.candidates, top_k), at_least=max(top_k, 1))


def _spoken(text: str, value: float) -> str:
    digits = "".join(char for char in text if char.isdigit() or char in ".,").strip(".,")
    return digits or f"{value:g}"


def _measure_one(
    number: int, view: ClaimView, items: list[Evidence], index: SourceIndex,
    model: Divergences | None, policy: Policy, top_k: int,
) -> Signals:  # fmt: skip
    trace = index.traceability(view.stems)
    if not items:
        return Signals(None, 1.0, 0, None, False, 0.0 if view.stems else None, 0.0, (), None, ())
    aliases = alias_table(policy)
    ranked = sorted(items, key=lambda item: (-_fit(view, item, policy), item.index))
    if model is not None:
        ranked = sorted(items, key=lambda item: (model.of(number, item), item.index))
    reads = [_read(view, item, index, aliases, policy) for item in ranked[: 1 if model else _CLOSE_READ]]
    best = reads[0]
    if model is None:
        close = [read for read in reads if read.fit >= best.fit - _TIE]
        best = min(close, key=lambda read: (read.conflicts, -read.fit, read.evidence.index))
    ranked.remove(best.evidence)
    ranked.insert(0, best.evidence)
    numbers = compare_numbers(view, ranked, policy)
    coverage = _coverage(view, best.evidence, ranked)
    findings = best.findings + numbers.findings
    hard = any(finding.hard and finding.reason != Reason.NUMBER_ABSENT for finding in findings)
    divergence = overlap_divergence(coverage) if model is None else model.of(number, best.evidence)
    if hard:
        divergence = with_conflict(divergence, coverage, model is not None)
    spans = tuple(_span(number, view, item, index, model, policy, aliases) for item in ranked[:top_k])
    return Signals(
        divergence, best.names.match, best.names.vote, numbers.match, best.flip, trace, coverage, findings,
        best.evidence, spans,
    )  # fmt: skip


def _fit(view: ClaimView, item: Evidence, policy: Policy) -> float:
    hits = sum(covered(key, item.stems) for key in view.stems)
    total = len(view.stems)
    for quantity in view.analysis.quantities:
        if quantity.weak:
            continue
        total += 1
        hits += any(
            agree(quantity, other, policy.approximate_within, policy.approximate_beyond).equal
            for other in item.analysis.quantities
        )
    lead = view.lead - set(view.stems)
    bonus = 0.5 * share(sorted(lead), item.stems) if lead else 0.0
    return (hits / total if total else 0.0) + bonus


def _read(view: ClaimView, item: Evidence, index: SourceIndex, aliases: dict[str, frozenset[str]], policy: Policy) -> _Read:
    names = compare_names(view, item, index, aliases)
    relations = compare_relations(view, item)
    polarity = compare_polarity(view, item, relations.settled)
    findings = names.findings + relations.findings + polarity.findings
    if not findings:
        replaced = find_substitution(view, item, index)
        findings = () if replaced is None else (replaced,)
    return _Read(item, _fit(view, item, policy), names, findings, polarity.flip)


def _coverage(view: ClaimView, best: Evidence, ranked: Sequence[Evidence]) -> float:
    alone = share(view.stems, best.stems)
    if alone > 0.65 or len(ranked) < 2:
        return alone
    together = share(view.stems, union(item.stems for item in ranked[:_CLOSE_READ]))
    return together


def _span(
    number: int, view: ClaimView, item: Evidence, index: SourceIndex, model: Divergences | None,
    policy: Policy, aliases: dict[str, frozenset[str]],
) -> Span:  # fmt: skip
    divergence = model.of(number, item) if model else overlap_divergence(share(view.stems, item.stems))
    numbers: Numbers = compare_numbers(view, [item], policy)
    return Span(item, divergence, compare_names(view, item, index, aliases).match, numbers.match)
