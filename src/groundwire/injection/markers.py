"""Structure that a plain text has no reason to carry: chat markers, hidden parts, invisible signs, floods."""

import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from groundwire.injection.folding import WORD, mixes_scripts

_ROLE_MARKER = re.compile(
    r"<\|[A-Za-z_]{3,20}\|>|\[/?INST\]|<</?SYS>>|</?(?:system|assistant|system_prompt|instructions?)>", re.I
)
_ROLE_LINE = re.compile(
    r"^[ \t>*#\-]{0,6}(?:\[)?(?:system|assistant|developer)"
    r"(?:[ _](?:message|prompt|note|override|update|instruction|notice))?(?:\])?[ \t]{0,2}:",
    re.I | re.M,
)
_FENCE_LINE = re.compile(r"^[ \t]{0,3}(?:[%#=\-~*>]{3,}+)[ \t]{0,2}(?:end|begin|new|start|stop)\b", re.I | re.M)
# Every hidden region is bounded, so an opening without an end costs little.
_HIDDEN_TAG = re.compile(
    r"<[a-z]{1,10}\s[^<>]{0,300}?(?:display\s{0,2}:\s{0,2}none|visibility\s{0,2}:\s{0,2}hidden|font-size\s{0,2}:\s{0,2}0"
    r"|opacity\s{0,2}:\s{0,2}0(?![.\d])|color\s{0,2}:\s{0,2}(?:white|#fff(?:fff)?\b|transparent)|\bhidden\b"
    r"|aria-hidden)[^<>]{0,300}>[^<]{0,4000}",
    re.I,
)
_MARKDOWN_NOTE = re.compile(r"^\[[^\]\n]{0,40}\]:[ \t]{0,3}(?:#|<>)[ \t]{0,3}[(\"'][^\n]{0,2000}", re.M)
_IMAGE = re.compile(r"!?\[[^\]\n]{0,300}\]\([^)\n]{0,600}\)")
_CARRIES_DATA = re.compile(r"\(https?://[^)\n]*(?:[{<$]|%7[bB]|\[)")
_ZERO_WIDTH = re.compile("[A-Za-z][\u200b\u200c\u200d\u2060-\u2064\ufeff\u180e]+(?=[A-Za-z])")
_OVERRIDE = re.compile("[\u202d\u202e]")
_TAGS = re.compile("(?<!\U0001f3f4)[\U000e0020-\U000e007e]{3,}")
_CYRILLIC = re.compile("[\u0400-\u058f]")
_FLOOD_WINDOW = 600
_FLOOD_RATIO = 0.06


class Mark(NamedTuple):
    """A structural finding in the text as it was given."""

    rule: str
    weight: float
    start: int
    end: int


class Region(NamedTuple):
    """A part that a reader does not see."""

    rule: str
    start: int
    end: int


def find_marks(text: str) -> Iterator[Mark]:
    """Yield the structural findings of a text."""
    if "<" in text or "[" in text:
        for match in _ROLE_MARKER.finditer(text):
            yield Mark("role_marker", 0.55, match.start(), match.end())
    for match in _ROLE_LINE.finditer(text):
        yield Mark("role_line", 0.35, match.start(), match.end())
    for match in _FENCE_LINE.finditer(text):
        yield Mark("fake_boundary", 0.50, match.start(), match.end())
    if "](" in text:
        for match in _IMAGE.finditer(text):
            if _CARRIES_DATA.search(match.group()):
                yield Mark("exfiltrating_link", 0.70, match.start(), match.end())
    yield from _floods(text)
    if not text.isascii():
        yield from _invisible(text)


def find_hidden(text: str) -> Iterator[Region]:
    """Yield the parts that a reader of the page does not see."""
    if "<" in text:
        yield from _comments(text)
        yield from (Region("hidden_html", match.start(), match.end()) for match in _HIDDEN_TAG.finditer(text))
    if "]" in text:
        yield from (Region("hidden_markdown", match.start(), match.end()) for match in _MARKDOWN_NOTE.finditer(text))
        yield from (Region("hidden_markdown", match.start(), match.end()) for match in _IMAGE.finditer(text))


def _comments(text: str) -> Iterator[Region]:
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start)
        if end < 0:
            return
        yield Region("hidden_html", start, end + 3)
        start = text.find("<!--", end)


def _invisible(text: str) -> Iterator[Mark]:
    joints = list(_ZERO_WIDTH.finditer(text))
    if joints:
        weight = 0.25 if len(joints) < 3 else 0.45
        yield Mark("zero_width", weight, joints[0].start(), joints[-1].end())
    for match in _OVERRIDE.finditer(text):
        yield Mark("bidi_control", 0.40, match.start(), match.end())
    for match in _TAGS.finditer(text):
        yield Mark("tag_characters", 0.85, match.start(), match.end())
    mixed = [match for match in WORD.finditer(text) if mixes_scripts(match.group())] if _CYRILLIC.search(text) else []
    if mixed:
        yield Mark("look_alike", 0.30 if len(mixed) < 3 else 0.60, mixed[0].start(), mixed[-1].end())


def _floods(text: str) -> Iterator[Mark]:
    start = -1
    for place in range(0, len(text) - _FLOOD_WINDOW // 2, _FLOOD_WINDOW):
        window = text[place : place + _FLOOD_WINDOW].encode("utf-8", "replace")
        # What repeats itself over and over packs to almost nothing.
        flooded = not window.isspace() and len(zlib.compress(window, 1)) < _FLOOD_RATIO * len(window) + 8
        if flooded and start < 0:
            start = place
        elif not flooded and start >= 0:
            yield Mark("flood", 0.40, start, place)
            start = -1
    if start >= 0:
        yield Mark("flood", 0.40, start, len(text))
