"""Words, stems and content words."""

import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

from groundwire.text.lexicon import load_map, load_rows, load_words

# Combining marks are letters' parts in many scripts, but not \w for Python.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a4d"
    "\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b4d\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3e-\u0c4d"
    "\u0c81-\u0c83\u0cbc-\u0ccd\u0d00-\u0d03\u0d3b-\u0d4d\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
)
_LETTER = rf"[^\W\d_{_MARKS}]"
_LETTERS = rf"(?:{_LETTER}++[{_MARKS}]*+)"
# "U.S." is one word, "J. R." is two. Each begins with a set of characters: what is no letter is passed over quickly.
_WORD = re.compile(rf"{_LETTER}(?:(?<=[A-Za-z])\.(?:[A-Za-z]\.){{1,5}}|[{_MARKS}]*+{_LETTERS}*+(?:['’]{_LETTERS}++)*+)")
_ASCII_WORD = re.compile(r"[A-Za-z](?:\.(?:[A-Za-z]\.){1,5}|[A-Za-z]*+(?:'[A-Za-z]++)*+)")
# Scripts that write no spaces between words.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f]"
)
_VOWEL = re.compile("[aeiouy]")
_MIN_CONTENT = 3
_KEPT_WORDS = 16_384  # words in use; in a run over a million texts rare ones must not pile up


class Word(NamedTuple):
    """One word with its place in the text it came from."""

    text: str
    start: int
    end: int
    lower: str
    stem: str
    content: bool


def fold(text: str) -> str:
    """Lower-case a text and bring compatibility forms together."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


def find_words(text: str) -> list[Word]:
    """List the words of a text; unspaced scripts give character bigrams."""
    if text.isascii():
        # Without a call for each word, this takes two thirds of the time.
        return [Word._make((match[0], *match.span(), *_word_facts(match[0]))) for match in _ASCII_WORD.finditer(text)]
    words: list[Word] = []
    for match in _WORD.finditer(text):
        token = match.group()
        if not token.isascii() and _UNSPACED.search(token):
            words.extend(_bigrams(token, match.start()))
            continue
        words.append(Word._make((token, *match.span(), *_word_facts(token))))
    return words


def stems_of(text: str) -> list[str]:
    """List the stems of all words of a text, in order, without their places."""
    pattern = _ASCII_WORD if text.isascii() else _WORD
    if pattern is _WORD and _UNSPACED.search(text):
        return [word.stem for word in find_words(text)]
    return [stem_ for _, stem_, _ in map(_word_facts, pattern.findall(text))]


def content_stems(text: str) -> list[str]:
    """List the stems of the content words of a text, in order."""
    pattern = _ASCII_WORD if text.isascii() else _WORD
    if pattern is _WORD and _UNSPACED.search(text):
        return [word.stem for word in find_words(text) if word.content]
    return [stem_ for _, stem_, content in map(_word_facts, pattern.findall(text)) if content]


def is_function_word(lower: str) -> bool:
    """Tell whether a lower-cased word only carries grammar."""
    return lower in load_words("function_words")


@lru_cache(maxsize=_KEPT_WORDS)
def _word_facts(token: str) -> tuple[str, str, bool]:
    lower = fold(token)
    if "." in token or (token.isupper() and lower in load_words("acronyms")):
        letters = lower.replace(".", "")
        return (
            letters if "." in token else lower,
            ".".join(letters),
            letters not in ("eg", "ie", "am", "pm", "zb", "dh"),
        )
    content = len(lower) >= _MIN_CONTENT and not is_function_word(lower)
    if not content and len(lower) >= 2 and token.isascii() and token.isupper() and not is_function_word(lower):
        # Two-letter acronyms (EU, AI) carry content though they are short.
        content = True
    return lower, stem(lower), content


def _bigrams(token: str, offset: int) -> list[Word]:
    if len(token) == 1:
        return [Word(token, offset, offset + 1, token, token, True)]
    pieces = []
    for place in range(len(token) - 1):
        piece = token[place : place + 2]
        pieces.append(Word(piece, offset + place, offset + place + 2, piece, piece, True))
    return pieces


@cache
def _irregular_forms() -> dict[str, str]:
    forms = {row[0]: row[1] for row in load_rows("irregular_nouns")}
    for lemma, irregular, *_ in load_rows("verbs"):
        for form in irregular.split(","):
            if form:
                forms.setdefault(form, lemma)
    return forms


@lru_cache(maxsize=_KEPT_WORDS)
def stem(lower: str) -> str:
    """Cut plural, -ed, -ing and possessive endings; one stem for British and American spelling."""
    word = lower
    if "'" in word:
        word = word[:-2] if word.endswith("'s") else word.removesuffix("'")
    if not (word.isascii() and word.isalpha()):
        return word
    word = _irregular_forms().get(word, word)
    word = load_map("spellings").get(word, word)
    return _bare(_short_form(word) or _cut_ending(word))


@cache
def _lemmas() -> frozenset[str]:
    return frozenset(row[0] for row in load_rows("verbs"))


def _short_form(word: str) -> str:
    """Undo -ed and -ing on verbs too short for the general rule (sued, using)."""
    if len(word) == 4 and word.endswith("ed") and word[:-1] in _lemmas():
        return word[:-1]
    if len(word) == 5 and word.endswith("ing"):
        return next((base for base in (word[:-3] + "e", word[:-3]) if base in _lemmas()), "")
    return ""


def _cut_ending(word: str) -> str:
    if len(word) <= 3 or word[-1] not in "sdg":
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ing") and len(word) > 5 and _VOWEL.search(word[:-3]):
        return word[:-3]
    if word.endswith("ed") and len(word) > 4 and not word.endswith("eed") and _VOWEL.search(word[:-2]):
        return word[:-2]
    return word


def _bare(word: str) -> str:
    # "store", "stored" and "storing" must meet, and so must "stop" and "stopped";
    # a stem is a key, not a word, so it may look cut.
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word


@cache
def verb_shares() -> dict[str, int]:
    """Map verb stems to how often they are verbs, in percent."""
    shares: dict[str, int] = {}
    for lemma, _, share in load_rows("verbs"):
        key = stem(lemma)
        shares[key] = max(int(share), shares.get(key, 0))
    return shares


def verb_share(key: str) -> int:
    """Return how often a stem is a verb, in percent; 0 for words that never are."""
    return verb_shares().get(key, 0)
