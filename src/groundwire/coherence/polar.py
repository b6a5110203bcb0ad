"""A bare yes or no, read together with the question it answers."""

import re
from collections.abc import Sequence
from dataclasses import replace

from groundwire.text.lexicon import load_map
from groundwire.text.sentences import split_sentences
from groundwire.types import ClaimVerdict, Conflict, Policy, Reason, Source, Verdict
from groundwire.verify import VerifiedScorer

_BARE = re.compile(
    r"(?P<yes>yes|yeah|correct|right|true)|(?P<no>no|nope|incorrect|wrong|false)", re.IGNORECASE
)  # fmt: skip
# "Yes, it does." says no more than "Yes."
_TAIL = re.compile(
    r"[\s,.!]*(?:(?:it|they|you|he|she|we|i|there|that)(?:'s)?\s+\w+(?:n't)?(?:\s+not)?[\s.!]*)?", re.IGNORECASE
)
_LONGEST = 40
_LONGEST_QUESTION = 2_000


def answer_bare(
    claims: Sequence[ClaimVerdict], question: str, sources: Sequence[Source], verifier: VerifiedScorer, policy: Policy
) -> list[ClaimVerdict]:
    """Judge every bare yes or no by what the question asks, and leave the other claims as they are."""
    said = [_says_yes(claim.claim) for claim in claims]
    statement = _statement(question) if any(one is not None for one in said) else None
    if statement is None:
        return list(claims)
    # Once, however often the response says yes.
    asked = next(iter(verifier.verify(statement, list(sources), policy=policy).claims), None)
    if asked is None:
        return list(claims)
    return [claim if yes is None else _judged(claim, yes, asked) for claim, yes in zip(claims, said, strict=True)]


def _says_yes(claim: str) -> bool | None:
    """Tell a bare yes (True) from a bare no (False); None for any other claim."""
    bare = _BARE.match(claim) if len(claim) <= _LONGEST else None
    if bare is None or not _TAIL.fullmatch(claim.replace("’", "'"), bare.end()):
        return None
    return bare.lastgroup == "yes"


def _judged(claim: ClaimVerdict, said: bool, asked: ClaimVerdict) -> ClaimVerdict:
    verdict, reasons, conflicts = asked.verdict, list(asked.reasons), asked.conflicts
    if not said and verdict == Verdict.CONTRADICTED:
        verdict, reasons, conflicts = Verdict.SUPPORTED, [], []
    elif not said and verdict == Verdict.SUPPORTED:
        verdict, reasons, conflicts = Verdict.CONTRADICTED, [Reason.NEGATION_FLIP], [_denial(claim, asked)]
    elif conflicts:
        # The words that clash stand in the question; in the response it is the yes that does.
        conflicts = [
            replace(item, claim_start=claim.start, claim_end=claim.end, claim_text=claim.claim) for item in conflicts
        ]
    return replace(
        asked,
        claim=claim.claim,
        claim_index=claim.claim_index,
        start=claim.start,
        end=claim.end,
        is_atomic=claim.is_atomic,
        verdict=verdict,
        reasons=reasons,
        conflicts=conflicts,
        nli_divergence=0.0 if verdict == Verdict.SUPPORTED else asked.nli_divergence,
        unsupported_spans=[(claim.start, claim.end)] if conflicts else [],
    )


def _statement(question: str) -> str | None:
    """Return what a yes to the last question would state, None when it is no yes-or-no question."""
    units = split_sentences(question[-_LONGEST_QUESTION:])
    last = units[-1].text.strip() if units else ""
    first = last.split(maxsplit=1)[0].lower() if last else ""
    if not last.endswith("?") or first.replace("’", "'") not in load_map("auxiliaries"):
        return None
    return last.rstrip("? ") + "."


def _denial(claim: ClaimVerdict, asked: ClaimVerdict) -> Conflict:
    span = asked.evidence_spans[0]
    return Conflict(
        Reason.NEGATION_FLIP, claim.start, claim.end, claim.claim, span.start, span.end, span.text, span.source_id
    )  # fmt: skip
