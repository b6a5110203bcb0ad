"""Files into a knowledge store: each one whole or not at all, and only when it changed."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from groundwire.ledger import hash_json, sha256_hex
from groundwire.retrieval.base import Metadata
from groundwire.retrieval.chunks import CHUNK_OVERLAP, CHUNK_SIZE, Chunk, cut_chunks
from groundwire.retrieval.documents import Extracted, extract
from groundwire.retrieval.sqlite import SQLiteBackend

# Raised when the same file would give other passages than before.
_READER_VERSION = 1


class Outcome(StrEnum):
    """What became of a file."""

    ADDED = "added"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Ingested:
    """One file, and how many passages it came to; none were made of an unchanged one."""

    name: str
    outcome: Outcome
    chunks: int | None


def ingest_file(
    store: SQLiteBackend,
    name: str,
    data: bytes,
    *,
    tenant_id: str = "",
    chunk_size: int = CHUNK_SIZE,
    overlap: int = CHUNK_OVERLAP,
) -> Ingested:
    """Put a file into a store in one transaction, unless the store holds the very same one."""
    content = hash_json([_READER_VERSION, sha256_hex(data), chunk_size, overlap])
    known = store.source_hash(name, tenant_id)
    if known == content:
        return Ingested(name, Outcome.UNCHANGED, None)
    found = extract(name, data)
    passages = list(cut_document(found, chunk_size, overlap))
    store.put_source(name, found.text, passages, content_hash=content, tenant_id=tenant_id)
    return Ingested(name, Outcome.ADDED if known is None else Outcome.REPLACED, len(passages))


def cut_document(found: Extracted, size: int, overlap: int) -> Iterator[tuple[Chunk, Metadata]]:
    """Cut a document into passages whose offsets count in its whole text."""
    if found.divided:
        for part in found.parts:
            for chunk in cut_chunks(found.text[part.start : part.end], size, overlap):
                yield Chunk(chunk.text, part.start + chunk.start, part.start + chunk.end), part.metadata
        return
    ends = [part.end for part in found.parts]
    for chunk in cut_chunks(found.text, size, overlap):
        place = bisect_right(ends, chunk.start)
        yield chunk, found.parts[place].metadata if place < len(ends) else {}
