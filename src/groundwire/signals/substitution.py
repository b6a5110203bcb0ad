"""One word standing in another's place in an otherwise equal stretch."""

from difflib import SequenceMatcher

from groundwire.evidence import Evidence, SourceIndex
from groundwire.signals.claim import ClaimView
from groundwire.signals.coverage import covered, share
from groundwire.signals.finding import Finding
from groundwire.text.analysis import Analysis
from groundwire.text.meaning import opposites
from groundwire.types import Reason

_FRAME = 0.6
_LONGEST = 60


def find_substitution(view: ClaimView, item: Evidence, index: SourceIndex) -> Finding | None:
    """Align claim and sentence and look for a replaced content word.

    The clash is hard when the source itself uses the claim's word elsewhere: then it is
    a known filler of another slot. A word the source never uses may be a synonym we do
    not know, so it only forbids support.
    """
    claim, source = view.analysis, item.analysis
    if len(claim.words) > _LONGEST or len(source.words) > _LONGEST:
        return None
    if share(view.stems, item.stems) < _FRAME or len(view.stems) < 3:
        return None
    mine = [word.stem for word in claim.words]
    theirs = [word.stem for word in source.words]
    for tag, start, end, other_start, other_end in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if tag != "replace" or end - start > 2 or other_end - other_start > 2:
            continue
        one, two = _only_content(claim, start, end), _only_content(source, other_start, other_end)
        if one < 0 or two < 0 or not _framed(mine, theirs, start, end, other_start, other_end):
            continue
        key, other = mine[one], theirs[two]
        if covered(key, item.stems) or covered(other, frozenset(mine)) or other in opposites(key):
            continue
        if one in claim.verbs or two in source.verbs:
            continue
        first, second = claim.words[one], source.words[two]
        return Finding(
            Reason.SUBSTITUTION, first.start, first.end, item, second.start, second.end, hard=index.contains(key)
        )
    return None


def _only_content(sentence: Analysis, start: int, end: int) -> int:
    places = [place for place in range(start, end) if place in sentence.content]
    return places[0] if len(places) == 1 else -1


def _framed(mine: list[str], theirs: list[str], start: int, end: int, other_start: int, other_end: int) -> bool:
    left = start > 0 and other_start > 0 and mine[start - 1] == theirs[other_start - 1]
    right = end < len(mine) and other_end < len(theirs) and mine[end] == theirs[other_end]
    at_end = end == len(mine) and other_end == len(theirs)
    at_start = start == 0 and other_start == 0
    return (left or at_start) and (right or at_end)
