"""What is known when a stream is stopped: evidence, attribution, and the fact that would have saved it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from groundwire.types import (
    CounterfactualFactChange,
    CounterfactualHaltDiagnostic,
    EvidenceChunk,
    HaltEvidence,
    HaltTraceAttribution,
    ScoringEvidence,
)

Evidence = ScoringEvidence | Sequence[EvidenceChunk] | str | None
Rescore = Callable[[str, list[EvidenceChunk]], float]

_QUESTION = "Which single fact, if changed, would have prevented the halt?"
_CONTRADICTS = 0.5
_LONGEST_LABEL = 120


class Findings(NamedTuple):
    """The chunks behind a halt and how far the text diverges from each."""

    chunks: list[EvidenceChunk]
    scores: list[float] | None = None
    retrieval_path: str = ""
    scorer_path: str = ""


def read_findings(given: Evidence) -> Findings:
    """Bring every accepted form of evidence to one."""
    if given is None:
        return Findings([])
    if isinstance(given, str):
        return Findings([EvidenceChunk(given, 0.0)] if given else [])
    if isinstance(given, ScoringEvidence):
        return Findings(list(given.chunks), given.chunk_scores, "retrieval", "nli")
    return Findings(list(given))


def labels(chunks: Sequence[EvidenceChunk]) -> tuple[str, ...]:
    """Name the chunks by identifiers alone, never by their text."""
    return tuple(
        " ".join(chunk.source.split())[:_LONGEST_LABEL] if chunk.source else f"chunk-{number}"
        for number, chunk in enumerate(chunks)
    )


def halt_evidence(
    reason: str, findings: Findings, *, last_score: float, token_offset: int, threshold: float | None = None,
    observed: float | None = None, diagnostic: CounterfactualHaltDiagnostic | None = None,
) -> HaltEvidence:  # fmt: skip
    """Put the evidence of a halt together."""
    crossed_by = 0.0 if threshold is None or observed is None else abs(observed - threshold)
    return HaltEvidence(
        reason=reason,
        last_score=last_score,
        evidence_chunks=findings.chunks,
        nli_scores=findings.scores,
        suggested_action="retry with KB context" if findings.chunks else "lower temperature or rephrase",
        trace_attribution=HaltTraceAttribution(
            fact_source=", ".join(labels(findings.chunks)),
            retrieval_path=findings.retrieval_path,
            scorer_path=findings.scorer_path,
            token_offset=token_offset,
            threshold=threshold,
            causal_contribution=crossed_by,
        ),
        counterfactual_diagnostic=diagnostic,
    )


def diagnose(
    findings: Findings, claim: str, *, observed: float, threshold: float, prevents: Callable[[int], bool]
) -> CounterfactualHaltDiagnostic | None:
    """Ask of each chunk whether the halt would have been prevented had it said what the claim says."""
    if not findings.chunks:
        return None
    changes = [
        CounterfactualFactChange(name, chunk.text, claim, max(0.0, threshold - observed), prevents(number))
        for number, (name, chunk) in enumerate(zip(labels(findings.chunks), findings.chunks, strict=True))
    ]
    best = next((change for change in changes if change.prevented_halt), None)
    return CounterfactualHaltDiagnostic(_QUESTION, observed, threshold, best, changes)


def is_alone(findings: Findings, number: int) -> bool:
    """Tell whether one chunk alone accounts for the contradiction."""
    if findings.scores is None or len(findings.scores) != len(findings.chunks):
        return len(findings.chunks) == 1
    return all((score >= _CONTRADICTS) == (place == number) for place, score in enumerate(findings.scores))


def replaced(chunks: Sequence[EvidenceChunk], number: int, fact: str) -> list[EvidenceChunk]:
    """Let one chunk say something else."""
    return [
        EvidenceChunk(fact, chunk.distance, chunk.source) if place == number else chunk
        for place, chunk in enumerate(chunks)
    ]
