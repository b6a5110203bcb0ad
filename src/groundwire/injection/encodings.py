"""Find text hidden in encodings; every decoder is bounded and never raises on bad input."""

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from groundwire.injection.words import Words, classes, segment, vocabulary
from groundwire.text.lexicon import load_map

_LONGEST_PAYLOAD = 200_000  # characters of one encoded run that are decoded
_LONGEST_LINE = 4_000
_READABLE = 0.85


class Decoded(NamedTuple):
    """A piece of text, the text it stands for, and how it was hidden."""

    kind: str
    start: int
    end: int
    text: str


# Nothing may fail behind a long run: it would be tried again from every place inside.
# So each pattern ends with its repeated part, and that part is possessive.
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_\-])[A-Za-z0-9+/_\-]{12,}+(?:\r?\n[A-Za-z0-9+/_\-]{12,}+)*+={0,2}")
_BASE32 = re.compile(r"(?<![A-Z2-7])[A-Z2-7]{16,}+={0,6}")
_HEX = re.compile(r"(?<![0-9a-fA-F])(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ :,;\-]{0,2}){8,}+")
_BINARY = re.compile(r"(?<![01])(?:[01]{7,8}[ ,]{0,2}){4,}+")
_CODES = re.compile(r"(?<!\d)1?\d{2}(?!\d)(?:[ ,;]{1,2}1?\d{2}(?!\d)){7,}+")
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")
_QUOTED_PRINTABLE = re.compile(r"(?:=[0-9A-F]{2}){4,}+")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});")
_ESCAPE = re.compile(r"\\(?:u\{?([0-9a-fA-F]{4,6})\}?|x([0-9a-fA-F]{2})|([0-7]{3}))")
_MORSE = re.compile(r"(?<![.\-–−·•/])(?:[.\-–−·•]{1,6}[ /|]{1,3}){7,}+[.\-–−·•]{0,6}")
_SPACED = re.compile(r"(?<!\w)\w(?:[ ._*~|/\-]{1,3}\w(?!\w)){5,}+")
_VARIATIONS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}")
_LINE = re.compile(r"[^\n]+")
_HEX_NOISE = re.compile(r"0x|\\x|[^0-9a-fA-F]")
_HAS_HEX_LETTER_OR_GAP = re.compile(r"[a-fA-F\\x :]")
_LONG_WORD = 14


def decode(text: str, folded: str, words: Words, span: Callable[[int, int], tuple[int, int]]) -> Iterator[Decoded]:
    """Yield the readable texts hidden in a text; `span` leads from folded offsets to the text's own."""
    yield from _byte_runs(text)
    yield from _inline_escapes(text)
    if max(text, default="") >= "\ufe00" and _VARIATIONS.search(text):
        yield from _variation_bytes(text)
    for item in (*_morse(folded), *_spaced(folded), *_run_together(words), *_shifted(folded, words)):
        start, end = span(item.start, item.end)
        yield Decoded(item.kind, start, end, item.text)


def _byte_runs(text: str) -> Iterator[Decoded]:
    for kind, pattern, decoder in (
        ("base64", _BASE64, _from_base64),
        ("base32", _BASE32, _from_base32),
        ("hexadecimal", _HEX, _from_hex),
        ("binary", _BINARY, _from_binary),
        ("character codes", _CODES, _from_codes),
        ("quoted-printable", _QUOTED_PRINTABLE, _from_quoted),
    ):
        for match in pattern.finditer(text):
            data = decoder(match.group()[:_LONGEST_PAYLOAD])
            plain = readable(data) if data else ""
            if plain:
                yield Decoded(kind, match.start(), match.end(), plain)


def _from_base64(run: str) -> bytes:
    letters = re.sub(r"[\r\n=]", "", run).replace("-", "+").replace("_", "/")
    # Words and identifiers look like base64, too; bytes that are no text are thrown away by `readable`.
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    try:
        return base64.b64decode(letters + "=" * (-len(letters) % 4))
    except (binascii.Error, ValueError):
        return b""


def _from_base32(run: str) -> bytes:
    letters = run.rstrip("=")
    letters = letters[: len(letters) - (len(letters) % 8 in (1, 3, 6))]
    try:
        return base64.b32decode(letters + "=" * (-len(letters) % 8))
    except (binascii.Error, ValueError):
        return b""


def _from_hex(run: str) -> bytes:
    if not _HAS_HEX_LETTER_OR_GAP.search(run):
        return b""
    digits = _HEX_NOISE.sub("", run)
    return bytes.fromhex(digits[: len(digits) // 2 * 2])


def _from_binary(run: str) -> bytes:
    groups = re.findall(r"[01]+", run)
    if len(groups) == 1:
        groups = [run[place : place + 8] for place in range(0, len(run) // 8 * 8, 8)]
    return bytes(int(group, 2) & 0xFF for group in groups)


def _from_codes(run: str) -> bytes:
    codes = [int(code) for code in re.findall(r"\d+", run)]
    return bytes(codes) if all(32 <= code < 127 for code in codes) else b""


def _from_quoted(run: str) -> bytes:
    digits = run.replace("=", "")
    return bytes.fromhex(digits[: len(digits) // 2 * 2])


def readable(data: bytes) -> str:
    """Return bytes as text when they are text, else nothing."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        # Half a character at the end is no reason to give up.
        text = data.decode("utf-8", "ignore")
        if len(text.encode()) < len(data) - 3:
            return ""
    if len(text) < 4:
        return ""
    good = sum(char.isalnum() or char in " \n\t.,:;!?'\"%&#=+/-_<>()[]{}" for char in text[:2_000])
    return text if good >= _READABLE * min(len(text), 2_000) else ""


def _inline_escapes(text: str) -> Iterator[Decoded]:
    for kind, gate, pattern, plain in (
        ("percent encoding", "%", _PERCENT, _unpercent),
        ("HTML entities", "&", _ENTITY, html.unescape),
        ("escapes", "\\", _ESCAPE, _unescape),
    ):
        if gate not in text:
            continue
        for line in _LINE.finditer(text):
            piece = line.group()[:_LONGEST_LINE]
            if gate in piece and sum(1 for _ in pattern.finditer(piece)) >= 3:
                first = next(pattern.finditer(piece)).start()
                yield Decoded(kind, line.start() + first, line.start() + len(piece), plain(piece))


def _unpercent(text: str) -> str:
    return unquote_to_bytes(text).decode("utf-8", "replace").replace("+", " ")


def _unescape(text: str) -> str:
    def char(match: re.Match[str]) -> str:
        code = int(match[1] or match[2], 16) if match[1] or match[2] else int(match[3], 8)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else ""

    return _ESCAPE.sub(char, text)


def _variation_bytes(text: str) -> Iterator[Decoded]:
    for match in _VARIATIONS.finditer(text):
        run = match.group()[:_LONGEST_PAYLOAD]
        data = bytes(ord(char) - 0xFE00 if ord(char) < 0xFE10 else ord(char) - 0xE0100 + 16 for char in run)
        plain = readable(data)
        if plain:
            yield Decoded("variation selectors", match.start(), match.end(), plain)


def _morse(folded: str) -> Iterator[Decoded]:
    signs = str.maketrans("–−·•", "--..")
    for match in _MORSE.finditer(folded):
        parts = re.split(r"( {0,2}[/|] {0,2}| {2,3}| )", match.group()[:_LONGEST_PAYLOAD].translate(signs))
        letters = [load_map("injection_morse").get(part, "") if place % 2 == 0 else "" if part == " " else " "
                   for place, part in enumerate(parts)]  # fmt: skip
        yield Decoded("Morse", match.start(), match.end(), "".join(letters))


def _spaced(folded: str) -> Iterator[Decoded]:
    for match in _SPACED.finditer(folded):
        run = match.group()[:_LONGEST_LINE]
        groups = re.split(r"[ ._*~|/\-]{2,3}", run)
        plain = [re.sub(r"[\W_]", "", group) for group in groups]
        if all(word in vocabulary() for word in plain):
            yield Decoded("spaced letters", match.start(), match.end(), " ".join(plain))
            continue
        pieces = segment("".join(plain))
        if pieces:
            yield Decoded("spaced letters", match.start(), match.end(), " ".join(pieces))


def _run_together(words: Words) -> Iterator[Decoded]:
    for word, start, end in zip(*words, strict=True):
        if _LONG_WORD <= len(word) <= 200 and word not in vocabulary() and word.isascii():
            pieces = segment(word)
            if pieces and len(pieces) > 2:
                yield Decoded("words run together", start, end, " ".join(pieces))


@cache
def _shifts() -> dict[str, int]:
    """Map the tell-tale words, shifted by each amount, to that amount; 26 stands for reversed, 27 for Atbash."""
    table: dict[str, int] = {}
    names = ("imperative_ignore", "instructions", "previous", "prompt", "strong_secret")
    telling = {word for name in names for word in classes()[name] if len(word) >= 5 and word.isascii()}
    for word in telling:
        for shift in range(1, 28):
            form = _shifted_back(word, 26 - shift if shift < 26 else shift)
            if form not in vocabulary():
                table.setdefault(form, shift)
    return table


def _shifted_back(text: str, shift: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    if shift == 26:
        return text[::-1]
    if shift == 27:
        return text.translate(str.maketrans(letters, letters[::-1]))
    return text.translate(str.maketrans(letters, letters[26 - shift :] + letters[: 26 - shift]))


def _shifted(folded: str, words: Words) -> Iterator[Decoded]:
    seen: dict[int, list[int]] = {}
    table = _shifts()
    for place, word in enumerate(words.words):
        shift = table.get(word)
        if shift is not None:
            seen.setdefault(shift, []).append(place)
    for shift, places in seen.items():
        # One word can be chance; two different ones of the same shift are not.
        if len({words.words[place] for place in places}) < 2:
            continue
        start = max(0, words.starts[places[0]] - 200)
        end = min(len(folded), words.ends[places[-1]] + 200, start + _LONGEST_PAYLOAD)
        piece = folded[start:end]
        if shift == 26:
            yield Decoded("reversed text", start, end, piece[::-1])
            yield Decoded("reversed words", start, end, " ".join(word[::-1] for word in piece.split()))
        else:
            name = "Atbash" if shift == 27 else f"shift by {shift}"
            yield Decoded(name, start, end, _shifted_back(piece, shift))
