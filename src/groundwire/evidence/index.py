"""An index over the sentences of all sources."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from groundwire.evidence.votes import most_voted
from groundwire.text.analysis import Analysis, analyse
from groundwire.text.entities import capitals_in, find_definitions
from groundwire.text.language import tell_languages
from groundwire.text.meaning import opposites, synonyms
from groundwire.text.quantities import with_unit
from groundwire.text.quantity import Quantity
from groundwire.text.sentences import Unit, shorten, split_cells, split_sentences
from groundwire.text.tokens import content_stems, stems_of
from groundwire.types import Source

_DIGITS = re.compile(r"\d[\d.,'’\u00a0\u202f]*\d|\d")
_SYNONYM_WEIGHT = 0.8
_OPPOSITE_WEIGHT = 0.5
# A page without stops is one unit; evidence that long shows nothing and costs time.
_LONGEST = 400
_HEADING_END = (":", "：")


@dataclass(eq=False)
class Evidence:
    """One source sentence with its place and what its surroundings call it; never changed once made."""

    text: str
    index: int
    start: int
    end: int
    source_id: str
    context: frozenset[str]  # stems of the list intro, the heading or the table header
    header: tuple[str, ...] = ()  # column names of a table row
    comma_row: bool = False  # cells divided by commas, which then belong to no number
    stems: frozenset[str] = frozenset()  # content stems of the sentence and of its surroundings
    numbers: frozenset[str] = frozenset()  # digit strings without separators
    label: frozenset[str] = frozenset()  # stems of a table row's first cell

    @cached_property
    def analysis(self) -> Analysis:
        """Take the sentence apart; a table row's cells know their column."""
        plain = analyse(_cells_apart(self.text) if self.comma_row else self.text)
        if not self.header:
            return plain
        return replace(plain, quantities=tuple(self._named(item) for item in plain.quantities))

    @cached_property
    def trigrams(self) -> frozenset[tuple[str, str, str]]:
        """Collect the stems of every three words in a row, function words included."""
        stems = stems_of(self.text)
        return frozenset(zip(stems, stems[1:], stems[2:], strict=False))

    def _named(self, quantity: Quantity) -> Quantity:
        for (_, start, end), name in zip(split_cells(self.text), self.header, strict=False):
            if start <= quantity.start < end:
                stems = tuple(content_stems(name))
                typed = with_unit(quantity, name)
                return typed._replace(after=(*typed.after, *stems), before=(*typed.before, *stems))
        return quantity


class SourceIndex:
    """Find the source sentences that may bear on a claim."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sentences: list[Evidence] = []
        self._sources = tuple(sources)
        self._postings: defaultdict[str, list[int]] = defaultdict(list)
        self._rows: dict[tuple[str, ...], list[Evidence]] = {}
        for source in sources:
            self._add(source)
        self._postings.default_factory = None  # from here on the index is only read
        self.vocabulary = frozenset(self._postings)

    @cached_property
    def languages(self) -> frozenset[str]:
        """Collect the languages the sources are written in."""
        return frozenset().union(*(tell_languages(source.text) for source in self._sources))

    def __len__(self) -> int:
        return len(self.sentences)

    def _add(self, source: Source) -> None:
        context: frozenset[str] = frozenset(content_stems(source.title))
        intro: frozenset[str] = frozenset()
        header: tuple[str, ...] = ()
        previous_row = -2
        for unit in split_sentences(source.text):
            if unit.row:
                cells = [cell for cell, _, _ in split_cells(unit.text)]
                # A rule line (|---|---|) between header and rows is no unit of its own.
                if not header or unit.line - previous_row > 2:
                    header = tuple(cells) if _is_header(cells) else ()
                previous_row = unit.line
                own_header = header if tuple(cells) != header else ()
                self._put(unit, source.id, intro | frozenset(content_stems(" ".join(header))), own_header)
                continue
            header = ()
            is_intro = unit.heading or unit.text.endswith(_HEADING_END)
            for piece in shorten(unit, _LONGEST):
                self._put(piece, source.id, context | intro if not is_intro else context, ())
            if is_intro:
                intro = frozenset(content_stems(unit.text))
            elif intro and len(unit.text) > 80:
                intro = frozenset()

    def _put(self, unit: Unit, source_id: str, context: frozenset[str], header: tuple[str, ...]) -> None:
        index = len(self.sentences)
        comma_row = unit.row and "|" not in unit.text and "\t" not in unit.text
        text = _cells_apart(unit.text) if comma_row else unit.text
        stems = context.union(content_stems(text))
        label = frozenset(content_stems(split_cells(unit.text)[0][0])) if header else frozenset()
        numbers = written_numbers(text)
        self.sentences.append(
            Evidence(
                unit.text, index, unit.start, unit.end, source_id, context, header, comma_row, stems, numbers, label,
            )
        )  # fmt: skip
        if header:
            self._rows.setdefault(header, []).append(self.sentences[-1])
        for key in stems:
            self._postings[key].append(index)
        for number in numbers:
            self._postings["#" + number].append(index)

    @cached_property
    def capitals(self) -> frozenset[str]:
        """Collect the words that stand capitalised inside a source sentence."""
        return frozenset(word for sentence in self.sentences for word in capitals_in(sentence.text))

    @cached_property
    def definitions(self) -> dict[str, frozenset[str]]:
        """Map each name that the sources define to the names it stands for, in both directions."""
        table: dict[str, set[str]] = {}
        for source in self._sources:
            for long, short in find_definitions(source.text):
                table.setdefault(long, set()).add(short)
                table.setdefault(short, set()).add(long)
        return {name: frozenset(others) for name, others in table.items()}

    def rows(self, header: tuple[str, ...]) -> list[Evidence]:
        """List the rows of the table with this header."""
        return self._rows.get(header, [])

    def traceability(self, stems: Sequence[str]) -> float | None:
        """Measure the share of stems found anywhere in the sources, None without stems."""
        if not stems:
            return None
        return sum(self.contains(key) for key in stems) / len(stems)

    def contains(self, key: str) -> bool:
        """Tell whether a stem or one that means the same occurs in the sources."""
        return key in self.vocabulary or not self.vocabulary.isdisjoint(synonyms(key))

    def window(self, item: Evidence) -> list[Evidence]:
        """Return a sentence with its neighbours of the same source."""
        around = self.sentences[max(0, item.index - 1) : item.index + 2]
        return [near for near in around if near.source_id == item.source_id]

    def weight(self, key: str) -> float:
        """Weigh a stem by how rare it is."""
        count = len(self._postings.get(key, ()))
        return math.log(1.0 + len(self.sentences) / (1.0 + count))

    def select(self, stems: Iterable[str], numbers: Iterable[str], limit: int, at_least: int = 1) -> list[Evidence]:
        """Return the sentences that share the rarest words with a claim, best first."""
        if len(self.sentences) <= limit:
            return list(self.sentences)
        scores: dict[int, float] = {}
        for key in stems:
            self._vote(scores, key, 1.0, frozenset())
            likes = [(other, _SYNONYM_WEIGHT) for other in synonyms(key) if other in self._postings]
            likes += [(other, _OPPOSITE_WEIGHT) for other in opposites(key) if other in self._postings]
            # A sentence that holds the word itself gains nothing from its like.
            own = frozenset(self._postings.get(key, ())) if likes else frozenset()
            for other, factor in likes:
                self._vote(scores, other, factor, own)
        for number in numbers:
            self._vote(scores, "#" + number, 1.0, frozenset())
        for number in numbers:
            # The sentence that holds the very number must be among the candidates.
            for place in self._postings.get("#" + number, ())[:3]:
                scores[place] += len(self.sentences)
        chosen = [self.sentences[place] for place in most_voted(scores, limit, digits=9)]
        # With too few shared words there are still sentences to show.
        for sentence in self.sentences:
            if len(chosen) >= at_least:
                break
            if sentence.index not in scores:
                chosen.append(sentence)
        return chosen

    def _vote(self, scores: dict[int, float], key: str, factor: float, unless: frozenset[int]) -> None:
        weight = factor * self.weight(key)
        for place in self._postings.get(key, ()):
            if place not in unless:
                scores[place] = scores.get(place, 0.0) + weight


def _cells_apart(row: str) -> str:
    # The same length, so that offsets hold.
    return row.replace(",", "|")


def written_numbers(text: str) -> frozenset[str]:
    """Collect the numbers of a text as digit strings without separators."""
    return frozenset(map(plain_digits, _DIGITS.findall(text)))


def list_numbers(text: str) -> list[str]:
    """List the numbers of a text in order, repeated ones too, as digit strings without separators."""
    return [plain_digits(number) for number in _DIGITS.findall(text)]


def plain_digits(number: str) -> str:
    """Strip the separators from a written number."""
    if number.isdigit():
        return number
    return re.sub(r"[,'’\u00a0\u202f]", "", number)


def _is_header(cells: Sequence[str]) -> bool:
    return len(cells) >= 2 and not any(re.search(r"\d", cell) for cell in cells)
