"""How the backend in one file answers a query: by words, by vectors, or by both."""

import sqlite3
import zlib
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from groundwire.errors import InputError
from groundwire.evidence.votes import most_voted
from groundwire.retrieval.postings import BM25_B, BM25_K1, Floats, rarity_of

# A query reads at most so many entries of the index: the rarest words decide, the common ones only refine.
_BUDGET = 4_000
# A word of a large store may stand in every passage; those of one word alone are not read to the end.
_LONGEST_LIST = 10 * _BUDGET
_LONGEST_QUERY = 64
EVERY = 10**9
# How much a vector counts beside the words, and from which similarity on it stands without any common word.
# Both were chosen on the public dev sets, see benchmarks/results/retrieval.json.
VECTOR_WEIGHT = 0.2
VECTOR_FLOOR = 0.45

_PARAMETERS = 500
_Row = tuple[int, bytes, int, bytes]  # number, packed terms, size, vector


class Search(StrEnum):
    """How a query is answered: by words and vectors, by words alone, by vectors alone."""

    BLEND = "blend"
    KEYWORD = "keyword"
    DENSE = "dense"


class Candidate(NamedTuple):
    """A document by its number, with a score from 0 to 1."""

    number: int
    score: float


class Question(NamedTuple):
    """A query, taken apart once for all tenants."""

    terms: tuple[str, ...]
    vector: Floats | None


class Reader:
    """Read the index of one store, and remember what holds until the next write."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._revision = -1
        self._holders: dict[str, int] = {}
        self._totals: dict[int, tuple[int, float]] = {}
        self._matrix: tuple[Any, Any, Floats] | None = None

    def refresh(self) -> None:
        """Forget what an earlier revision of the store said."""
        revision = revision_of(self._connection)
        if revision != self._revision:
            self._revision = revision
            self._holders, self._totals, self._matrix = {}, {}, None

    def totals(self, tenant: int) -> tuple[int, float]:
        """Return how many documents a tenant has, and their mean size."""
        if tenant not in self._totals:
            found = self._connection.execute(
                "SELECT count(*), avg(size) FROM documents WHERE tenant = ?", (tenant,)
            ).fetchone()
            self._totals[tenant] = int(found[0]), float(found[1] or 1.0)
        return self._totals[tenant]

    def search(self, tenant: int, question: Question, limit: int, enough: int, search: Search) -> list[Candidate]:
        """Score the documents of one tenant; those not among the best `limit` may be left out."""
        vector = question.vector
        if search is Search.DENSE and vector is not None:
            return self._by_vector(tenant, vector, limit, floor=0.0)
        found = self._by_words(tenant, question, limit)
        if vector is not None and len(found) < enough:
            known = {item.number for item in found}
            more = self._by_vector(tenant, vector, limit, floor=VECTOR_FLOOR)
            weight = VECTOR_WEIGHT / (1.0 + VECTOR_WEIGHT)
            found += [Candidate(item.number, weight * item.score) for item in more if item.number not in known]
        return found

    def _by_words(self, tenant: int, question: Question, limit: int) -> list[Candidate]:
        tokens = [token_of(tenant, term) for term in question.terms[:_LONGEST_QUERY]]
        holders = {token: self._count_holders(token) for token in tokens}
        total, mean = self.totals(tenant)
        rarity = {token: rarity_of(count, total) for token, count in holders.items() if count}
        most = (BM25_K1 + 1.0) * sum(rarity.values()) or 1.0
        weight = 0.0 if question.vector is None else VECTOR_WEIGHT
        rows = self._read(self._vote(holders, rarity, limit))
        likeness = [0.0] * len(rows) if question.vector is None else _likeness(rows, question.vector)
        scored = []
        for (number, packed, size, _), similarity in zip(rows, likeness, strict=True):
            terms = unpack_terms(packed)
            length = BM25_K1 * (1.0 - BM25_B + BM25_B * size / mean)
            score = 0.0
            for token, rare in rarity.items():
                count = terms.count(token)
                score += rare * count * (BM25_K1 + 1.0) / (count + length)
            scored.append(Candidate(number, (score / most + weight * similarity) / (1.0 + weight)))
        return scored

    def _vote(self, holders: dict[str, int], rarity: dict[str, float], limit: int) -> list[int]:
        votes: dict[int, float] = {}
        spent = 0
        for token in sorted(rarity, key=lambda token: (holders[token], token)):
            if spent and spent + holders[token] > _BUDGET and limit < EVERY:
                break
            spent += holders[token]
            rows = self._connection.execute(
                "SELECT rowid FROM words WHERE words MATCH ? LIMIT ?", (token[1:-1], max(limit, _LONGEST_LIST))
            )
            vote = rarity[token]
            for (number,) in rows:
                votes[number] = votes.get(number, 0.0) + vote
        return most_voted(votes, limit, digits=6)

    def _by_vector(self, tenant: int, vector: Floats, limit: int, floor: float) -> list[Candidate]:
        numbers, tenants, matrix = self._vectors()
        if not len(numbers):
            return []
        _same_width(matrix.shape[1], len(vector))
        scores = np.where(tenants == tenant, matrix @ vector, 0.0)
        found = np.flatnonzero(scores > floor)
        if len(found) > limit:
            found = found[np.argpartition(-scores[found], limit)[:limit]]
        return [Candidate(int(numbers[place]), float(scores[place])) for place in found]

    def _vectors(self) -> tuple[Any, Any, Floats]:
        if self._matrix is None:
            rows = self._connection.execute("SELECT number, tenant, vector FROM documents ORDER BY number").fetchall()
            places = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2)
            matrix = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.int8).astype(np.float32)
            matrix = matrix.reshape(len(rows), -1 if rows else 0)
            matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
            self._matrix = places[:, 0], places[:, 1], matrix
        return self._matrix

    def _count_holders(self, token: str) -> int:
        if token not in self._holders:
            row = self._connection.execute("SELECT doc FROM vocabulary WHERE term = ?", (token[1:-1],)).fetchone()
            self._holders[token] = 0 if row is None else int(row[0])
        return self._holders[token]

    def _read(self, numbers: Sequence[int]) -> list[_Row]:
        rows: list[_Row] = []
        for start in range(0, len(numbers), _PARAMETERS):
            part = numbers[start : start + _PARAMETERS]
            marks = ",".join("?" * len(part))
            rows += self._connection.execute(
                f"SELECT number, terms, size, vector FROM documents WHERE number IN ({marks})",  # noqa: S608
                part,
            ).fetchall()
        return rows


def revision_of(connection: sqlite3.Connection) -> int:
    """Read the number of the last write."""
    return int(connection.execute("SELECT value FROM facts WHERE name = 'revision'").fetchone()[0])


def token_of(tenant: int, term: str) -> str:
    """Return the word under which a term is filed.

    The tenant is part of it, so that no tenant's words are counted, let alone found, for another.
    """
    # The brackets part words for the index, and keep one from being counted inside another.
    if term.isascii() and term.isalnum():
        return f"<{tenant}q{term}>"
    return f"<{tenant}h{term.encode('utf-8', 'surrogatepass').hex()}>"


def pack_terms(terms: str) -> bytes:
    """Pack the filed words of a document; they are needed to score it and to take it out again."""
    return zlib.compress(terms.encode("ascii"))


def unpack_terms(packed: bytes) -> str:
    """Unpack the filed words of a document."""
    return zlib.decompress(packed).decode("ascii")


def _likeness(rows: Sequence[_Row], vector: Floats) -> list[float]:
    if not rows:
        return []
    matrix = np.frombuffer(b"".join(row[3] for row in rows), dtype=np.int8).reshape(len(rows), -1).astype(np.float32)
    _same_width(matrix.shape[1], len(vector))
    norms = np.maximum(np.linalg.norm(matrix, axis=1), 1e-9)
    found: list[float] = np.maximum(0.0, (matrix @ vector) / norms).tolist()
    return found


def _same_width(stored: int, given: int) -> None:
    if stored != given:
        raise InputError(
            f"The embedding gives {given} numbers, the store holds vectors of {stored}.",
            fix="open it with the same embedding, or fill a new store",
        )
