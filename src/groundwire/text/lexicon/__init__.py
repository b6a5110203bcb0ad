"""The only word lists of Groundwire: data files, one home each."""

from functools import cache
from importlib.resources import files


@cache
def load_rows(name: str) -> tuple[tuple[str, ...], ...]:
    """Read a tab-separated list; lines that start with # are notes."""
    text = files(__package__).joinpath(f"{name}.tsv").read_text(encoding="utf-8")
    lines = (line.rstrip() for line in text.split("\n"))
    return tuple(tuple(line.split("\t")) for line in lines if line and not line.startswith("#"))


@cache
def load_words(name: str) -> frozenset[str]:
    """Read a list with one entry a line; lines that start with # are notes."""
    text = files(__package__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
    lines = (line.strip() for line in text.split("\n"))
    return frozenset(line for line in lines if line and not line.startswith("#"))


@cache
def load_map(name: str) -> dict[str, str]:
    """Read a two-column list as a mapping from the first to the second column."""
    return {row[0]: row[1] for row in load_rows(name)}
