"""Documents cut into passages that know their places."""

from typing import NamedTuple

from groundwire.errors import InputError
from groundwire.text.sentences import shorten, split_sentences

CHUNK_SIZE = 800
CHUNK_OVERLAP = 100


class Chunk(NamedTuple):
    """A passage: `text[start:end]` of the document it was cut from."""

    text: str
    start: int
    end: int


def cut_chunks(text: str, size: int, overlap: int) -> list[Chunk]:
    """Cut a text at sentence ends into passages of at most `size` characters.

    Each passage but the first repeats whole sentences of the one before it, up to `overlap` characters.
    """
    if size < 1 or not 0 <= overlap < size:
        raise InputError(
            f"A chunk size of {size} with an overlap of {overlap} cannot be used.",
            fix="give a size above 0 and an overlap from 0 to less than the size",
        )
    pieces = [(piece.start, piece.end) for unit in split_sentences(text) for piece in shorten(unit, size)]
    # A table row may be longer than a passage; it is cut where it must be.
    pieces = [cut for start, end in pieces for cut in _slices(start, end, size)]
    chunks: list[Chunk] = []
    first = 0
    while first < len(pieces):
        last = first
        while last + 1 < len(pieces) and pieces[last + 1][1] - pieces[first][0] <= size:
            last += 1
        start, end = pieces[first][0], pieces[last][1]
        chunks.append(Chunk(text[start:end], start, end))
        if last + 1 == len(pieces):
            break
        following = last + 1
        # The next passage must end further on, or nothing would be gained by it.
        while (
            following - 1 > first
            and end - pieces[following - 1][0] <= overlap
            and pieces[last + 1][1] - pieces[following - 1][0] <= size
        ):
            following -= 1
        first = following
    return chunks


def _slices(start: int, end: int, size: int) -> list[tuple[int, int]]:
    return [(place, min(place + size, end)) for place in range(start, end, size)]
