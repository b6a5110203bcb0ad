"""Wiki markup reduced to prose, by deletion only, so that every kept character knows its place."""

import re
from functools import cache

from groundwire.text.lexicon import load_words

Range = tuple[int, int]

_MARKS = re.compile(r"\[\[|\{\{|''|<[!/a-zA-Z]|\[https?://|^=", re.MULTILINE)
_HIDDEN = re.compile(r"<!--|-->|<ref\b[^<>]*>|</ref\s{0,9}>", re.IGNORECASE)
_BRACES = re.compile(r"\{\{|\}\}")
_BRACKETS = re.compile(r"\[\[|\]\]")
_APOSTROPHES = re.compile(r"'{2,}")
_HEADING = re.compile(r"^=[^\n]*=[ \t]*$", re.MULTILINE)
_BREAK = re.compile(r"<(?:br|/p|/div|/blockquote)\b[^<>]*+>", re.IGNORECASE)
_EXTERNAL = re.compile(r"\[https?://[^\s\[\]]++[ \t]++([^\[\]\n]++)\]")


def to_base(text: str) -> str:
    """Reduce wiki markup to prose; a text without markup comes back unchanged."""
    return "".join(text[start:end] if start < end else " " for start, end in prose_ranges(text))


def prose_ranges(text: str) -> list[Range]:
    """List the ranges of a text that remain when wiki markup is deleted; an empty one stands for a line break tag."""
    if _MARKS.search(text) is None:
        return [(0, len(text))] if text else []
    gone = _hidden(text)
    gone = _merged(gone + _templates(text, gone))
    gone = _merged(gone + _links(text, gone))
    gone = _merged(gone + _simple_marks(text))
    breaks = [(match.start(), match.start()) for match in _BREAK.finditer(text)]
    return sorted(_complement(gone, len(text)) + breaks)


def _hidden(text: str) -> list[Range]:
    """Find comments and references with their content."""
    gone: list[Range] = []
    opened: tuple[str, int] | None = None
    for match in _HIDDEN.finditer(text):
        mark = match.group().lower()
        if opened is None:
            if mark == "<!--":
                opened = ("-->", match.start())
            elif mark.endswith("/>"):
                gone.append(match.span())
            elif mark.startswith("<ref"):
                opened = ("</ref", match.start())
        elif mark.startswith(opened[0]):
            gone.append((opened[1], match.end()))
            opened = None
    return gone


def _templates(text: str, gone: list[Range]) -> list[Range]:
    found: list[Range] = []
    open_at: list[int] = []
    for start, end, mark in _outside(_BRACES, text, gone):
        if mark == "{{":
            open_at.append(start)
        elif open_at:
            first = open_at.pop()
            found.append((first, end))
    return found


def _links(text: str, gone: list[Range]) -> list[Range]:
    """Delete brackets and targets of labelled links, and whole links that are no prose."""
    found: list[Range] = []
    open_at: list[tuple[int, int]] = []
    for start, end, mark in _outside(_BRACKETS, text, gone):
        if mark == "[[":
            open_at.append((start, end))
        elif open_at:
            first, inside = open_at.pop()
            found.extend(_link_marks(text, first, inside, start, end))
    return found


def _link_marks(text: str, first: int, inside: int, closing: int, end: int) -> list[Range]:
    # A target is short; looking no further keeps deep nesting linear.
    head = text[inside : min(closing, inside + 400)]
    target, bar, _ = head.partition("|")
    space, colon, _ = target.partition(":")
    if colon and space.strip().lower() in load_words("audit_wiki_namespaces"):
        return [(first, end)]
    kept = inside + len(target) + 1 if bar and inside + len(target) + 1 < closing else inside
    if kept == inside and text.startswith(":", inside):
        kept += 1
    tail = closing - 1 if bar and kept == inside and head.endswith("|") else closing
    return [(first, kept), (tail, end)]


def _simple_marks(text: str) -> list[Range]:
    gone = [_apostrophe_mark(*match.span()) for match in _APOSTROPHES.finditer(text)]
    gone += [match.span() for match in _tags().finditer(text)]
    for match in _EXTERNAL.finditer(text):
        gone += [(match.start(), match.start(1)), (match.end(1), match.end())]
    for match in _HEADING.finditer(text):
        line = match.group()
        left = len(line) - len(line.lstrip("= \t"))
        right = len(line.rstrip("= \t"))
        if left < right:
            gone += [(match.start(), match.start() + left), (match.start() + right, match.end())]
    return gone


def _apostrophe_mark(start: int, end: int) -> Range:
    # Marks have two, three or five apostrophes; what a run has beyond them is text.
    length = end - start
    return (end - 3, end) if length == 4 else (max(start, end - 5), end)


@cache
def _tags() -> re.Pattern[str]:
    names = "|".join(sorted(load_words("audit_html_tags")))
    return re.compile(rf"</?(?:{names})(?:\s[^<>]*+)?/?>", re.IGNORECASE)


def _outside(pattern: re.Pattern[str], text: str, gone: list[Range]) -> list[tuple[int, int, str]]:
    """List matches that do not lie in ranges already deleted."""
    found: list[tuple[int, int, str]] = []
    place = 0
    for match in pattern.finditer(text):
        while place < len(gone) and gone[place][1] <= match.start():
            place += 1
        if place == len(gone) or match.end() <= gone[place][0]:
            found.append((match.start(), match.end(), match.group()))
    return found


def _merged(ranges: list[Range]) -> list[Range]:
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _complement(gone: list[Range], length: int) -> list[Range]:
    kept: list[Range] = []
    place = 0
    for start, end in gone:
        if place < start:
            kept.append((place, start))
        place = end
    if place < length:
        kept.append((place, length))
    return kept
