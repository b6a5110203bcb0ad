"""Words that mean the same, and words that mean the opposite."""

from functools import cache, lru_cache

from groundwire.text.lexicon import load_rows
from groundwire.text.tokens import stem, verb_share

_PREFIXES = ("un", "in", "im", "ir", "non", "dis")


@cache
def _opposites() -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for first, second, *_ in load_rows("antonyms"):
        if "_" in first or "_" in second:
            continue
        one, two = stem(first), stem(second)
        if one == two:
            continue
        found.setdefault(one, set()).add(two)
        found.setdefault(two, set()).add(one)
    # Tuples of strings cost the garbage collector nothing; sets are made for the words in use.
    return {key: tuple(values) for key, values in found.items()}


@lru_cache(maxsize=32_768)
def opposites(key: str) -> frozenset[str]:
    """Return the stems that the lexicon sets against a stem."""
    return frozenset(_opposites().get(key, ()))


@lru_cache(maxsize=32_768)
def against(key: str) -> frozenset[str]:
    """Return all stems that oppose a stem, by the lexicon or by a negating prefix."""
    formed = {prefix + key for prefix in _PREFIXES} if len(key) > 3 else set()
    formed |= {key[len(prefix) :] for prefix in _PREFIXES if key.startswith(prefix) and len(key) - len(prefix) > 3}
    return opposites(key) | formed


def opposed(first: str, second: str) -> bool:
    """Tell whether two stems oppose each other."""
    return second in against(first)


@cache
def _groups() -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for name in ("synonyms", "derivations"):
        for row in load_rows(name):
            stems = {stem(word) for word in row if "_" not in word}
            for key in stems:
                found.setdefault(key, set()).update(stems - {key})
    # A word that is listed as an opposite can never stand in.
    return {key: tuple(values.difference(_opposites().get(key, ()))) for key, values in found.items()}


@lru_cache(maxsize=32_768)
def is_specific(key: str) -> bool:
    """Tell whether a stem is in none of our word groups: likely a substance, a trade, a product."""
    return len(key) > 5 and not synonyms(key) and not opposites(key) and verb_share(key) == 0 and not key.endswith("ly")


@lru_cache(maxsize=32_768)
def alike(key: str) -> frozenset[str]:
    """Return a stem together with the stems that may stand in for it."""
    return synonyms(key) | {key}


@lru_cache(maxsize=32_768)
def synonyms(key: str) -> frozenset[str]:
    """Return the stems that may stand in for a stem."""
    return frozenset(_groups().get(key, ()))
