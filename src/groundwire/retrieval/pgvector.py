"""PostgreSQL with the extension pgvector."""

import json
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from groundwire.errors import GroundwireError, InputError, MissingExtraError
from groundwire.retrieval.base import Hit, Metadata, VectorBackend, Where, checked, metadata_as_json
from groundwire.retrieval.embedding import Embed, embed_with, static_embed
from groundwire.retrieval.postings import Floats

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,50}")


class PgVectorBackend(VectorBackend):
    """Keep texts in a PostgreSQL table beside their vectors (extra `postgres`)."""

    filters = True

    def __init__(self, dsn: str, *, table: str = "groundwire_documents", embed: Embed = static_embed) -> None:
        try:
            import psycopg
        except ImportError as error:
            raise MissingExtraError("PgVectorBackend", "postgres") from error
        # The name becomes part of statements, where no parameter can stand.
        if not _NAME.fullmatch(table):
            raise InputError(f"{table!r} cannot name a table.", fix="use up to 51 small letters, digits and _")
        self._errors: type[Exception] = psycopg.Error
        self._table = table
        self._embed = embed
        self._lock = threading.RLock()
        self._width = embed_with(embed, ["width"]).shape[1]
        try:
            self._connection = psycopg.connect(dsn, autocommit=True)
        except psycopg.Error as error:
            # The message of the driver may hold the address with its password.
            raise InputError(
                "The PostgreSQL server cannot be reached.",
                why=type(error).__name__,
                fix="check address, user and password",
                retry=True,
            ) from error
        try:
            self._lay_out()
        except BaseException:
            self._connection.close()
            raise

    @property
    def revision(self) -> int:
        """Read the number of the last write, by whichever process."""
        with self._transaction() as cursor:
            row = cursor.execute(f"SELECT revision FROM {self._table}_revision").fetchone()  # noqa: S608
            return int(row[0])

    def add(self, doc_id: str, text: str, metadata: Metadata | None = None) -> None:
        """Keep a text; an existing id is replaced."""
        self.add_many([(doc_id, text, metadata)])

    def add_many(self, documents: Iterable[tuple[str, str, Metadata | None]]) -> None:
        """Keep many texts, all of them or none."""
        listed = [(doc_id, text, checked(doc_id, text, metadata)) for doc_id, text, metadata in documents]
        if not listed:
            return
        vectors = embed_with(self._embed, [text for _, text, _ in listed])
        rows = [
            (doc_id, text, metadata_as_json(metadata), _as_text(vector))
            for (doc_id, text, metadata), vector in zip(listed, vectors, strict=True)
        ]
        with self._transaction() as cursor:
            cursor.executemany(
                f"INSERT INTO {self._table} (doc_id, body, metadata, embedding) VALUES (%s, %s, %s, %s)"  # noqa: S608
                " ON CONFLICT (doc_id) DO UPDATE SET body = EXCLUDED.body, metadata = EXCLUDED.metadata,"
                " embedding = EXCLUDED.embedding",
                rows,
            )
            self._count_write(cursor)

    def query(self, text: str, n_results: int = 3, where: Where | None = None) -> list[Hit]:
        """Return the nearest texts by cosine, every one of them compared."""
        if n_results <= 0 or not text.strip():
            return []
        vector = _as_text(embed_with(self._embed, [text])[0])
        with self._transaction() as cursor:
            rows = cursor.execute(
                "SELECT doc_id, body, metadata, embedding <=> %s::vector AS distance"  # noqa: S608
                f" FROM {self._table} WHERE metadata @> %s::jsonb ORDER BY distance, number LIMIT %s",
                (vector, json.dumps(dict(where or {})), n_results),
            ).fetchall()
        return [
            Hit(id=doc_id, text=body, distance=max(0.0, round(float(distance), 6)), metadata=dict(metadata))
            for doc_id, body, metadata, distance in rows
            # A text without a word has no direction, and so no distance.
            if distance == distance
        ]

    def count(self, where: Where | None = None) -> int:
        """Count the texts."""
        with self._transaction() as cursor:
            row = cursor.execute(
                f"SELECT count(*) FROM {self._table} WHERE metadata @> %s::jsonb",  # noqa: S608
                (json.dumps(dict(where or {})),),
            ).fetchone()
            return int(row[0])

    def delete(self, doc_id: str) -> bool:
        """Remove a text and tell whether it was there."""
        with self._transaction() as cursor:
            cursor.execute(f"DELETE FROM {self._table} WHERE doc_id = %s", (doc_id,))  # noqa: S608
            gone = bool(cursor.rowcount)
            if gone:
                self._count_write(cursor)
            return gone

    def close(self) -> None:
        """Close the connection; the backend cannot be used afterwards."""
        with self._lock:
            self._connection.close()

    def _lay_out(self) -> None:
        table = self._table
        with self._transaction() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
            cursor.execute(
                f"CREATE TABLE IF NOT EXISTS {table} (number BIGINT GENERATED ALWAYS AS IDENTITY, doc_id TEXT"
                " PRIMARY KEY, body TEXT NOT NULL, metadata JSONB NOT NULL,"
                f" embedding vector({self._width}) NOT NULL)"
            )
            cursor.execute(
                f"CREATE INDEX IF NOT EXISTS {table}_metadata ON {table} USING gin (metadata jsonb_path_ops)"
            )
            cursor.execute(f"CREATE TABLE IF NOT EXISTS {table}_revision (revision BIGINT NOT NULL)")
            cursor.execute(
                f"INSERT INTO {table}_revision SELECT 0 WHERE NOT EXISTS (SELECT FROM {table}_revision)"  # noqa: S608
            )
            row = cursor.execute(
                "SELECT atttypmod FROM pg_attribute WHERE attrelid = %s::regclass AND attname = 'embedding'", (table,)
            ).fetchone()
        if int(row[0]) != self._width:
            raise InputError(
                f"The embedding gives {self._width} numbers, the table {table!r} holds vectors of {row[0]}.",
                fix="use the same embedding, or another table",
            )

    def _count_write(self, cursor: Any) -> None:
        cursor.execute(f"UPDATE {self._table}_revision SET revision = revision + 1")  # noqa: S608

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        with self._lock:
            try:
                with self._connection.transaction(), self._connection.cursor() as cursor:
                    yield cursor
            except GroundwireError:
                raise
            except self._errors as error:
                raise InputError(
                    "PostgreSQL refused the statement.",
                    why=f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}",
                    fix="check the connection, the rights of the user, and that pgvector is installed",
                    retry=True,
                ) from error


def _as_text(vector: Floats) -> str:
    return "[" + ",".join(f"{value:.7g}" for value in vector.tolist()) + "]"
