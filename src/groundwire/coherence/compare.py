"""A response beside facts, prompt or earlier turns: what each claim is worth against them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from groundwire.coherence.polar import answer_bare
from groundwire.text.sentences import split_sentences
from groundwire.types import ClaimVerdict, Policy, Reason, Source, Verdict
from groundwire.verify import VerifiedScorer

# Divergences of a claim from what it is compared with. A conflict counts almost fully, so that no
# weights can outvote it; what is merely not found stays in the middle, for words alone cannot tell
# a free paraphrase from an invention.
CONFLICT = 0.9
RESTATED = 0.1
INVENTED_NUMBER = 0.85
NOT_FOUND = 0.75
DOUBTFUL = 0.5
_UNSURE = (0.2, 0.7)

# Divergences of a response from its prompt when no model reads them.
SOFT_CLASH = 0.3
NOTHING_COMPARED = 0.2
NO_CONFLICT = 0.1

# How many passages a model reads beside each claim.
PASSAGES = 2
_WINDOW = 400
_STOPS = ".!? \n\t"


@dataclass(frozen=True, slots=True)
class Compared:
    """The checkable claims of a response, each with its verdict against the given texts."""

    claims: tuple[ClaimVerdict, ...]
    texts: tuple[str, ...]

    @property
    def conflicts(self) -> frozenset[int]:
        """Collect the claims that clash with a text."""
        return frozenset(claim.claim_index for claim in self.claims if clashes(claim))

    @property
    def supported(self) -> frozenset[int]:
        """Collect the claims that a text supports."""
        return frozenset(claim.claim_index for claim in self.claims if claim.verdict == Verdict.SUPPORTED)

    def windows(self, claim: ClaimVerdict) -> list[str]:
        """List the passages that a model should read beside a claim, the nearest first."""
        found = (_window(self.texts[int(span.source_id)], span.start, span.end) for span in claim.evidence_spans)
        return list(dict.fromkeys(found))


def compare(
    verifier: VerifiedScorer,
    response: str,
    texts: Sequence[str],
    question: str | None,
    policy: Policy,
    passages: int = PASSAGES,
) -> Compared:
    """Check the claims of a response against texts, with the exact checks alone."""
    # Numbers for names: two passages of one document would share theirs.
    sources = [Source(str(number), text) for number, text in enumerate(texts)]
    result = verifier.verify(response, sources, False, passages, question=question, policy=policy)
    checked = [claim for claim in result.claims if Reason.NOT_CHECKABLE not in claim.reasons]
    if question:
        checked = answer_bare(checked, question, sources, verifier, policy)
    return Compared(tuple(checked), tuple(texts))


def clashes(claim: ClaimVerdict) -> bool:
    """Tell whether a claim is in open conflict with what it was compared with.

    A name that the evidence does not have may be called contradicted by the ladder's votes; for a fact
    to be contradicted, something must stand against it.
    """
    return any(item.hard and item.reason != Reason.NUMBER_ABSENT for item in claim.conflicts)


def invents_number(claim: ClaimVerdict) -> bool:
    """Tell whether a claim names a number of a kind that the evidence does not have."""
    return Reason.NUMBER_ABSENT in claim.reasons


def factual_divergence(claim: ClaimVerdict, texts: Sequence[str], model: float | None, policy: Policy) -> float:
    """Fold exact verdict and model value of a claim into one divergence from the facts."""
    if clashes(claim):
        return max(CONFLICT, model or 0.0)
    if invents_number(claim):
        return max(INVENTED_NUMBER, model or 0.0)
    if claim.verdict == Verdict.SUPPORTED:
        # The words are all there. Only a model that sees a contradiction may doubt it, and not a verbatim copy.
        if model is None or model < policy.nli_threshold or _is_copy(claim.claim, texts):
            return min(RESTATED, claim.nli_divergence if model is None else model)
        return model
    if model is not None:
        return max(DOUBTFUL, model) if claim.conflicts else model
    if claim.verdict in (Verdict.FABRICATED, Verdict.CONTRADICTED):
        return NOT_FOUND
    if claim.conflicts:
        return DOUBTFUL
    if claim.support_probability is None or Reason.OTHER_LANGUAGE in claim.reasons:
        return DOUBTFUL
    low, high = _UNSURE
    # Its third decimal is noise and must not decide at the threshold.
    return min(high, max(low, round(1.0 - claim.support_probability, 2)))


def logical_divergence(claim: ClaimVerdict, *, numbers_count: bool) -> float:
    """Tell how far a claim is from a prompt or an earlier turn, by conflicts alone."""
    found = [item for item in claim.conflicts if item.hard and item.reason != Reason.NUMBER_ABSENT]
    if not numbers_count:
        found = [item for item in found if item.reason != Reason.NUMBER_MISMATCH]
    if found and claim.verdict == Verdict.CONTRADICTED:
        return CONFLICT
    # A name or number that was not mentioned before is news, not a clash.
    clash = any(item.reason not in (Reason.NUMBER_ABSENT, Reason.ENTITY_ABSENT) for item in claim.conflicts)
    return SOFT_CLASH if clash else 0.0


def name_sources(claim: ClaimVerdict, names: Sequence[str]) -> ClaimVerdict:
    """Give the sources of a verdict the names a reader knows."""
    return replace(
        claim,
        evidence_spans=[replace(span, source_id=names[int(span.source_id)]) for span in claim.evidence_spans],
        conflicts=[
            replace(item, source_id=names[int(item.source_id)]) if item.source_id else item for item in claim.conflicts
        ],
    )


def _is_copy(claim: str, texts: Sequence[str]) -> bool:
    bare = claim.strip(_STOPS)
    return any(bare in text for text in texts)


def _window(text: str, start: int, end: int) -> str:
    """Cut the sentence with its neighbours out of a long text."""
    if len(text) <= _WINDOW:
        return text
    near = [unit for unit in split_sentences(text) if unit.end > start - _WINDOW // 2 and unit.start < end]
    first = min((unit.start for unit in near), default=start)
    last = max((unit.end for unit in near), default=end)
    return text[first:last] if last - first <= 3 * _WINDOW else text[start:end]
