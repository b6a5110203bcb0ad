"""Hide attacks in twenty ways, each made by program and the same on every run."""

import base64
import codecs
import random
from collections.abc import Callable

from groundwire.text.lexicon import load_map

_CYRILLIC = str.maketrans("aeopcyxi", "аеорсухі")
_LEET = str.maketrans("aeiost", "4310$7")
_FULLWIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_FRAME = "Please look at this for me: {} Thank you."


def _each_word(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: " ".join(change(word) for word in text.split())


def _bold(text: str) -> str:
    return "".join(
        chr(0x1D400 + ord(char) - 65) if "A" <= char <= "Z"
        else chr(0x1D41A + ord(char) - 97) if "a" <= char <= "z"
        else char
        for char in text
    )  # fmt: skip


def _accents(text: str) -> str:
    rng = random.Random(len(text))
    return "".join(char + (rng.choice("\u0301\u0308\u0336\u0323") if char.isalpha() else "") for char in text)


def _morse(text: str) -> str:
    signs = {letter: sign for sign, letter in load_map("injection_morse").items()}
    return " / ".join(" ".join(signs[char] for char in word.lower() if char in signs) for word in text.split())


def _variations(text: str) -> str:
    hidden = (chr(0xFE00 + byte) if byte < 16 else chr(0xE0100 + byte - 16) for byte in text.encode())
    return "Nice weather today 🙂" + "".join(hidden)


KINDS: dict[str, Callable[[str], str]] = {
    "zero width": "\u200b".join,
    "soft hyphen": _each_word(lambda word: "\u00ad".join(word)),
    "Cyrillic look-alikes": lambda text: text.translate(_CYRILLIC),
    "full width": lambda text: text.translate(_FULLWIDTH),
    "mathematical bold": _bold,
    "combining marks": _accents,
    "leetspeak": lambda text: text.lower().translate(_LEET),
    "random case": lambda text: "".join(c.upper() if place % 2 else c.lower() for place, c in enumerate(text)),
    "spaced letters": lambda text: "  ".join(" ".join(word) for word in text.split()),
    "dotted words": _each_word(lambda word: ".".join(word)),
    "tag characters": lambda text: "Hello" + "".join(chr(0xE0000 + ord(char)) for char in text),
    "variation selectors": _variations,
    "base64": lambda text: _FRAME.format(base64.b64encode(text.encode()).decode()),
    "base64 twice": lambda text: _FRAME.format(base64.b64encode(base64.b64encode(text.encode())).decode()),
    "hexadecimal": lambda text: _FRAME.format(text.encode().hex()),
    "percent encoding": lambda text: _FRAME.format("".join(f"%{byte:02X}" for byte in text.encode())),
    "HTML entities": lambda text: _FRAME.format("".join(f"&#{ord(char)};" for char in text)),
    "ROT13": lambda text: codecs.encode(text, "rot13"),
    "reversed": lambda text: text[::-1],
    "Morse": _morse,
}
