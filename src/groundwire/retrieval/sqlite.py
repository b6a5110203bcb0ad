"""The backend in one file: SQLite's full-text index and vectors side by side."""

import json
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from groundwire.errors import InputError
from groundwire.retrieval.base import (
    TENANT,
    Hit,
    Metadata,
    VectorBackend,
    Where,
    checked,
    matches,
    metadata_as_json,
    scoped_id,
)
from groundwire.retrieval.chunks import Chunk
from groundwire.retrieval.embedding import Embed, embed_with, embedding_name, static_embed
from groundwire.retrieval.memory import tenant_of
from groundwire.retrieval.sqlite_file import open_store, readable_errors
from groundwire.retrieval.sqlite_search import (
    EVERY,
    Candidate,
    Question,
    Reader,
    Search,
    pack_terms,
    revision_of,
    token_of,
    unpack_terms,
)
from groundwire.retrieval.terms import term_counts

_CANDIDATES = 100


class SourceEntry(NamedTuple):
    """One document that was cut into passages."""

    name: str
    content_hash: str
    added_at: str
    characters: int
    chunks: int


class SQLiteBackend(VectorBackend):
    """Keep texts in one file, written whole or not at all; safe for threads and processes."""

    filters = True

    def __init__(
        self,
        path: str | Path,
        *,
        embed: Embed = static_embed,
        search: str = Search.BLEND,
        create: bool = True,
        timeout: float = 10.0,
    ) -> None:
        if search not in list(Search):
            raise InputError(f"There is no search {search!r}.", fix=f"choose from {', '.join(Search)}")
        self.path = Path(path)
        self.search = Search(search)
        self._embed = embed
        self._lock = threading.RLock()
        self._connection = open_store(self.path, create=create, timeout=timeout)
        self._reader = Reader(self._connection)
        try:
            self._agree_on_vectors(embedding_name(embed))
        except BaseException:
            self._connection.close()
            raise

    @property
    def revision(self) -> int:
        """Read the number of the last write, by whichever process."""
        with self._reading() as connection:
            return revision_of(connection)

    def add(self, doc_id: str, text: str, metadata: Metadata | None = None) -> None:
        """Keep a text; an existing id is replaced."""
        self.add_many([(doc_id, text, metadata)])

    def add_many(self, documents: Iterable[tuple[str, str, Metadata | None]]) -> None:
        """Keep many texts, all of them or none."""
        listed = [(doc_id, text, checked(doc_id, text, metadata)) for doc_id, text, metadata in documents]
        vectors = self._pack([text for _, text, _ in listed])
        with self._writing() as connection:
            self._insert(connection, listed, vectors, None)

    def put_source(
        self,
        name: str,
        text: str,
        passages: Iterable[tuple[Chunk, Metadata]],
        *,
        content_hash: str,
        tenant_id: str = "",
    ) -> None:
        """Keep a document as its passages, in place of what it held before, all of it or nothing."""
        listed = [
            (
                scoped_id(f"{name}#{chunk.start}", tenant_id),
                chunk.text,
                {**metadata, "source": name, "start": chunk.start, "end": chunk.end, TENANT: tenant_id},
            )
            for chunk, metadata in passages
        ]
        for doc_id, passage, metadata in listed:
            checked(doc_id, passage, metadata)
        vectors = self._pack([passage for _, passage, _ in listed])
        with self._writing() as connection:
            self._remove_source(connection, name, tenant_id)
            number = connection.execute(
                "INSERT INTO sources (tenant, name, content_hash, added_at, characters, body)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (
                    _tenant_number(connection, tenant_id),
                    name,
                    content_hash,
                    datetime.now(UTC).isoformat(timespec="seconds"),
                    len(text),
                    zlib.compress(text.encode("utf-8", "surrogatepass")),
                ),
            ).lastrowid
            self._insert(connection, listed, vectors, number)

    def sources(self, tenant_id: str = "") -> list[SourceEntry]:
        """List the documents of a tenant by name."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT s.name, s.content_hash, s.added_at, s.characters, count(d.number) FROM sources s"
                " JOIN tenants t ON t.number = s.tenant LEFT JOIN documents d ON d.source = s.number"
                " WHERE t.name = ? GROUP BY s.number ORDER BY s.name",
                (tenant_id,),
            ).fetchall()
        return [SourceEntry(*row) for row in rows]

    def source_hash(self, name: str, tenant_id: str = "") -> str | None:
        """Return the hash of what a document was made from, None for one that is not there."""
        with self._reading() as connection:
            row = connection.execute(
                "SELECT content_hash FROM sources s JOIN tenants t ON t.number = s.tenant"
                " WHERE t.name = ? AND s.name = ?",
                (tenant_id, name),
            ).fetchone()
        return None if row is None else str(row[0])

    def source_text(self, name: str, tenant_id: str = "") -> str | None:
        """Return the text that the offsets of a document's passages count in."""
        with self._reading() as connection:
            row = connection.execute(
                "SELECT body FROM sources s JOIN tenants t ON t.number = s.tenant WHERE t.name = ? AND s.name = ?",
                (tenant_id, name),
            ).fetchone()
        return None if row is None else zlib.decompress(row[0]).decode("utf-8", "surrogatepass")

    def remove_source(self, name: str, tenant_id: str = "") -> bool:
        """Remove a document with its passages and tell whether it was there."""
        with self._writing() as connection:
            return self._remove_source(connection, name, tenant_id)

    def documents(self, tenant_id: str = "") -> Iterator[Hit]:
        """Yield every text of a tenant in the order in which it came."""
        with self._reading() as connection:
            numbers = [
                row[0]
                for row in connection.execute(
                    "SELECT d.number FROM documents d JOIN tenants t ON t.number = d.tenant WHERE t.name = ?"
                    " ORDER BY d.number",
                    (tenant_id,),
                )
            ]
        for start in range(0, len(numbers), 500):
            with self._reading() as connection:
                rows = _rows(connection, numbers[start : start + 500])
            for number in numbers[start : start + 500]:
                if number in rows:
                    yield _hit(rows[number], 0.0)

    def query(self, text: str, n_results: int = 3, where: Where | None = None) -> list[Hit]:
        """Return the nearest texts by common words and by vector."""
        if n_results <= 0 or not text.strip():
            return []
        vector = None if self.search is Search.KEYWORD else embed_with(self._embed, [text])[0]
        question = Question(tuple(term_counts(text)), vector)
        # A filter on more than the tenant may refuse any number of the best.
        narrow = where is None or set(where) <= {TENANT}
        limit = max(_CANDIDATES, n_results) if narrow else EVERY
        with self._reading() as connection:
            ranked: list[Candidate] = []
            for tenant in _chosen_tenants(connection, where):
                ranked += self._reader.search(tenant, question, limit, n_results, self.search)
            ranked.sort(key=lambda item: (-round(item.score, 6), item.number))
            return _first_hits(connection, ranked, where, n_results)

    def count(self, where: Where | None = None) -> int:
        """Count the texts."""
        with self._reading() as connection:
            if where is None:
                return int(connection.execute("SELECT count(*) FROM documents").fetchone()[0])
            tenants = _chosen_tenants(connection, where)
            if set(where) <= {TENANT}:
                return sum(self._reader.totals(tenant)[0] for tenant in tenants)
            rows = (
                row[0]
                for tenant in tenants
                for row in connection.execute("SELECT metadata FROM documents WHERE tenant = ?", (tenant,))
            )
            return sum(matches(json.loads(row), where) for row in rows)

    def delete(self, doc_id: str) -> bool:
        """Remove a text and tell whether it was there."""
        with self._writing() as connection:
            return _delete(connection, "doc_id = ?", doc_id) > 0

    def close(self) -> None:
        """Close the file; the backend cannot be used afterwards."""
        with self._lock:
            self._connection.close()

    def _agree_on_vectors(self, name: str) -> None:
        # Looked up before it is written: a reader need not wait for a writer.
        with self._reading() as connection:
            known = _embedding_of(connection)
        if known is None:
            with self._writing(counts=False) as connection:
                connection.execute("INSERT OR IGNORE INTO facts VALUES ('embedding', ?)", (name,))
                known = _embedding_of(connection)
        if known != name:
            raise InputError(
                f"The knowledge store {str(self.path)!r} holds vectors of the embedding {known!r}, not {name!r}.",
                fix="open it with the same embedding, or fill a new store",
            )

    def _pack(self, texts: Sequence[str]) -> list[bytes]:
        if not texts:
            return []
        vectors = embed_with(self._embed, texts)
        return [row.tobytes() for row in np.round(vectors * 127).astype(np.int8)]

    def _insert(
        self,
        connection: sqlite3.Connection,
        documents: Sequence[tuple[str, str, Metadata]],
        vectors: Sequence[bytes],
        source: int | None,
    ) -> None:
        for (doc_id, text, metadata), vector in zip(documents, vectors, strict=True):
            _delete(connection, "doc_id = ?", doc_id)
            tenant = _tenant_number(connection, tenant_of(metadata))
            counts = term_counts(text)
            terms = "".join(token_of(tenant, term) * count for term, count in counts.items())
            number = connection.execute(
                "INSERT INTO documents (doc_id, tenant, source, text, metadata, terms, size, vector)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (doc_id, tenant, source, text, metadata_as_json(metadata), pack_terms(terms), counts.total(), vector),
            ).lastrowid
            connection.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (number, terms))

    def _remove_source(self, connection: sqlite3.Connection, name: str, tenant_id: str) -> bool:
        row = connection.execute(
            "SELECT s.number FROM sources s JOIN tenants t ON t.number = s.tenant WHERE t.name = ? AND s.name = ?",
            (tenant_id, name),
        ).fetchone()
        if row is None:
            return False
        _delete(connection, "source = ?", row[0])
        connection.execute("DELETE FROM sources WHERE number = ?", row)
        return True

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        # One view of the file from the first statement to the last, whatever other processes write.
        with self._lock, readable_errors(self.path):
            self._connection.execute("BEGIN")
            try:
                self._reader.refresh()
                yield self._connection
            finally:
                self._connection.execute("COMMIT")

    @contextmanager
    def _writing(self, *, counts: bool = True) -> Iterator[sqlite3.Connection]:
        with self._lock, readable_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                if counts:
                    self._connection.execute("UPDATE facts SET value = value + 1 WHERE name = 'revision'")
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


def _embedding_of(connection: sqlite3.Connection) -> str | None:
    row = connection.execute("SELECT value FROM facts WHERE name = 'embedding'").fetchone()
    return None if row is None else str(row[0])


def _tenant_number(connection: sqlite3.Connection, name: str) -> int:
    row = connection.execute("SELECT number FROM tenants WHERE name = ?", (name,)).fetchone()
    if row is None:
        return int(connection.execute("INSERT INTO tenants (name) VALUES (?)", (name,)).lastrowid or 0)
    return int(row[0])


def _chosen_tenants(connection: sqlite3.Connection, where: Where | None) -> list[int]:
    if where is None or TENANT not in where:
        return [row[0] for row in connection.execute("SELECT number FROM tenants")]
    name = str(where[TENANT])
    return [row[0] for row in connection.execute("SELECT number FROM tenants WHERE name = ?", (name,))]


def _delete(connection: sqlite3.Connection, where: str, value: object) -> int:
    rows = connection.execute(f"SELECT number, terms FROM documents WHERE {where}", (value,)).fetchall()  # noqa: S608
    for number, terms in rows:
        connection.execute(
            "INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)", (number, unpack_terms(terms))
        )
        connection.execute("DELETE FROM documents WHERE number = ?", (number,))
    return len(rows)


def _first_hits(
    connection: sqlite3.Connection, ranked: Sequence[Candidate], where: Where | None, limit: int
) -> list[Hit]:  # fmt: skip
    hits: list[Hit] = []
    for start in range(0, len(ranked), limit):
        part = ranked[start : start + limit]
        rows = _rows(connection, [item.number for item in part])
        for item in part:
            hit = _hit(rows[item.number], max(0.0, 1.0 - round(item.score, 6)))
            if matches(hit["metadata"], where):
                hits.append(hit)
        if len(hits) >= limit:
            break
    return hits[:limit]


def _rows(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, tuple[str, str, str]]:
    found = {}
    for number in numbers:
        row = connection.execute("SELECT doc_id, text, metadata FROM documents WHERE number = ?", (number,)).fetchone()
        if row is not None:
            found[number] = row
    return found


def _hit(row: tuple[str, str, str], distance: float) -> Hit:
    doc_id, text, metadata = row
    return Hit(id=doc_id, text=text, distance=distance, metadata=json.loads(metadata))
