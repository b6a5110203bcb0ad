"""What the combiner sees: how much of a response its sources hold, and which clashes were found.

Every feature is monotone by construction of the combiner: more coverage never lowers the
probability, a found conflict never raises it. A claim is a response of one sentence, so one
set of weights serves both.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from groundwire.evidence import Evidence, SourceIndex
from groundwire.signals import Signals
from groundwire.signals.claim import ClaimView
from groundwire.signals.reading import read
from groundwire.types import Reason

_LONG_WORD = 8
# No model is surer than this: one claim must not decide a whole response by a rounded zero.
_EDGE = 1e-3
_PHRASES = 4
_WINDOWS = 4
_NUMBER = "#"  # as the index marks digit strings

_NUMBER_CONFLICTS = frozenset({Reason.NUMBER_MISMATCH, Reason.UNIT_MISMATCH, Reason.DATE_MISMATCH})
_POLARITY_CONFLICTS = frozenset({Reason.NEGATION_FLIP, Reason.ANTONYM})
_RELATION_CONFLICTS = frozenset({Reason.ROLE_SWAP, Reason.COMPARATIVE, Reason.ORDER, Reason.QUANTIFIER})
# Of these a doubt says nothing: in loose paraphrases right claims raise it as often as wrong ones.
_ONLY_HARD = _NUMBER_CONFLICTS | _POLARITY_CONFLICTS | {Reason.NUMBER_ABSENT, Reason.ORDER}


class ClaimFacts(NamedTuple):
    """The counts of one claim, before they are put together over the response."""

    letters: int  # long words count more, up to a limit: they carry more of the content
    letters_found: int
    weight: float  # of the claim's stems and numbers, by how rare they are in the source
    weight_near: float  # of those within the best window of three sentences
    trigrams: int
    trigrams_found: int
    numbers_absent: int
    capital_absent: bool
    polarity_differs: bool
    numbers_agree: bool | None
    reasons: frozenset[str]
    entailment: float | None = None  # the calibrated model's probability of entailment, as a logit


def claim_facts(view: ClaimView, signals: Signals, index: SourceIndex, *, calibrated: bool = False) -> ClaimFacts:
    """Count what the sources hold of one claim; a model speaks only if the combiner was fitted with it."""
    words = view.analysis.words
    # Words inside quantities count too: "million" and "March" are part of what is said.
    stems = dict.fromkeys(word.stem for word in words if word.content)
    numbers = [_NUMBER + digits for digits in sorted(view.digits)]
    found = {key: index.contains(key) for key in (*stems, *numbers)}
    # Without a source no word is rarer than another, and none is found.
    weights = {key: index.weight(key) or 1.0 for key in found}
    sequence = [word.stem for word in words]
    phrases = list(zip(sequence, sequence[1:], sequence[2:], strict=False))
    known = frozenset[tuple[str, str, str]]().union(*(item.trigrams for item in signals.candidates[:_PHRASES]))
    return ClaimFacts(
        letters=sum(min(len(key), _LONG_WORD) for key in found),
        letters_found=sum(min(len(key), _LONG_WORD) for key, there in found.items() if there),
        weight=sum(weights.values()),
        weight_near=_best_window(weights, signals.candidates, index),
        trigrams=len(phrases),
        trigrams_found=sum(phrase in known for phrase in phrases),
        numbers_absent=sum(not found[key] for key in numbers),
        capital_absent=any(
            word.content and word.text[0].isupper() and word.stem not in index.vocabulary for word in words[1:]
        ),
        polarity_differs=_polarity_differs(view, signals.matched),
        numbers_agree=signals.numerical_match,
        reasons=frozenset(
            str(finding.reason) for finding in signals.findings if finding.hard or finding.reason not in _ONLY_HARD
        ),
        entailment=_logit(signals.reading.entailment.entailment) if calibrated and signals.reading else None,
    )


def _logit(probability: float) -> float:
    bounded = min(1.0 - _EDGE, max(_EDGE, probability))
    return math.log(bounded / (1.0 - bounded))


def _best_window(weights: dict[str, float], candidates: Sequence[Evidence], index: SourceIndex) -> float:
    """Weigh what the three sentences around a candidate hold of the claim, at best."""
    keys = frozenset(weights)
    digits = frozenset(key[1:] for key in keys if key[0] == _NUMBER)
    best = 0.0
    for centre in candidates[:_WINDOWS]:
        held: set[str] = set()
        for item in index.window(centre):
            held |= keys & item.stems
            held.update(_NUMBER + digit for digit in digits & item.numbers)
        # fsum: the order of a set must not show in the last digit.
        best = max(best, math.fsum(map(weights.__getitem__, held)))
    return best


def _polarity_differs(view: ClaimView, matched: Evidence | None) -> bool:
    if matched is None:
        return False
    return bool(read(view.analysis).negations) != bool(read(matched.analysis).negations)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def _coverage(facts: Sequence[ClaimFacts]) -> float:
    return _share(sum(fact.letters_found for fact in facts), sum(fact.letters for fact in facts))


def _mean_coverage(facts: Sequence[ClaimFacts]) -> float:
    return sum(_share(fact.letters_found, fact.letters) for fact in facts) / len(facts)


def _mean_window(facts: Sequence[ClaimFacts]) -> float:
    return sum(_share(fact.weight_near, fact.weight) for fact in facts) / len(facts)


def _new_phrases(facts: Sequence[ClaimFacts]) -> float:
    return math.log1p(sum(fact.trigrams - fact.trigrams_found for fact in facts))


def _worst_phrases(facts: Sequence[ClaimFacts]) -> float:
    return min(_share(fact.trigrams_found, fact.trigrams) for fact in facts)


def _numbers_absent(facts: Sequence[ClaimFacts]) -> float:
    return sum(fact.numbers_absent for fact in facts) / len(facts)


def _numbers_agree(facts: Sequence[ClaimFacts]) -> float:
    said = [fact.numbers_agree for fact in facts if fact.numbers_agree is not None]
    return float(bool(said) and all(said))


def _found(reasons: frozenset[Reason]) -> Callable[[Sequence[ClaimFacts]], float]:
    return lambda facts: float(any(not reasons.isdisjoint(fact.reasons) for fact in facts))


class Feature(NamedTuple):
    """One number of a response, and the direction in which it may move the probability."""

    measure: Callable[[Sequence[ClaimFacts]], float]
    sign: int


COVERAGE: dict[str, Feature] = {
    "coverage": Feature(_coverage, 1),
    "mean_coverage": Feature(_mean_coverage, 1),
    "mean_window_coverage": Feature(_mean_window, 1),
    "new_phrases": Feature(_new_phrases, -1),
    "worst_phrase_coverage": Feature(_worst_phrases, 1),
    "numbers_absent": Feature(_numbers_absent, -1),
    "numbers_agree": Feature(_numbers_agree, 1),
    "capital_absent": Feature(lambda facts: float(any(fact.capital_absent for fact in facts)), -1),
    "polarity_differs": Feature(lambda facts: float(any(fact.polarity_differs for fact in facts)), -1),
}
CONFLICTS: dict[str, Feature] = {
    "number_conflict": Feature(_found(_NUMBER_CONFLICTS), -1),
    "number_without_counterpart": Feature(_found(frozenset({Reason.NUMBER_ABSENT})), -1),
    "polarity_conflict": Feature(_found(_POLARITY_CONFLICTS), -1),
    "name_conflict": Feature(_found(frozenset({Reason.ENTITY_SUBSTITUTION})), -1),
    "name_absent": Feature(_found(frozenset({Reason.ENTITY_ABSENT})), -1),
    "relation_conflict": Feature(_found(_RELATION_CONFLICTS), -1),
}
UNCHECKED = "unchecked_share"
NAMES = (*COVERAGE, UNCHECKED, *CONFLICTS)


def describe(facts: Sequence[ClaimFacts], unchecked: int = 0) -> dict[str, float]:
    """Put the claims' counts together into the features of a response with at least one claim."""
    values = {name: feature.measure(facts) for name, feature in (*COVERAGE.items(), *CONFLICTS.items())}
    values[UNCHECKED] = unchecked / (unchecked + len(facts))
    return values
