"""The context of a free-text audit, read once and asked by many answers."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from groundwire.audit.results import Piece
from groundwire.errors import InputTypeError
from groundwire.text.lexical import line_ranges, numeric_signature, sentence_ranges, word_forms, word_stems
from groundwire.text.normal_form import NormalText, find_all_bounded, find_bounded, normal_text
from groundwire.text.wikitext import prose_ranges
from groundwire.types import Source

MIN_OVERLAP_CHARS: Final = 12
MAX_OVERLAP_CHARS: Final = 4_000
MAX_LISTED_OCCURRENCES: Final = 50

# A line break between sources or for a tag: it belongs to no source.
_BREAK: Final = (-1, 0, 0)

Context = str | Source | Sequence[str | Source]


@dataclass(frozen=True, slots=True)
class ContextIndex:
    """A context in normal form with its words, numbers, sentences and the way back to the original."""

    source_ids: tuple[str, ...]
    base: str
    normal: NormalText
    numbers: frozenset[str]
    # Sentences are ranges of the base text; the postings of a word list its sentences in order.
    sentences: tuple[tuple[int, int], ...]
    postings: dict[str, list[int]]
    words_by_stem: dict[str, list[str]]
    raw_words: frozenset[str]
    # Kept ranges: where each begins in the base text, its source, and where it begins there.
    kept_starts: tuple[int, ...]
    kept_origins: tuple[tuple[int, int], ...]

    def has(self, token: str) -> bool:
        """Tell whether a token stands in the context as the same word, up to inflection."""
        if token in self.postings or any(stem in self.words_by_stem for stem in word_stems(token)):
            return True
        return not (token.isascii() and token.isalnum()) and find_bounded(self.normal.text, token) >= 0

    def sentences_with(self, token: str) -> list[int]:
        """List the sentences that hold a token, up to inflection."""
        forms = {token, *(form for stem in word_stems(token) for form in self.words_by_stem.get(stem, ()))}
        return sorted({sentence for form in forms for sentence in self.postings.get(form, ())})

    def places(self, needle: str) -> list[int]:
        """List where a normal form occurs in the context at word borders."""
        inner = needle.split(" ")[1:-1]
        # Most texts that are absent have an absent word: this saves the search.
        if not needle or any(word not in self.raw_words for word in inner):
            return []
        return find_all_bounded(self.normal.text, needle)

    def pieces(self, start: int, end: int) -> tuple[Piece, ...]:
        """Map a range of the normal form to the original sources."""
        return self.base_pieces(*self.normal.original(start, end))

    def base_pieces(self, start: int, end: int) -> tuple[Piece, ...]:
        """Map a range of the base text to the original sources."""
        found: dict[int, tuple[int, int]] = {}
        kept = max(0, bisect_right(self.kept_starts, start) - 1)
        while kept < len(self.kept_starts) and self.kept_starts[kept] < end:
            source, origin = self.kept_origins[kept]
            following = self.kept_starts[kept + 1] if kept + 1 < len(self.kept_starts) else len(self.base)
            left, right = max(start, self.kept_starts[kept]), min(end, following)
            if source >= 0 and left < right:
                first = origin + left - self.kept_starts[kept]
                last = first + right - left
                found[source] = (found[source][0], last) if source in found else (first, last)
            kept += 1
        return tuple(Piece(source, self.source_ids[source], *ends) for source, ends in found.items())


def index_context(context: Context | ContextIndex) -> ContextIndex:
    """Read a context once; an index comes back as it is."""
    if isinstance(context, ContextIndex):
        return context
    return _index(as_sources(context))


def as_sources(context: Context) -> tuple[Source, ...]:
    """Read a context as a sequence of sources."""
    items = [context] if isinstance(context, str | Source) else context
    if not isinstance(items, Sequence):
        raise InputTypeError(
            f"The context is of type {type(context).__name__}.",
            fix="give a text, a Source, a list of them, or an index made by index_context",
        )
    sources: list[Source] = []
    for item in items:
        if isinstance(item, str):
            sources.append(Source(id="", text=item))
        elif isinstance(item, Source):
            sources.append(item)
        else:
            raise InputTypeError(
                f"A part of the context is of type {type(item).__name__}.", fix="give texts or Source objects"
            )
    return tuple(sources)


def _index(sources: tuple[Source, ...]) -> ContextIndex:
    base, starts, origins = _joined(sources)
    normal = normal_text(base)
    sentences = tuple(sentence for start, end in line_ranges(base) for sentence in sentence_ranges(base, start, end))
    postings = _postings(normal, sentences)
    words_by_stem: dict[str, list[str]] = {}
    for word in postings:
        for stem in word_stems(word):
            words_by_stem.setdefault(stem, []).append(word)
    return ContextIndex(
        source_ids=tuple(source.id for source in sources),
        base=base,
        normal=normal,
        numbers=numeric_signature(base),
        sentences=sentences,
        postings=postings,
        words_by_stem=words_by_stem,
        raw_words=frozenset(normal.text.split(" ")),
        kept_starts=tuple(starts),
        kept_origins=tuple(origins),
    )


def _joined(sources: Sequence[Source]) -> tuple[str, list[int], list[tuple[int, int]]]:
    """Join the prose of all sources, and each repeated overlap of neighbours only once."""
    parts: list[str] = []
    starts: list[int] = []
    origins: list[tuple[int, int]] = []
    length = 0
    before = ""
    for number, source in enumerate(sources):
        overlap = _overlap(before, source.text)
        pieces = [(number, max(start, overlap), end) for start, end in prose_ranges(source.text) if end >= overlap]
        if number and not overlap:
            pieces.insert(0, _BREAK)
        for piece in pieces:
            home, start, end = piece if piece[1] < piece[2] else _BREAK
            text = "\n" if home < 0 else source.text[start:end]
            parts.append(text)
            starts.append(length)
            origins.append((home, start))
            length += len(text)
        before = source.text
    return "".join(parts), starts, origins


def _overlap(left: str, right: str) -> int:
    """Measure how much of the beginning of one chunk repeats the end of the chunk before."""
    tail, head = left[-MAX_OVERLAP_CHARS:], right[:MIN_OVERLAP_CHARS]
    if len(head) < MIN_OVERLAP_CHARS:
        return 0
    place = tail.find(head)
    while place >= 0:
        if right.startswith(tail[place:]):
            return len(tail) - place
        place = tail.find(head, place + 1)
    return 0


def _postings(normal: NormalText, sentences: Sequence[tuple[int, int]]) -> dict[str, list[int]]:
    postings: dict[str, list[int]] = {}
    sentence, words_at = 0, normal.word_origins
    forms: dict[str, set[str]] = {}
    for place, word in enumerate(normal.text.split(" ") if words_at else ()):
        while sentence + 1 < len(sentences) and sentences[sentence + 1][0] <= words_at[place]:
            sentence += 1
        if word not in forms:
            forms[word] = word_forms(word)
        for form in forms[word]:
            listed = postings.setdefault(form, [])
            if not listed or listed[-1] != sentence:
                listed.append(sentence)
    return postings
