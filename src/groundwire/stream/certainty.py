"""How sure a rejection is: the more of the claim stands in the sentence it goes against, the surer the clash."""

from groundwire.text.tokens import content_stems
from groundwire.types import ClaimVerdict, Conflict, Reason

_BACK_WEIGHT = 0.3  # of how much of the source sentence the claim repeats
_NOTHING_LEFT = 0.5  # a claim of two words that both clash shows no frame at all


def certainty(verdict: ClaimVerdict, *, with_model: bool = False) -> float:
    """Grade a rejected claim from 0 to 1; a claim without a clash that words can show has 0.

    With a model the claim's probability counts as much as the wording: measured, that stops twice as many
    small errors in paraphrases at the same share of false halts.
    """
    frame = _by_wording(verdict)
    if not with_model or verdict.support_probability is None or frame in (0.0, 1.0):
        return frame
    return (frame + 1.0 - verdict.support_probability) / 2.0


def _by_wording(verdict: ClaimVerdict) -> float:
    if Reason.NO_SOURCE in verdict.reasons:
        return 1.0
    if Reason.MODEL_CONTRADICTION in verdict.reasons:
        return verdict.nli_divergence
    hard = [conflict for conflict in verdict.conflicts if conflict.hard]
    return max((_frame(verdict, conflict) for conflict in hard), default=0.0)


def _frame(verdict: ClaimVerdict, conflict: Conflict) -> float:
    mine = set(content_stems(verdict.claim)) - set(content_stems(conflict.claim_text))
    theirs = set(content_stems(_sentence(verdict, conflict))) - set(content_stems(conflict.source_text))
    shared = len(mine & theirs)
    forth = shared / len(mine) if mine else _NOTHING_LEFT
    back = shared / len(theirs) if theirs else _NOTHING_LEFT
    return (forth + _BACK_WEIGHT * back) / (1.0 + _BACK_WEIGHT)


def _sentence(verdict: ClaimVerdict, conflict: Conflict) -> str:
    for span in verdict.evidence_spans:
        if span.source_id == conflict.source_id and span.start <= conflict.source_start < span.end:
            return span.text
    return verdict.matched_source
