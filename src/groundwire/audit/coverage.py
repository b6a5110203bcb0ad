"""Follow one citation: is it known, allowed, and does its span cover the claim?"""

from collections.abc import Collection, Sequence
from typing import Final

from groundwire.audit.evidence_map import EvidenceIndex, densest_sentence
from groundwire.audit.outcomes import ClaimState
from groundwire.audit.results import Support

DEFAULT_MIN_CITATION_COVERAGE: Final = 0.30
SHORT_CLAIM_TOKENS: Final = 3


def follow_pointer(
    pointer_id: str,
    tokens: Sequence[str],
    evidence: EvidenceIndex,
    *,
    allowed_source_roles: Collection[str],
    min_citation_coverage: float,
) -> Support | ClaimState:
    """Return the supporting sentence, or what is wrong with the citation."""
    entry = evidence.entries.get(pointer_id)
    if entry is None:
        return ClaimState.UNKNOWN_EVIDENCE_ID
    if entry.source_role not in allowed_source_roles:
        return ClaimState.SOURCE_ROLE_BLOCKED
    if not covers(pointer_id, tokens, evidence, min_citation_coverage):
        return ClaimState.CITATION_MISMATCH
    start, end = densest_sentence(evidence.span(pointer_id), tokens)
    return Support(pointer_id, entry.evidence_id, start, end)


def covers(pointer_id: str, tokens: Sequence[str], evidence: EvidenceIndex, minimum: float) -> bool:
    """Tell whether a span has enough of a claim's content tokens."""
    if not tokens:
        return True
    words = evidence.span(pointer_id).words
    hits = sum(words.has(token) for token in tokens)
    return hits >= 1 if len(tokens) <= SHORT_CLAIM_TOKENS else hits / len(tokens) >= minimum


def supported_elsewhere(
    tokens: Sequence[str],
    evidence: EvidenceIndex,
    *,
    allowed_source_roles: Collection[str],
    min_citation_coverage: float,
) -> list[str]:
    """List allowed pointers whose spans would cover a claim, best first."""
    ranked: list[tuple[int, int, str]] = []
    for place, (pointer_id, entry) in enumerate(evidence.entries.items()):
        if entry.source_role in allowed_source_roles and tokens:
            hits = sum(evidence.span(pointer_id).words.has(token) for token in tokens)
            # A single shared word is too little to send a reader elsewhere.
            if hits * 2 >= len(tokens) and covers(pointer_id, tokens, evidence, min_citation_coverage):
                ranked.append((-hits, place, pointer_id))
    return [pointer_id for _, _, pointer_id in sorted(ranked)]
