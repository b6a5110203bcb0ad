"""A lattice written out for a person: claims with the sentences that carry them."""

from collections.abc import Iterable

from groundwire.audit.evidence_map import EvidenceIndex, EvidenceMap, open_evidence
from groundwire.audit.outcomes import LINKED
from groundwire.audit.results import ClaimResult


def render_claim_lattice(claims: Iterable[ClaimResult], evidence_map: EvidenceMap | EvidenceIndex) -> str:
    """Write each linked claim with the densest supporting sentence of every verified pointer."""
    entries = open_evidence(evidence_map).entries
    lines: list[str] = []
    for claim in claims:
        if claim.status not in LINKED:
            continue
        lines.append(f"- {claim.text}")
        for support in claim.support:
            entry = entries[support.pointer_id]
            title = f" ({entry.title})" if entry.title else ""
            sentence = " ".join(entry.span[support.start : support.end].split())
            lines.append(f"  [{support.pointer_id}] {sentence}{title}")
    return "\n".join(lines)
