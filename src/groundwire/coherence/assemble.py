"""From a reading to divergences, confidence and evidence."""

from collections.abc import Sequence
from typing import NamedTuple

from groundwire.coherence.compare import (
    CONFLICT,
    DOUBTFUL,
    NO_CONFLICT,
    NOTHING_COMPARED,
    RESTATED,
    SOFT_CLASH,
    Compared,
    clashes,
    factual_divergence,
    invents_number,
    logical_divergence,
)
from groundwire.coherence.model import Answer, certainty
from groundwire.coherence.reading import Answers, Reading
from groundwire.coherence.routes import Route
from groundwire.coherence.weights import NEUTRAL
from groundwire.types import ClaimAttribution, ClaimVerdict, EvidenceChunk, Policy, ScoringEvidence, Verdict


class Values(NamedTuple):
    """The numbers of one reading, before judge and gate."""

    h_logical: float
    h_factual: float
    of_claims: dict[int, float]  # factual, by claim
    cross_turn: float | None
    conflict: bool  # a fact is contradicted
    deciding: Answer | None  # of the model, for the claim that decides
    compared: bool  # anything at all


def evaluate(reading: Reading, answers: Answers | None, policy: Policy) -> Values:
    """Fold exact checks and model answers into the two divergences."""
    of_claims = _factual(reading, answers, policy)
    facts = reading.facts
    conflict = facts is not None and bool(facts.conflicts)
    h_factual = max(of_claims.values(), default=RESTATED) if facts is not None else NEUTRAL
    h_logical, compared = _logical(reading, answers)
    if reading.counts_logic and facts is not None:
        if conflict:
            h_logical = max(h_logical, CONFLICT)
        elif any(invents_number(claim) for claim in facts.claims):
            h_logical = max(h_logical, SOFT_CLASH)
    return Values(
        h_logical,
        h_factual,
        of_claims,
        _cross_turn(reading, answers),
        conflict,
        _deciding(of_claims, answers),
        compared or facts is not None,
    )


def _factual(reading: Reading, answers: Answers | None, policy: Policy) -> dict[int, float]:
    if reading.facts is None:
        return {}
    values: dict[int, float] = {}
    for claim in reading.facts.claims:
        answer = answers.factual.get(claim.claim_index) if answers is not None else None
        model = None
        if answer is not None:
            # In a talk much is said that no fact settles: there only a contradiction counts.
            model = answer.contradiction if reading.route is Route.DIALOGUE else answer.divergence
        values[claim.claim_index] = factual_divergence(claim, reading.facts.texts, model, policy)
    return values


def _logical(reading: Reading, answers: Answers | None) -> tuple[float, bool]:
    """Measure conflict with the prompt and, without a model, with what was said before."""
    if not reading.counts_logic:
        return 0.0, False
    values: list[tuple[int, float]] = []
    if reading.prompt is not None:
        values += _exact(reading.prompt, reading.numbers_count)
    if answers is not None:
        # A model may see a contradiction in anything; who only asks has said nothing to contradict.
        most = 1.0 if reading.asserts else SOFT_CLASH
        values += [(number, min(most, answer.contradiction)) for number, answer in answers.logical.items()]
    elif reading.turns is not None:
        values += _exact(reading.turns, numbers_count=True)
    if not values:
        return NOTHING_COMPARED, False
    # A fact outranks the prompt: who corrects a wrong question is not incoherent.
    backed = reading.facts.supported if reading.facts is not None else frozenset[int]()
    worst = max(min(value, SOFT_CLASH) if number in backed else value for number, value in values)
    return max(worst, 0.0 if answers is not None else NO_CONFLICT), True


def _exact(compared: Compared, numbers_count: bool) -> list[tuple[int, float]]:
    return [(claim.claim_index, logical_divergence(claim, numbers_count=numbers_count)) for claim in compared.claims]


def _cross_turn(reading: Reading, answers: Answers | None) -> float | None:
    if reading.turns is None or not reading.turns.claims:
        return None
    values = [value for _, value in _exact(reading.turns, numbers_count=True)]
    if answers is not None:
        values += [answer.contradiction for answer in answers.turns.values()]
    return max(values)


def _deciding(of_claims: dict[int, float], answers: Answers | None) -> Answer | None:
    if answers is None:
        return None
    if answers.factual:
        worst = max(answers.factual, key=lambda number: (of_claims.get(number, 0.0), -number))
        return answers.factual[worst]
    return max(answers.logical.values(), key=lambda answer: answer.contradiction, default=None)


def model_confidence(deciding: Answer | None) -> float | None:
    """Tell how sure the model is, None when there is none or it knows no classes."""
    return None if deciding is None or deciding.classes is None else certainty(deciding.classes)


def agreement(reading: Reading, values: Values) -> float | None:
    """Tell how well the two divergences agree, None when one of them was not measured."""
    if not reading.counts_logic or reading.facts is None:
        return None
    return 1.0 - abs(values.h_logical - values.h_factual)


def verdict_confidence(score: float, threshold: float, parts: Sequence[float | None]) -> float:
    """Scale the distance from the threshold to 0..1 and weigh it with what else is known."""
    room = 1.0 - threshold if score >= threshold else threshold
    distance = abs(score - threshold) / room if room else 1.0
    known = [part for part in parts if part is not None]
    return distance * (sum(known) / len(known) if known else 1.0)


def retrieval_confidence(reading: Reading) -> float | None:
    """Tell how near the nearest fact is, None when there is none."""
    if not reading.chunks:
        return None
    return min(1.0, max(0.0, 1.0 - min(chunk.distance for chunk in reading.chunks)))


def gather(reading: Reading, values: Values, answers: Answers | None, policy: Policy) -> ScoringEvidence | None:
    """Put together what a score rests on; None when nothing was found for or against the response."""
    clashing = _clashing_elsewhere(reading)
    if not reading.chunks and not clashing:
        return None
    verdicts = {claim.claim_index: claim for claim in (reading.facts.claims if reading.facts is not None else ())}
    divergences = {**dict.fromkeys(clashing, CONFLICT), **values.of_claims}
    for number, (claim, _) in clashing.items():
        if number not in verdicts or not clashes(verdicts[number]):
            verdicts[number], divergences[number] = claim, CONFLICT
    entailed = answers.factual if answers is not None else {}
    attributions = [
        ClaimAttribution(
            claim.claim,
            claim.claim_index,
            claim.matched_source,
            claim.source_index,
            divergences[number],
            divergences[number] < DOUBTFUL
            and (claim.verdict == Verdict.SUPPORTED or _entails(entailed.get(number), policy)),
        )
        for number, claim in sorted(verdicts.items())
    ]
    best = [entailed[number].divergence for number in sorted(entailed)]
    return ScoringEvidence(
        chunks=[*reading.chunks, *dict.fromkeys(chunk for _, chunk in clashing.values())],
        nli_premise="\n".join(chunk.text for chunk in reading.chunks),
        nli_hypothesis=reading.item.response,
        nli_score=max(best) if best else values.h_factual,
        chunk_scores=best or None,
        premise_chunk_count=max(1, len(reading.chunks)),
        hypothesis_chunk_count=max(1, len(attributions)),
        claim_coverage=sum(item.supported for item in attributions) / len(attributions) if attributions else None,
        per_claim_divergences=[item.divergence for item in attributions],
        claims=[item.claim for item in attributions],
        attributions=attributions,
    )


def _entails(answer: Answer | None, policy: Policy) -> bool:
    return answer is not None and answer.divergence < policy.support_threshold


def _clashing_elsewhere(reading: Reading) -> dict[int, tuple[ClaimVerdict, EvidenceChunk]]:
    """Find the claims that clash with the prompt or with an earlier turn, each with the sentence it clashes with."""
    found: dict[int, tuple[ClaimVerdict, EvidenceChunk]] = {}
    backed = reading.facts.supported if reading.facts is not None else frozenset[int]()
    sides: list[tuple[Compared | None, list[str], bool]] = [
        (reading.prompt, ["prompt"], reading.numbers_count),
        (reading.turns, [f"turn {number}" for number in reading.turn_numbers], True),
    ]
    for compared, labels, numbers_count in sides:
        for claim in compared.claims if compared is not None else ():
            if claim.claim_index in backed or logical_divergence(claim, numbers_count=numbers_count) < CONFLICT:
                continue
            source = next((item.source_id for item in claim.conflicts if item.source_id), "0")
            chunk = EvidenceChunk(claim.matched_source, 0.0, labels[int(source)])
            found.setdefault(claim.claim_index, (claim, chunk))
    return found
