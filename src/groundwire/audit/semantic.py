"""The semantic column: the verifier's verdict beside each lexically verified unit."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeVar

from groundwire.audit.context import Context, as_sources
from groundwire.audit.evidence_map import EvidenceIndex, EvidenceMap, open_evidence
from groundwire.audit.outcomes import LINKED, UnitStatus
from groundwire.audit.results import JsonLatticeAudit, LatticeAudit, QuoteAudit, SemanticVerdict
from groundwire.nli import NLI, DivergenceScorer
from groundwire.types import Source, Verdict
from groundwire.verify import VerifiedScorer

# The verdict of a unit with several sentences is the worst of theirs.
_WORST_FIRST: Final = (Verdict.CONTRADICTED, Verdict.FABRICATED, Verdict.UNVERIFIABLE, Verdict.SUPPORTED)

Lattice = TypeVar("Lattice", LatticeAudit, JsonLatticeAudit)


def add_lattice_verdicts(
    result: Lattice,
    evidence_map: EvidenceMap | EvidenceIndex,
    nli_scorer: NLI | DivergenceScorer,
    question: str | None = None,
) -> Lattice:
    """Judge each linked claim against the spans it cites; nothing else of the result changes."""
    entries = open_evidence(evidence_map).entries
    scorer = VerifiedScorer(nli_scorer=nli_scorer)
    column = [
        _judge(
            scorer,
            claim.claim_idx,
            claim.text,
            [Source(support.pointer_id, entries[support.pointer_id].span) for support in claim.support],
            question,
        )
        for claim in result.claim_statuses
        if claim.status in LINKED
    ]
    return replace(result, semantic=tuple(column))


def add_quote_verdicts(
    result: QuoteAudit, context: Context, nli_scorer: NLI | DivergenceScorer, question: str | None = None
) -> QuoteAudit:
    """Judge each verified unit of a free text against the context."""
    scorer = VerifiedScorer(nli_scorer=nli_scorer)
    sources = list(as_sources(context))
    column = [
        _judge(scorer, place, unit.text, sources, question)
        for place, unit in enumerate(result.claim_statuses)
        if unit.status is not UnitStatus.UNSUPPORTED
    ]
    return replace(result, semantic=tuple(column))


def _judge(
    scorer: VerifiedScorer, place: int, text: str, sources: Sequence[Source], question: str | None
) -> SemanticVerdict:
    claims = scorer.verify(text, list(sources), question=question).claims
    for verdict in _WORST_FIRST:
        confidences = [claim.confidence for claim in claims if claim.verdict == verdict]
        if confidences:
            return SemanticVerdict(place, text, str(verdict), round(min(confidences), 4))
    return SemanticVerdict(place, text, str(Verdict.UNVERIFIABLE), 0.0)
