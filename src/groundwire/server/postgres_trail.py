"""The audit trail in PostgreSQL, for a service on several machines."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from groundwire.errors import InputError, MissingExtraError
from groundwire.ledger import GENESIS, Record
from groundwire.server.trail import Head, Receipt, chained, read_payload

_TIMEOUT_S: Final = 5
# Any number will do, as long as all processes that lay the tables out take the same one.
_LAYING_OUT: Final = 0x47575452
_LAYOUT: Final = (
    """CREATE TABLE IF NOT EXISTS groundwire_records (
        idx BIGINT PRIMARY KEY, tenant TEXT NOT NULL, payload TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS groundwire_records_tenant ON groundwire_records (tenant, idx)",
    """CREATE TABLE IF NOT EXISTS groundwire_head (
        one INTEGER PRIMARY KEY CHECK (one = 1), count BIGINT NOT NULL, hash TEXT NOT NULL
    )""",
    f"INSERT INTO groundwire_head VALUES (1, 0, '{GENESIS}') ON CONFLICT DO NOTHING",  # noqa: S608 - a constant
    """CREATE OR REPLACE FUNCTION groundwire_append_only() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'the audit trail is append-only'; END $$""",
    """CREATE OR REPLACE TRIGGER groundwire_records_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON groundwire_records
       FOR EACH STATEMENT EXECUTE FUNCTION groundwire_append_only()""",
)


class PostgresTrail:
    """The trail in two tables; several processes may write to it."""

    def __init__(self, dsn: str) -> None:
        try:
            import psycopg
        except ImportError as error:
            raise MissingExtraError("An audit trail in PostgreSQL", "postgres") from error
        self._psycopg, self._dsn = psycopg, dsn
        self._connection: Any = None
        try:
            connection = self._alive()
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LAYING_OUT,))
                for statement in _LAYOUT:
                    connection.execute(statement)
        except psycopg.Error as error:
            # The message may repeat the address with its password.
            raise InputError(
                "PostgreSQL cannot be used.",
                why=type(error).__name__,
                fix="check --postgres, the server and its rights",
            ) from error

    def append(self, payloads: Sequence[dict[str, Any]]) -> list[Receipt]:
        """Write records in one transaction and return when the server has committed it."""
        try:
            connection = self._alive()
            with connection.transaction():
                count, last = connection.execute("SELECT count, hash FROM groundwire_head FOR UPDATE").fetchone()
                rows, receipts = chained(count, last, payloads)
                with connection.cursor() as cursor:
                    cursor.executemany("INSERT INTO groundwire_records VALUES (%s, %s, %s, %s, %s)", rows)
                connection.execute(
                    "UPDATE groundwire_head SET count = %s, hash = %s", (count + len(rows), receipts[-1].hash)
                )
        except self._psycopg.Error:
            # The next call connects anew: the server may be back.
            self.close()
            raise
        return receipts

    def records(self) -> Iterator[Record]:
        """Read every record in order, unchecked."""
        connection = self._alive()
        with connection.transaction(), connection.cursor("groundwire_read") as cursor:
            cursor.execute("SELECT idx, payload, previous, hash FROM groundwire_records ORDER BY idx")
            for index, payload, previous, digest in cursor:
                yield Record(index, read_payload(index, payload), previous, digest)

    def head(self) -> Head:
        """Return what the trail says of its own end."""
        count, digest = self._alive().execute("SELECT count, hash FROM groundwire_head").fetchone()
        return Head(count, digest)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _alive(self) -> Any:
        if self._connection is None or self._connection.closed:
            self._connection = self._psycopg.connect(self._dsn, autocommit=True, connect_timeout=_TIMEOUT_S)
            self._connection.execute("SET synchronous_commit = on")
        return self._connection
