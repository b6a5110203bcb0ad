"""A result made by hand, so that what is shown does not depend on what is measured."""

from pathlib import Path

from groundwire.types import (
    ClaimVerdict,
    Conflict,
    Reason,
    Source,
    SourceSpan,
    Status,
    Verdict,
    VerificationResult,
)

EXAMPLES = Path(__file__).parents[2] / "examples"


def claim(
    response: str,
    text: str,
    verdict: Verdict,
    source: Source | None = None,
    evidence: str = "",
    clash: tuple[Reason, str, str] | None = None,
    reasons: tuple[Reason, ...] = (),
    index: int = 0,
) -> ClaimVerdict:
    """Build a claim whose offsets are found in the texts."""
    start = response.index(text)
    spans, conflicts = [], []
    if source is not None and evidence:
        at = source.text.index(evidence)
        spans = [SourceSpan(evidence, 0, 0.2, start=at, end=at + len(evidence), source_id=source.id)]
        if clash is not None:
            reason, said, written = clash
            a, b = start + text.index(said), at + evidence.index(written)
            conflicts = [Conflict(reason, a, a + len(said), said, b, b + len(written), written, source.id)]
            reasons = (reason, *reasons)
    return ClaimVerdict(
        claim=text,
        claim_index=index,
        matched_source=evidence,
        source_index=0 if evidence else -1,
        nli_divergence=0.8 if conflicts else 0.1,
        entity_match=1.0,
        numerical_match=False if clash and clash[0] is Reason.NUMBER_MISMATCH else None,
        negation_flip=bool(clash) and clash is not None and clash[0] is Reason.NEGATION_FLIP,
        traceability=0.9 if evidence else 0.1,
        verdict=verdict,
        confidence=0.8,
        evidence_spans=spans,
        reasons=list(reasons),
        start=start,
        end=start + len(text),
        conflicts=conflicts,
    )


def result_of(claims: list[ClaimVerdict], status: Status = Status.CHECKED) -> VerificationResult:
    """Count the verdicts of hand-made claims."""
    counts = {verdict: sum(item.verdict == verdict for item in claims) for verdict in Verdict}
    bad = counts[Verdict.CONTRADICTED] + counts[Verdict.FABRICATED]
    return VerificationResult(
        approved=not bad,
        overall_score=0.5,
        confidence="high",
        claims=claims,
        supported_count=counts[Verdict.SUPPORTED],
        contradicted_count=counts[Verdict.CONTRADICTED],
        fabricated_count=counts[Verdict.FABRICATED],
        unverifiable_count=counts[Verdict.UNVERIFIABLE],
        coverage=counts[Verdict.SUPPORTED] / len(claims) if claims else 0.0,
        status=status,
        checks=["numbers", "names", "negation"],
        policy_hash="0123456789abcdef" * 4,
        version="0.0.0",
    )


def sample() -> tuple[VerificationResult, str, list[Source]]:
    """Return a result with every verdict, its response and its source."""
    response = (EXAMPLES / "answer.txt").read_text(encoding="utf-8")
    source = Source("source.txt", (EXAMPLES / "source.txt").read_text(encoding="utf-8"))
    rows: list[tuple[str, Verdict, str, tuple[Reason, str, str] | None, tuple[Reason, ...]]] = [
        (
            "The Lumen Desk 2 can be raised from 62 cm to 128 cm and carries up to 80 kg.",
            Verdict.SUPPORTED,
            "The desk can be raised from 62 cm to 128 cm and carries up to 80 kg.",
            None,
            (),
        ),
        (
            "It was introduced on 21 March 2024.",
            Verdict.CONTRADICTED,
            "It was introduced on 12 March 2024.",
            (Reason.DATE_MISMATCH, "21 March 2024", "12 March 2024"),
            (),
        ),
        (
            "The frame has a warranty of 15 years, and the motors have a warranty of 5 years.",
            Verdict.CONTRADICTED,
            "The frame has a warranty of 10 years, and the motors have a warranty of 5 years.",
            (Reason.NUMBER_MISMATCH, "15 years", "10 years"),
            (),
        ),
        (
            "The warranty covers damage caused by liquids.",
            Verdict.CONTRADICTED,
            "The warranty does not cover damage caused by liquids.",
            (Reason.NEGATION_FLIP, "covers", "does not cover"),
            (),
        ),
        (
            "Desks can be returned within 30 days of delivery if they are unused.",
            Verdict.SUPPORTED,
            "Desks can be returned within 30 days of delivery if they are unused.",
            None,
            (),
        ),
        (
            "Nordhaven's service team assembles the desk at home for 95 euros in Norway.",
            Verdict.UNVERIFIABLE,
            "Nordhaven's service team assembles the desk at home for 95 euros in Finland, Sweden and Denmark.",
            None,
            (Reason.WEAK_EVIDENCE,),
        ),
        (
            "A bamboo tabletop with wireless charging is available on request.",
            Verdict.FABRICATED,
            "",
            None,
            (Reason.LOW_TRACEABILITY,),
        ),
    ]
    claims = [
        claim(response, text, verdict, source, evidence, clash, reasons, index)
        for index, (text, verdict, evidence, clash, reasons) in enumerate(rows)
    ]
    return result_of(claims), response, [source]
