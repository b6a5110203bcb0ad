"""Pieces of evidence that several parts pass around."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EvidenceChunk:
    """A retrieved piece of text; a lower distance is closer."""

    text: str
    distance: float
    source: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceObject:
    """One numbered entry of an evidence map."""

    pointer_id: str
    evidence_id: str
    span: str
    title: str = ""
    source_role: str = "unclassified"
    source_root: str = ""


@dataclass(frozen=True, slots=True)
class ParsedClaim:
    """One claim of an answer with the pointers it cites."""

    claim_text: str
    pointer_ids: tuple[str, ...]
    parse_status: str
