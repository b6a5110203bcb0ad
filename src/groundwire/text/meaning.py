"""Words that mean the same, and words that mean the opposite."""

from functools import cache, lru_cache

from groundwire.text.lexicon import load_rows
from groundwire.text.tokens import stem, verb_share

_PREFIXES = ("un", "in", "im", "ir", "non", "dis")
_KEPT_STEMS = 8_192  # stems in use; in a run over a million texts rare ones must not pile up
_NONE: frozenset[str] = frozenset()  # one for all stems without any: an empty set costs as much as a full one


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


@lru_cache(maxsize=_KEPT_STEMS)
def opposites(key: str) -> frozenset[str]:
    """Return the stems that the lexicon sets against a stem."""
    found = _opposites().get(key)
    return frozenset(found) if found else _NONE


@lru_cache(maxsize=_KEPT_STEMS)
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


@lru_cache(maxsize=_KEPT_STEMS)
def is_specific(key: str) -> bool:
    """Tell whether a stem is in none of our word groups: likely a substance, a trade, a product."""
    return len(key) > 5 and not synonyms(key) and not opposites(key) and verb_share(key) == 0 and not key.endswith("ly")


@lru_cache(maxsize=_KEPT_STEMS)
def alike(key: str) -> frozenset[str]:
    """Return a stem together with the stems that may stand in for it."""
    return synonyms(key) | {key}


@lru_cache(maxsize=_KEPT_STEMS)
def synonyms(key: str) -> frozenset[str]:
    """Return the stems that may stand in for a stem."""
    found = _groups().get(key)
    return frozenset(found) if found else _NONE
