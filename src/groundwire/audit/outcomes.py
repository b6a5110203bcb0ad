"""The outcomes of an audit, in the one spelling of code, JSON and CLI."""

from enum import StrEnum
from typing import Final

ANSWER_MODES: Final = ("quote", "claim_lattice_pointer", "claim_lattice")
DEFAULT_ANSWER_MODE: Final = "quote"
# Text of an answer is copied into violations only up to this length.
VIOLATION_TEXT_CHARS: Final = 200


class AuditMode(StrEnum):
    """How much of an answer stands on its evidence."""

    STRICT = "STRICT"
    HYBRID = "HYBRID"
    UNGROUNDED = "UNGROUNDED"


class Method(StrEnum):
    """Which strategy decided."""

    QUOTE = "quote"
    SPAN = "span"
    PARAPHRASE = "paraphrase"
    ENTITY = "entity"
    NONE = "none"
    CLAIM_LATTICE = "claim_lattice"


class UnitStatus(StrEnum):
    """What became of one unit of a free text."""

    VERIFIED_QUOTE = "VERIFIED_QUOTE"
    SUPPORTED_PARAPHRASE = "SUPPORTED_PARAPHRASE"
    UNSUPPORTED = "UNSUPPORTED"


class ClaimState(StrEnum):
    """What became of one claim of a lattice."""

    EVIDENCE_LINKED = "EVIDENCE_LINKED"
    EVIDENCE_LINKED_PARTIAL = "EVIDENCE_LINKED_PARTIAL"
    NO_EVIDENCE_POINTER = "NO_EVIDENCE_POINTER"
    SCHEMA_INVALID = "SCHEMA_INVALID"
    UNKNOWN_EVIDENCE_ID = "UNKNOWN_EVIDENCE_ID"
    SOURCE_ROLE_BLOCKED = "SOURCE_ROLE_BLOCKED"
    CITATION_MISMATCH = "CITATION_MISMATCH"
    MANUAL_QUOTE_VIOLATION = "MANUAL_QUOTE_VIOLATION"


LINKED: Final = (ClaimState.EVIDENCE_LINKED, ClaimState.EVIDENCE_LINKED_PARTIAL)


class ViolationKind(StrEnum):
    """Which rule a lattice broke."""

    TOO_MANY_CLAIMS = "TOO_MANY_CLAIMS"
    NO_EVIDENCE_POINTER = "NO_EVIDENCE_POINTER"
    SCHEMA_INVALID = "SCHEMA_INVALID"
    POINTER_OVERFLOW_TRIMMED = "POINTER_OVERFLOW_TRIMMED"
    UNKNOWN_EVIDENCE_ID = "UNKNOWN_EVIDENCE_ID"
    SOURCE_ROLE_BLOCKED = "SOURCE_ROLE_BLOCKED"
    CITATION_MISMATCH = "CITATION_MISMATCH"
    LAZY_ANCHOR_DEMOTE = "LAZY_ANCHOR_DEMOTE"
    WARRANT_MISSING = "WARRANT_MISSING"
    TITLE_MISMATCH = "TITLE_MISMATCH"
    SUBJECT_TOKENS_ABSENT = "SUBJECT_TOKENS_ABSENT"
    DEFLECTION_DETECTED = "DEFLECTION_DETECTED"
    FORMAT_COLLAPSED = "FORMAT_COLLAPSED"
    MANUAL_QUOTE_VIOLATION = "MANUAL_QUOTE_VIOLATION"
    TOO_MANY_EVIDENCE_IDS = "TOO_MANY_EVIDENCE_IDS"


def mode_of(verified: int, units: int) -> AuditMode:
    """Name the mode that the counts alone give."""
    if verified == 0:
        return AuditMode.UNGROUNDED
    return AuditMode.STRICT if verified == units else AuditMode.HYBRID


def capped(mode: AuditMode) -> AuditMode:
    """Take STRICT down to HYBRID and leave the rest."""
    return AuditMode.HYBRID if mode is AuditMode.STRICT else mode
