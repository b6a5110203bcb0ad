"""The only word lists of the package, as data files."""

from functools import cache
from importlib.resources import files


@cache
def load_words(name: str) -> frozenset[str]:
    """Read a word list: one entry per line, `#` starts a comment."""
    text = files(__package__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
    entries = (line.partition("#")[0].strip() for line in text.splitlines())
    return frozenset(entry for entry in entries if entry)
