"""One word for how well an answer is warranted, for display only."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from groundwire.audit.outcomes import AuditMode, Method, ViolationKind

_SOFT: Final = frozenset(
    {
        ViolationKind.DEFLECTION_DETECTED,
        ViolationKind.LAZY_ANCHOR_DEMOTE,
        ViolationKind.POINTER_OVERFLOW_TRIMMED,
        ViolationKind.TOO_MANY_CLAIMS,
    }
)


class Rung(StrEnum):
    """How well an answer is warranted, best first."""

    ENTAILMENT_VERIFIED = "ENTAILMENT-VERIFIED"
    EVIDENCE_WARRANTED = "EVIDENCE-WARRANTED"
    ANCHOR_WARRANTED = "ANCHOR-WARRANTED"
    POINTER_LINKED_PARTIAL = "POINTER-LINKED-PARTIAL"
    UNGROUNDED = "UNGROUNDED"


def ladder_rung(result: Mapping[str, Any]) -> str:
    """Name the rung of an audit result, object or dictionary."""
    rung = _lexical_rung(result)
    semantic = result.get("semantic")
    if rung is Rung.EVIDENCE_WARRANTED and semantic and all(item["verdict"] == "supported" for item in semantic):
        rung = Rung.ENTAILMENT_VERIFIED
    return str(rung)


def _lexical_rung(result: Mapping[str, Any]) -> Rung:
    mode, method = result["audit_mode"], result["verifier_method"]
    if mode == AuditMode.STRICT:
        indirect = method in (Method.PARAPHRASE, Method.ENTITY)
        return Rung.ANCHOR_WARRANTED if indirect else Rung.EVIDENCE_WARRANTED
    if mode == AuditMode.UNGROUNDED:
        return Rung.UNGROUNDED
    kinds = {broken["kind"] for broken in result.get("violations", ())}
    return Rung.ANCHOR_WARRANTED if kinds and kinds <= _SOFT else Rung.POINTER_LINKED_PARTIAL
