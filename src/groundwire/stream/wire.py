"""What a stream tells a program: texts, claims and the end, in the one form of command line and service."""

from typing import Any

from groundwire.types import ClaimVerdict, StreamSession


def text_event(text: str) -> dict[str, Any]:
    """Say which text may be shown."""
    return {"type": "text", "text": text}


def claim_event(verdict: ClaimVerdict, is_rejected: bool) -> dict[str, Any]:
    """Say how a claim was judged."""
    return {
        "type": "claim",
        "claim": verdict.claim,
        "start": verdict.start,
        "end": verdict.end,
        "verdict": str(verdict.verdict),
        "confidence": round(verdict.confidence, 4),
        "reasons": [str(reason) for reason in verdict.reasons],
        "rejected": is_rejected,
        "evidence": [
            {"text": span.text, "source": span.source_id, "start": span.start, "end": span.end}
            for span in verdict.evidence_spans
        ],
    }


def end_event(session: StreamSession) -> dict[str, Any]:
    """Say how the stream ended."""
    if session.halted:
        return {"type": "halt", "reason": session.halt_reason, "evidence": session.halt_evidence}
    return {"type": "end"}
