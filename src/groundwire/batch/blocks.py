"""Cut the input into blocks: the unit of work, of the journal and of the model's batches."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from groundwire.batch.records import Record

BLOCK_ROWS = 128
# A block of huge rows is closed early, so that memory stays flat.
BLOCK_SIZE = 8 * 1024 * 1024
# The last blocks are small, so that no process waits long for the one that got the last.
_SHARE_OF_REST = 16
_FEWEST_ROWS = 8


@dataclass(frozen=True, slots=True)
class Block:
    """Neighbouring records; where one ends depends on the input alone, never on who works on it."""

    number: int
    records: tuple[Record, ...]


def cut_blocks(
    records: Iterable[Record], total: int, rows: int = BLOCK_ROWS, size: int = BLOCK_SIZE
) -> Iterator[Block]:
    """Yield blocks of at most so many rows and, unless one row is larger, so many characters."""
    number = held = 0
    kept: list[Record] = []
    left, most = total, rows if total <= rows else _rows_of_next(total, rows)
    for record in records:
        if kept and (len(kept) >= most or held + record.size > size):
            yield Block(number, tuple(kept))
            left -= len(kept)
            number, held, kept, most = number + 1, 0, [], _rows_of_next(left, rows)
        kept.append(record)
        held += record.size
    if kept:
        yield Block(number, tuple(kept))


def _rows_of_next(left: int, rows: int) -> int:
    return min(rows, max(_FEWEST_ROWS, left // _SHARE_OF_REST))


def choose_records(
    records: Iterable[Record], total: int, *, limit: int | None, sample: int | None, seed: int
) -> Iterator[Record]:
    """Yield the first `limit` records, or a random `sample` of them in their order."""
    wanted = total if limit is None else min(limit, total)
    chosen = None if sample is None or sample >= wanted else _sample(wanted, sample, seed)
    for place, record in enumerate(records):
        if place >= wanted:
            return
        if chosen is None or place in chosen:
            yield record


def count_chosen(total: int, limit: int | None, sample: int | None) -> int:
    """Count what `choose_records` will yield."""
    wanted = total if limit is None else min(limit, total)
    return wanted if sample is None else min(sample, wanted)


def _sample(total: int, count: int, seed: int) -> frozenset[int]:
    return frozenset(random.Random(seed).sample(range(total), count))  # noqa: S311 - no secret hangs on it
