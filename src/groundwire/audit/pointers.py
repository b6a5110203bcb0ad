"""Claims of an answer that ends them with tags."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from groundwire.text.lexical import line_ranges, marker_end
from groundwire.types import ParsedClaim

PARSED: Final = "PARSED"
NO_EVIDENCE_POINTER: Final = "NO_EVIDENCE_POINTER"

_TAG = re.compile(
    r"[\[［【]\s{0,9}[EeＥｅ]\d{1,18}(?:\s{0,9}[,;，；]\s{0,9}[EeＥｅ]\d{1,18})*+\s{0,9}[,;，；]?\s{0,9}[\]］】]"
)
_TAG_OPENING = re.compile(r"[\[［【]\s{0,9}[EeＥｅ]\d")
_POINTER = re.compile(r"[EeＥｅ](\d{1,18})")
_FENCE = re.compile(r"(?:`{3,}|~{3,})[\w+-]*+\s*+$")
_RULE = re.compile(r"(?:[-*_=][ \t]*){3,}+$")
_SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’»)\]*_]*+\s*+$")
_FOLLOWING_END = re.compile(r"\s*([.!?。！？]+[\"'”’»)]*+)")
_LEAD = re.compile(r"[\s,;:]*+")


@dataclass(frozen=True, slots=True)
class Tag:
    """A citation in an answer and the ids it names."""

    start: int
    end: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LocatedClaim:
    """A claim and its place in the answer, tags inside it included."""

    claim: ParsedClaim
    start: int
    end: int


def parse_pointer_claims(text: str) -> list[ParsedClaim]:
    """Cut an answer into claims and the evidence pointers that close them."""
    return [located.claim for located in parse_tagged(text, pointer_tags)]


def pointer_tags(text: str, start: int, end: int) -> list[Tag]:
    """Find the evidence tags of a line."""
    return [
        Tag(match.start(), match.end(), tuple(map(_canonical, _POINTER.findall(match.group()))))
        for match in _TAG.finditer(text, start, end)
    ]


def canonical_pointer(written: str) -> str:
    """Write a pointer id as `E<n>`, or leave what is none."""
    match = _POINTER.fullmatch(written.strip().strip("[]［］【】 "))
    return written if match is None else _canonical(match.group(1))


def _canonical(digits: str) -> str:
    # Full-width digits are digits too.
    return "E" + "".join(str(int(digit)) for digit in digits)


def count_tag_openings(text: str) -> int:
    """Count what begins like an evidence tag."""
    return sum(1 for _ in _TAG_OPENING.finditer(text))


def parse_tagged(text: str, find_tags: Callable[[str, int, int], Sequence[Tag]]) -> list[LocatedClaim]:
    """Cut an answer into claims at the tags that a style of citation has."""
    claims: list[LocatedClaim] = []
    for line_start, end in line_ranges(text):
        start = line_start + marker_end(text[line_start:end])
        line = text[start:end]
        if not line or _is_no_claim(line, text[line_start:end]):
            continue
        tags = find_tags(text, start, end)
        if tags or not line.endswith(":"):
            claims.extend(_line_claims(text, start, end, tags))
    return claims


def _is_no_claim(line: str, whole: str) -> bool:
    heading = line.startswith("#") and not line[1:2].isdigit()
    return heading or _FENCE.match(line) is not None or _RULE.match(whole) is not None


def _line_claims(text: str, start: int, end: int, tags: Sequence[Tag]) -> list[LocatedClaim]:
    claims: list[LocatedClaim] = []
    ids: dict[str, None] = {}
    inner: list[Tag] = []
    begin, place = start, 0
    while place < len(tags):
        tag, last = tags[place], place
        while last + 1 < len(tags) and not text[tags[last].end : tags[last + 1].start].strip():
            last += 1
        group_end = tags[last].end
        for member in tags[place : last + 1]:
            ids.update(dict.fromkeys(member.ids))
        inner.extend(tags[place : last + 1])
        following = _FOLLOWING_END.match(text, group_end, end)
        before_ends = _SENTENCE_END.search(text[max(begin, tag.start - 40) : tag.start]) is not None
        if following is not None or before_ends or group_end == end:
            after = following.end() if following is not None else group_end
            # "It erupted. [E1]." has one full stop too many.
            claims.append(_claim(text, begin, group_end if before_ends else after, inner, tuple(ids)))
            begin, ids, inner = after, {}, []
        place = last + 1
    rest = _claim(text, begin, end, inner, tuple(ids))
    if inner or any(character.isalnum() for character in rest.claim.claim_text):
        claims.append(rest)
    return claims


def _claim(text: str, begin: int, stop: int, tags: Sequence[Tag], ids: tuple[str, ...]) -> LocatedClaim:
    lead = _LEAD.match(text, begin, stop)
    begin = lead.end() if lead is not None else begin
    parts: list[str] = []
    place = begin
    for tag_start, tag_end in _groups(text, tags):
        part = text[place : max(place, tag_start)]
        # Without its tag "erupted [E1]." must read "erupted.".
        glued = text[tag_end : min(tag_end + 1, stop)] in (".", ",", ";", ":", "!", "?", ")")
        parts.append(part.rstrip() if glued else part + " ")
        place = tag_end
    parts.append(text[place:stop])
    claim_text = " ".join("".join(parts).split())
    groups = _groups(text, tags)
    end = groups[-1][0] if groups and groups[-1][1] == stop else stop
    end = begin + len(text[begin:end].rstrip())
    return LocatedClaim(ParsedClaim(claim_text, ids, PARSED if ids else NO_EVIDENCE_POINTER), begin, end)


def _groups(text: str, tags: Sequence[Tag]) -> list[tuple[int, int]]:
    """Join tags that only white space separates."""
    groups: list[tuple[int, int]] = []
    for tag in tags:
        if groups and not text[groups[-1][1] : tag.start].strip():
            groups[-1] = (groups[-1][0], tag.end)
        else:
            groups.append((tag.start, tag.end))
    return groups
