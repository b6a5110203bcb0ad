"""The lexical rules of the audit: words, numbers, sentence cuts, framing and citations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Final

from groundwire.text.lexicon import load_rows, load_words
from groundwire.text.normal_form import UNSPACED, find_bounded, normal_form

MIN_TOKEN_CHARS: Final = 4
MIN_PROSE_TOKENS: Final = 2
SALIENT_TOKEN_CHARS: Final = 4
_LONGEST_WORD: Final = 40
_NEGATION_REACH: Final = 3
_EDGE: Final = '.,;:!?"()[]{}'
_ENDINGS: Final = ("", "s", "es", "ed", "ing", "ly", "'s")

# \w leaves out the vowel signs of Indic and South-East Asian scripts.
_SIGNS: Final = (
    "\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17d3"
)
_WORD = re.compile(rf"[\w{_SIGNS}]+")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_NUMBER = re.compile(r"\d++(?:,\d++)*+(?:\.\d++)?")
_INNER_END = re.compile(r"[.!?]\s")
_CUT = re.compile(r"[.!?](\s+)")
_ANY_END = re.compile(r"[.!?][)\]'’”]*+\s+")
_MARKER = re.compile(r"[ \t]*(?:[-*+][ \t]+|•[ \t]*|\d{1,9}[.)][ \t]+)")


@dataclass(frozen=True)
class WordSet:
    """The words of one text, asked for single tokens."""

    normal: str
    words: frozenset[str]

    @cached_property
    def stems(self) -> frozenset[str]:
        """Collect the stems of the words, on the first question that equal words do not answer."""
        return frozenset(stem for word in self.words for stem in word_stems(word))

    def has(self, token: str) -> bool:
        """Tell whether a token stands in the text as the same word, up to inflection."""
        if token in self.words or not self.stems.isdisjoint(word_stems(token)):
            return True
        return not (token.isascii() and token.isalnum()) and find_bounded(self.normal, token) >= 0


def word_set(text: str) -> WordSet:
    """Collect the words of a text for `WordSet.has`."""
    normal = normal_form(text)
    return WordSet(normal, frozenset(word_forms(normal)))


def word_forms(normal: str) -> set[str]:
    """Collect the words of a normal form, whole as between spaces and in their parts."""
    words = {token.strip(_EDGE) for token in normal.split(" ")}
    words.update(_pieces(normal))
    words.discard("")
    return words


def word_stems(word: str) -> tuple[str, ...]:
    """List what remains of a word without each ending of an inflection."""
    return () if len(word) < MIN_TOKEN_CHARS or len(word) > _LONGEST_WORD else _stems(word)


# The same few thousand words come back in every text; long strings never get in.
@lru_cache(maxsize=16_384)
def _stems(word: str) -> tuple[str, ...]:
    stems = (word[: len(word) - len(ending)] for ending in _ENDINGS if word.endswith(ending))
    return tuple(stem for stem in stems if len(stem) >= MIN_TOKEN_CHARS and stem.isalpha())


def content_tokens(text: str) -> list[str]:
    """List the words that carry content, each once, in order."""
    stop = load_words("audit_stopwords")
    found: dict[str, None] = {}
    for piece in _pieces(normal_form(text)):
        if (len(piece) >= MIN_TOKEN_CHARS and piece not in stop) or _UNSPACED_RUN.match(piece):
            found[piece] = None
    return list(found)


def _pieces(normal: str) -> list[str]:
    words = _WORD.findall(normal.replace("_", " "))
    if normal.isascii():
        return words
    return [piece for word in words for piece in _unspaced_pieces(word)]


def _unspaced_pieces(word: str) -> Iterator[str]:
    """Cut out what is written without spaces as pairs of characters, which stand in for words."""
    place = 0
    for run in _UNSPACED_RUN.finditer(word):
        if place < run.start():
            yield word[place : run.start()]
        signs = run.group()
        yield from (signs[at : at + 2] for at in range(max(1, len(signs) - 1)))
        place = run.end()
    if place < len(word):
        yield word[place:]


def topical_tokens(span: str) -> list[str]:
    """List the tokens that decide whether a span talks about the context."""
    stop = load_words("audit_stopwords")
    tokens = (token.strip(_EDGE) for token in normal_form(span).split(" "))
    return [token for token in tokens if len(token) >= MIN_TOKEN_CHARS and token not in stop]


def capitalised_words(text: str) -> list[str]:
    """List the words that begin with a capital, without punctuation at their ends."""
    tokens = (token.strip(_EDGE) for token in text.split())
    return [token for token in tokens if token[:1].isupper()]


def singular(word: str) -> str:
    """Drop a plural ending, for the comparison of titles."""
    return word[:-1] if len(word) > MIN_TOKEN_CHARS and word.endswith("s") and not word.endswith("ss") else word


def numbers(text: str) -> list[str]:
    """List the numbers of a text in order, without grouping commas."""
    return [match.group().replace(",", "") for match in _NUMBER.finditer(text)]


def numeric_signature(text: str) -> frozenset[str]:
    """Collect the distinct numbers of a text; a decimal is one number."""
    return frozenset(numbers(text))


def negation_count(text: str) -> int:
    """Count the single words of a text that turn its statement around."""
    return sum(is_negator(token.strip(_EDGE)) for token in normal_form(text).split(" "))


def negated_words(text: str) -> list[frozenset[str]]:
    """List, for each negation of a text, the content words within a few words around it."""
    stop = load_words("audit_stopwords")
    tokens = [token.strip(_EDGE) for token in normal_form(text).split(" ")]
    heard = [len(token) >= MIN_TOKEN_CHARS and token not in stop and not is_negator(token) for token in tokens]
    found: list[frozenset[str]] = []
    for place, token in enumerate(tokens):
        if is_negator(token):
            near = range(max(0, place - _NEGATION_REACH), min(len(tokens), place + _NEGATION_REACH + 1))
            found.append(frozenset(tokens[other] for other in near if heard[other]))
    return found


def is_negator(token: str) -> bool:
    """Tell whether a single token turns a statement around."""
    return token in _negators() or token.endswith("n't")


def same_word(left: str, right: str) -> bool:
    """Tell whether two tokens are one word up to inflection."""
    return left == right or not set(word_stems(left)).isdisjoint(word_stems(right))


@cache
def _negators() -> frozenset[str]:
    # A cue of several words would be lost when a word is put between them.
    return frozenset(cue for cue, *_ in load_rows("negators") if " " not in cue)


def is_single_sentence(text: str) -> bool:
    """Tell whether no sentence ends before the end of the text."""
    return _INNER_END.search(text.strip()) is None


def is_prose_span(span: str) -> bool:
    """Tell prose from a list of names by its lower-case words."""
    tokens = (token.strip(_EDGE) for token in span.split())
    return sum(len(token) >= MIN_TOKEN_CHARS and token[0].islower() for token in tokens) >= MIN_PROSE_TOKENS


def is_framing(span: str) -> bool:
    """Tell whether a span opens with words that only introduce or decline."""
    return normal_form(span).startswith(_framing_openings())


@cache
def _framing_openings() -> tuple[str, ...]:
    return tuple(sorted(load_words("audit_framing_peel") | load_words("audit_framing_drop")))


@cache
def _framing_lead() -> re.Pattern[str]:
    openings = sorted(load_words("audit_framing_peel"), key=len, reverse=True)
    flexible = "|".join(r"\s+".join(map(re.escape, opening.split())) for opening in openings)
    return re.compile(rf"\s*(?:{flexible})\w{{0,20}}\s{{0,9}}[,:]\s*", re.IGNORECASE)


def framing_end(text: str) -> int:
    """Return where the claim behind an introducing phrase begins, 0 when there is no such phrase."""
    match = _framing_lead().match(text)
    return 0 if match is None else match.end()


def strip_trailing_citation(text: str) -> str:
    """Remove one citation in parentheses from the very end."""
    trimmed = text.rstrip()
    opening = trimmed.rfind("(")
    if opening < 0 or not trimmed.endswith(")") or ")" in trimmed[opening:-1]:
        return text
    return trimmed[:opening].rstrip() if _citation_cue().match(trimmed, opening + 1) else text


@cache
def _citation_cue() -> re.Pattern[str]:
    cues = "|".join(sorted(load_words("audit_citation_cues")))
    return re.compile(rf"\s*(?:https?://|(?:{cues})(?![\w-]))", re.IGNORECASE)


def marker_end(line: str) -> int:
    """Return where a line's text begins behind a list marker."""
    match = _MARKER.match(line)
    return 0 if match is None else match.end()


def line_ranges(text: str) -> Iterator[tuple[int, int]]:
    """List the non-empty lines of a text as ranges without surrounding white space."""
    place = 0
    for line in text.splitlines(keepends=True):
        body = line.strip()
        if body:
            start = place + line.find(body[0])
            yield start, start + len(body)
        place += len(line)


def sentence_ranges(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Cut a range after a sentence end that white space and a capital follow."""
    end = len(text) if end is None else end
    place = start
    for match in _CUT.finditer(text, start, end):
        following = match.end()
        if following < end and text[following].isupper():
            yield place, match.start(1)
            place = following
    if place < end:
        yield place, end


def sentence_borders(text: str) -> list[int]:
    """List where sentences may begin and the text ends, also where one begins without a capital."""
    return [0, *(match.end() for match in _ANY_END.finditer(text)), len(text)]
