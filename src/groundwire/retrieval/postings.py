"""An inverted index that grows, shrinks and is read by numpy without a copy."""

import math
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int32]

BM25_K1 = 1.5
BM25_B = 0.75
_SLACK = 1_000


def rarity_of(holders: int, total: int) -> float:
    """Weigh a term by the share of documents that hold it (the inverse document frequency of BM25)."""
    return math.log(1.0 + (total - holders + 0.5) / (holders + 0.5))


class Postings:
    """Map terms to the rows that hold them, each with a weight; the caller holds a lock."""

    def __init__(self) -> None:
        self._rows: dict[str, array[int]] = {}
        self._weights: dict[str, array[float]] = {}
        self._sizes = array("f")
        self._terms: list[tuple[str, ...] | None] = []
        self._total = 0.0
        self.count = 0

    @property
    def width(self) -> int:
        """Return how many rows a score array must have."""
        return len(self._terms)

    @property
    def is_sparse(self) -> bool:
        """Tell whether more rows are dead than alive, so that it pays to close the gaps."""
        return self.width > 2 * self.count + _SLACK

    def add(self, weights: Mapping[str, float], size: float) -> int:
        """Append a row and return its number."""
        row = len(self._terms)
        for term, weight in weights.items():
            self._rows.setdefault(term, array("i")).append(row)
            self._weights.setdefault(term, array("f")).append(weight)
        # One string for all rows that hold a term: a row would keep its own otherwise.
        self._terms.append(tuple(map(sys.intern, weights)))
        self._sizes.append(size)
        self._total += size
        self.count += 1
        return row

    def remove(self, row: int) -> None:
        """Take a row out of every list, so that counts stay exact."""
        for term in self._terms[row] or ():
            rows, weights = self._rows[term], self._weights[term]
            place = bisect_left(rows, row)
            del rows[place], weights[place]
            if not rows:
                del self._rows[term], self._weights[term]
        self._terms[row] = None
        self._total -= self._sizes[row]
        self._sizes[row] = 0.0
        self.count -= 1

    def compact(self) -> list[int]:
        """Close the gaps that removed rows left and return the old numbers in the new order."""
        kept = [row for row, terms in enumerate(self._terms) if terms is not None]
        renamed = np.full(self.width, -1, dtype=np.int32)
        renamed[kept] = np.arange(len(kept), dtype=np.int32)
        for term, rows in self._rows.items():
            self._rows[term] = array("i", renamed[np.frombuffer(rows, dtype=np.int32)].tobytes())
        self._terms = [self._terms[row] for row in kept]
        self._sizes = array("f", [self._sizes[row] for row in kept])
        return kept

    def holders(self, term: str) -> int:
        """Count the rows that hold a term."""
        return len(self._rows.get(term, ()))

    def rarity(self, term: str) -> float:
        """Weigh a term by how rare it is; always positive."""
        return rarity_of(self.holders(term), self.count)

    def bm25(self, terms: Sequence[str]) -> Floats:
        """Score every row by Okapi BM25 (Robertson and Zaragoza 2009)."""
        scores = np.zeros(self.width, dtype=np.float32)
        sizes = np.frombuffer(self._sizes, dtype=np.float32) if self.width else scores
        mean = self._total / max(1, self.count) or 1.0
        for term in dict.fromkeys(terms):
            if term in self._rows:
                rows, weights = self._lists(term)
                length = 1.0 - BM25_B + BM25_B * sizes[rows] / mean
                scores[rows] += self.rarity(term) * weights * (BM25_K1 + 1.0) / (weights + BM25_K1 * length)
        return scores

    def dot(self, weights: Mapping[str, float]) -> Floats:
        """Multiply every row with a weighted query."""
        scores = np.zeros(self.width, dtype=np.float32)
        for term, weight in weights.items():
            if term in self._rows:
                rows, own = self._lists(term)
                scores[rows] += np.float32(weight) * own
        return scores

    def _lists(self, term: str) -> tuple[Rows, Floats]:
        rows = np.frombuffer(self._rows[term], dtype=np.int32)
        return rows, np.frombuffer(self._weights[term], dtype=np.float32)


class Shelf:
    """Postings whose rows have names; the caller holds a lock."""

    def __init__(self) -> None:
        self.postings = Postings()
        self._row_of: dict[str, int] = {}
        self._names: list[str] = []

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, name: object) -> bool:
        return name in self._row_of

    def __iter__(self) -> Iterator[str]:
        return iter(self._row_of)

    def add(self, name: str, weights: Mapping[str, float], size: float) -> None:
        """File a document; one of the same name is replaced."""
        self.remove(name)
        self._row_of[name] = self.postings.add(weights, size)
        self._names.append(name)

    def remove(self, name: str) -> bool:
        """Take a document out and tell whether it was there."""
        row = self._row_of.pop(name, None)
        if row is None:
            return False
        self.postings.remove(row)
        if self.postings.is_sparse:
            self._names = [self._names[kept] for kept in self.postings.compact()]
            self._row_of = {kept: place for place, kept in enumerate(self._names)}
        return True

    def rank(self, scores: Floats, limit: int) -> list[tuple[str, float]]:
        """Return the names with the highest positive scores, ties by age."""
        return [(self._names[row], score) for row, score in best_rows(scores, limit)]


def best_rows(scores: Floats, limit: int) -> list[tuple[int, float]]:
    """Return the rows with the highest positive scores, ties by row."""
    found = np.flatnonzero(scores > 0)
    if limit <= 0 or not len(found):
        return []
    values = scores[found]
    if len(found) > limit:
        # Every row as good as the last one stays in, so that ties fall by row and not by chance.
        edge = np.partition(values, len(values) - limit)[len(values) - limit]
        keep = values >= edge
        found, values = found[keep], values[keep]
    order = np.lexsort((found, -values))[:limit]
    return [(int(found[place]), float(values[place])) for place in order]
