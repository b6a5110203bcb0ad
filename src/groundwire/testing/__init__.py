"""Assert in a test that an answer rests on its source."""

from functools import cache
from typing import TYPE_CHECKING

from groundwire.types import ClaimVerdict, Policy, Status, Verdict, VerificationResult

if TYPE_CHECKING:
    from groundwire.verify import VerifiedScorer
    from groundwire.verify.scorer import Sources

__all__ = ["assert_grounded", "ungrounded_message"]

_MOST_CLAIMS = 20
_LONGEST_QUOTE = 300


def assert_grounded(
    answer: str,
    source: "Sources",
    *,
    question: str | None = None,
    policy: Policy | None = None,
    scorer: "VerifiedScorer | None" = None,
) -> VerificationResult:
    """Raise an AssertionError that shows the evidence unless the whole answer was checked and is approved.

    Without a `scorer` the embedded model takes part; `VerifiedScorer()` is the exact checks alone.
    """
    __tracebackhide__ = True  # pytest then points at the test, not at this line
    result = (scorer or _default_scorer()).verify(answer, source, question=question, policy=policy)
    # Nothing to check and nothing checked would be a test that passes without testing.
    if not result.approved or result.status != Status.CHECKED:
        raise AssertionError(ungrounded_message(result, policy or Policy()))
    return result


def ungrounded_message(result: VerificationResult, policy: Policy) -> str:
    """Say which claims the sources do not bear out, why, and what they say instead."""
    from groundwire.render.words import headline, status_note

    lines = [headline(result)]
    if result.status != Status.CHECKED:
        lines.append(status_note(result.status))
    doubtful = [claim for claim in result.claims if claim.verdict in {*policy.fail_on, *_WRONG}]
    for claim in doubtful[:_MOST_CLAIMS]:
        lines += _told(claim)
    if len(doubtful) > _MOST_CLAIMS:
        lines.append(f"  and {len(doubtful) - _MOST_CLAIMS} more")
    return "\n".join(lines)


_WRONG = (Verdict.CONTRADICTED, Verdict.FABRICATED)


def _told(claim: ClaimVerdict) -> list[str]:
    from groundwire.render.words import explain, verdict_words

    words = verdict_words(claim.verdict)
    lines = [
        f"  {words.sign} {words.label} ({claim.confidence:.2f}) at {claim.start}-{claim.end}: {_quote(claim.claim)}"
    ]
    lines += [f"    {sentence}" for sentence in explain(claim)]
    if claim.evidence_spans:
        span = claim.evidence_spans[0]
        lines.append(f"    Nearest evidence, {span.source_id} {span.start}-{span.end}: {_quote(span.text)}")
    return lines


def _quote(text: str) -> str:
    from groundwire.render.plain import visible

    flat = visible(text)
    return f"“{flat if len(flat) <= _LONGEST_QUOTE else flat[: _LONGEST_QUOTE - 1] + '…'}”"


@cache
def _default_scorer() -> "VerifiedScorer":
    from groundwire.nli.shipped import load_model
    from groundwire.verify import VerifiedScorer

    return VerifiedScorer(load_model(no_model=False))
