"""Measure the five signals of all claims, with one call of the model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from groundwire.evidence import Evidence, SourceIndex
from groundwire.nli import NLI, DivergenceScorer
from groundwire.signals.charges import compare_charges
from groundwire.signals.claim import ClaimView
from groundwire.signals.counterparts import matches
from groundwire.signals.coverage import covered, share, union
from groundwire.signals.entailment import Divergences, overlap_divergence, with_conflict
from groundwire.signals.finding import Finding
from groundwire.signals.names import Aliases, Names, alias_table, compare_names
from groundwire.signals.negation import compare_polarity
from groundwire.signals.numbers import compare_numbers, match_numbers
from groundwire.signals.reading import read
from groundwire.signals.relations import compare_relations
from groundwire.signals.substitution import find_other_cell, find_other_subject, find_substitution
from groundwire.text.language import tell_languages
from groundwire.text.lexicon import load_words
from groundwire.text.meaning import against, is_specific
from groundwire.text.tokens import stem
from groundwire.types import Policy, Reason

# Sentences whose wording fits almost equally well are told apart by their conflicts.
_TIE = 0.05
_CLOSE_READ = 3
_LEAD = 0.25
_LABEL = 0.3
# Words alone cannot tell a paraphrase from an invention: with fewer of them found, nobody can say.
_TRACED = 0.7
_SHARED_VOCABULARY = 0.5
_CLOSE_FIT = 4
_WIDE_READ = 5


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
    traced: float | None = None  # as traceability, with names and opposites understood; None with a model

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
        return any(finding.reason == Reason.NUMBER_ABSENT for finding in self.findings)


@dataclass(frozen=True, slots=True)
class _Read:
    """One candidate sentence read closely against a claim."""

    evidence: Evidence
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
    keys = (*view.stems, *sorted(view.lead - set(view.stems)))
    return index.select(keys, sorted(view.digits), max(policy.candidates, top_k), at_least=max(top_k, 1))


def _measure_one(
    number: int, view: ClaimView, items: list[Evidence], index: SourceIndex,
    model: Divergences | None, policy: Policy, top_k: int,
) -> Signals:  # fmt: skip
    trace = index.traceability(view.stems)
    if not items:
        return Signals(None, 1.0, 0, None, False, 0.0 if view.stems else None, 0.0, (), None, ())
    aliases = alias_table(policy)
    ranked = sorted(items, key=lambda item: (-_rough_fit(view, item), item.index))
    # Numbers are compared by value, which the index cannot: they may make up for this much.
    enough = _rough_fit(view, ranked[0]) - 1.0 - 0.5 * len(view.analysis.quantities)
    close = [item for item in ranked[:_CLOSE_FIT] if _rough_fit(view, item) >= enough]
    fits = {item.index: _fit(view, item, policy) for item in close}
    ranked = sorted(close, key=lambda item: (-fits[item.index], item.index)) + ranked[len(close) :]
    if model is not None:
        ranked = sorted(items, key=lambda item: (model.of(number, item), item.index))
    best = _read(view, ranked[0], index, aliases)
    if model is None and best.conflicts:
        rivals = [item for item in close[1:_CLOSE_READ] if fits[item.index] >= fits[ranked[0].index] - _TIE]
        reads = [best, *(_read(view, item, index, aliases) for item in rivals)]
        best = min(reads, key=lambda read: read.conflicts)
    if model is None and not best.conflicts:
        best = _mixed_up(view, best, close, index, aliases) or best
        best = _denied_part(view, best, items) or best
    ranked.remove(best.evidence)
    ranked.insert(0, best.evidence)
    numbers = compare_numbers(view, _bearing(view, ranked, len(close)), policy)
    if numbers.match is not True and len(close) < _WIDE_READ:
        # Before a number is called wrong or missing, more of the source is looked through.
        numbers = compare_numbers(view, _bearing(view, ranked, _WIDE_READ), policy)
    coverage = _coverage(view, best.evidence, ranked)
    findings = best.findings + numbers.findings
    hard = any(finding.hard and finding.reason != Reason.NUMBER_ABSENT for finding in findings)
    divergence = overlap_divergence(coverage) if model is None else model.of(number, best.evidence)
    if hard:
        divergence = with_conflict(divergence, coverage, model is not None)
    spans = tuple(
        _span(number, view, item, index, model, policy, aliases, read_closely=item in close or item is best.evidence)
        for item in ranked[:top_k]
    )
    return Signals(
        divergence, best.names.match, best.names.vote, numbers.match, best.flip, trace, coverage, findings,
        best.evidence, spans, numbers.derived, _is_foreign(view, index, trace), tuple(items),
        _traced(view, best, index) if model is None else None,
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


def _traced(view: ClaimView, best: _Read, index: SourceIndex) -> float | None:
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


def _mixed_up(
    view: ClaimView, best: _Read, close: Sequence[Evidence], index: SourceIndex, aliases: Aliases
) -> _Read | None:
    """Find the sentence that gives the claim's statement to another name.

    "Haddad is the lead" fits "Tester: Haddad" and "Lead: Falk" half each; the second denies it.
    """
    missing = [key for key in view.stems if not covered(key, best.evidence.stems)]
    if not missing or not view.names:
        return None
    found: _Read | None = None
    for item in close:
        known = [key for key in missing if index.contains(key)]
        if item is best.evidence or not known or not all(covered(key, item.stems) for key in known):
            continue
        rival = _read(view, item, index, aliases)
        if not rival.conflicts:
            return None  # some sentence supplies the missing words without a clash
        if any(finding.hard and finding.reason == Reason.ENTITY_SUBSTITUTION for finding in rival.findings):
            found = found or rival
    return found


def _denied_part(view: ClaimView, best: _Read, items: Sequence[Evidence]) -> _Read | None:
    """Find a sentence that denies the very words which the best one does not hold."""
    missing = frozenset(key for key in view.stems if not covered(key, best.evidence.stems))
    if not missing or read(view.analysis).negations:
        return None
    for item in items:
        if item is best.evidence or missing.isdisjoint(item.stems):
            continue
        for cue in read(item.analysis).negations:
            if cue.head >= 0 and item.analysis.words[cue.head].stem in missing:
                head = item.analysis.words[cue.head]
                mine = next(word for word in view.analysis.words if word.stem == head.stem)
                finding = Finding(
                    Reason.NEGATION_FLIP, mine.start, mine.end, item, cue.start, head.end, hard=False
                )  # fmt: skip
                return replace(best, findings=(*best.findings, finding))
    return None


def _bearing(view: ClaimView, ranked: Sequence[Evidence], near: int) -> list[Evidence]:
    """Pick the sentences worth comparing numbers with: the nearest, and those with the same digits."""
    return [item for place, item in enumerate(ranked) if place < near or view.digits & item.numbers]


def _meets(key: str, stems: frozenset[str]) -> bool:
    """Tell whether a sentence speaks of a word: it holds the word, its like, or its opposite."""
    return covered(key, stems) or not against(key).isdisjoint(stems)


def _rough_fit(view: ClaimView, item: Evidence) -> float:
    """Estimate the fit from the index alone, before a sentence is taken apart."""
    hits = sum(_meets(key, item.stems) for key in view.stems)
    return hits + len(view.digits & item.numbers) + _LEAD * sum(key in item.stems for key in view.lead)


def _fit(view: ClaimView, item: Evidence, policy: Policy) -> float:
    plain = [key for key in view.stems if key not in view.name_stems]
    hits = float(sum(_meets(key, item.stems) for key in plain))
    total = len(plain)
    for name in view.names:
        total += 1
        hits += share([stem(part) for part in name.key], item.stems)
    found = matches(view, item, policy)
    for number, quantity in enumerate(view.analysis.quantities):
        if not quantity.weak:
            total += 1
            hits += any(match.verdict.equal for match in found[number])
    lead = view.lead - set(view.stems)
    bonus = _LEAD * share(sorted(lead), item.stems) if lead else 0.0
    if item.label and item.label <= frozenset(view.stems):
        bonus += _LABEL  # the row that the claim names
    return (hits / total if total else 0.0) + bonus


def _read(view: ClaimView, item: Evidence, index: SourceIndex, aliases: Aliases) -> _Read:
    names = compare_names(view, item, index, aliases)
    relations = compare_relations(view, item)
    polarity = compare_polarity(view, item, relations.settled)
    findings = names.findings + relations.findings + polarity.findings
    charge = compare_charges(view, item)
    if charge is not None:
        findings = (*findings, charge)
    if not any(finding.hard for finding in findings):
        replaced = (
            find_substitution(view, item, index) or find_other_subject(view, item) or find_other_cell(view, item, index)
        )
        if replaced is not None:
            # The word that stands in another's place needs no second mention as absent.
            findings = (*(f for f in findings if f.claim_start != replaced.claim_start), replaced)
    return _Read(item, names, findings, polarity.flip)


def _coverage(view: ClaimView, best: Evidence, ranked: Sequence[Evidence]) -> float:
    alone = share(view.stems, best.stems)
    if alone > 0.65 or len(ranked) < 2:
        return alone
    together = share(view.stems, union(item.stems for item in ranked[:_CLOSE_READ]))
    return together


def _span(
    number: int, view: ClaimView, item: Evidence, index: SourceIndex, model: Divergences | None,
    policy: Policy, aliases: Aliases, *, read_closely: bool,
) -> Span:  # fmt: skip
    """Describe one sentence; names and numbers are compared only where the wording comes near."""
    divergence = model.of(number, item) if model else overlap_divergence(share(view.stems, item.stems))
    if not read_closely:
        held = [all(covered(stem(part), item.stems) for part in name.key) for name in view.names]
        return Span(item, divergence, sum(held) / len(held) if held else 1.0, None)
    names = compare_names(view, item, index, aliases)
    return Span(item, divergence, names.match, match_numbers(view, item, policy))
