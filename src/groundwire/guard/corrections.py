"""Suggest the smallest change that would bring a rejected claim in line with its evidence."""

import re
from collections.abc import Callable, Sequence

from groundwire.text.lexicon import load_map
from groundwire.types import ClaimVerdict, Conflict, Correction, Edit, Reason, Verdict
from groundwire.verify import PreparedSource, Sources, VerifiedScorer

_REPLACED = frozenset(
    {
        Reason.NUMBER_MISMATCH, Reason.UNIT_MISMATCH, Reason.DATE_MISMATCH, Reason.ENTITY_SUBSTITUTION,
        Reason.SUBSTITUTION, Reason.ANTONYM, Reason.QUANTIFIER,
    }
)  # fmt: skip
_CONTRACTION = re.compile(r"n['’]t$", re.IGNORECASE)
_BARE = {"wo": "will", "ca": "can", "sha": "shall"}
_REFUSED = (Verdict.CONTRADICTED, Verdict.FABRICATED)


def suggest_corrections(
    response: str, verdicts: Sequence[ClaimVerdict], source: Sources | PreparedSource, scorer: VerifiedScorer
) -> list[Correction]:
    """Suggest a change for each rejected claim that has one; each was verified before it is offered."""
    wrong = [verdict for verdict in verdicts if verdict.verdict in _REFUSED and verdict.conflicts]
    if not wrong:
        return []
    prepared = source if isinstance(source, PreparedSource) else scorer.prepare(source)
    found = (_correction(response, verdict, prepared, scorer) for verdict in wrong)
    return [correction for correction in found if correction is not None]


def _correction(
    response: str, verdict: ClaimVerdict, prepared: PreparedSource, scorer: VerifiedScorer
) -> Correction | None:
    edits: list[Edit] = []
    for conflict in verdict.conflicts:
        edit = _edit(response, conflict) if conflict.hard else None
        # Two conflicts may meet in one span; the first is the one the verdict rests on.
        if edit is not None and not any(edit.start < other.end and other.start < edit.end for other in edits):
            edits.append(edit)
    if not edits:
        return None
    edits.sort(key=lambda edit: edit.start)
    after = _apply(response, verdict, edits, lambda edit: edit.after)
    checked = scorer.verify(after, prepared)
    if not checked.claims or any(claim.verdict in _REFUSED for claim in checked.claims):
        return None
    return Correction(
        claim_index=verdict.claim_index,
        start=verdict.start,
        end=verdict.end,
        before=verdict.claim,
        after=after,
        diff=_apply(response, verdict, edits, _marked),
        edits=tuple(edits),
        verdict=str(checked.claims[0].verdict),
    )


def _edit(response: str, conflict: Conflict) -> Edit | None:
    if conflict.reason == Reason.NEGATION_FLIP:
        return _turned(response, conflict)
    if conflict.reason not in _REPLACED or not conflict.source_text:
        return None
    return _edit_at(conflict, conflict.claim_start, conflict.claim_end, conflict.claim_text, conflict.source_text)


def _turned(response: str, conflict: Conflict) -> Edit | None:
    """Take a denial out of the claim, or put one in behind its auxiliary."""
    word, start, end = conflict.claim_text, conflict.claim_start, conflict.claim_end
    lower = word.lower().replace("’", "'")
    if _CONTRACTION.search(word):
        bare = _CONTRACTION.sub("", word)
        return _edit_at(conflict, start, end, word, _BARE.get(bare.lower(), bare))
    if lower == "cannot":
        return _edit_at(conflict, start, end, word, word[:3])
    if lower in load_map("negators"):
        if response[end : end + 1] == " ":
            end += 1
        return _edit_at(conflict, start, end, response[start:end], "")
    if lower in load_map("auxiliaries"):
        return _edit_at(conflict, end, end, "", " not")
    return None


def _edit_at(conflict: Conflict, start: int, end: int, before: str, after: str) -> Edit:
    return Edit(start, end, before, after, str(conflict.reason), conflict.source_id)


def _marked(edit: Edit) -> str:
    removed = f"[-{edit.before}-]" if edit.before else ""
    return removed + (f"{{+{edit.after}+}}" if edit.after else "")


def _apply(response: str, verdict: ClaimVerdict, edits: Sequence[Edit], write: Callable[[Edit], str]) -> str:
    pieces, place = [], verdict.start
    for edit in edits:
        pieces += [response[place : edit.start], write(edit)]
        place = edit.end
    return "".join([*pieces, response[place : verdict.end]])
