"""Dense vectors without a network, a model runtime or another package."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from groundwire.errors import InputError, InputTypeError, MissingExtraError
from groundwire.ledger import sha256_hex
from groundwire.retrieval.postings import Floats
from groundwire.retrieval.terms import term_counts

# Anything that turns texts into one row of numbers each.
Embed = Callable[[Sequence[str]], Floats]

TABLE = Path(__file__).parent / "static_vectors.npz"
_SIGNS = 192
_BATCH = 64
# Meaning against spelling; chosen on the public dev sets, see benchmarks/results/retrieval.json.
_MEANING = 0.8


class _Table(NamedTuple):
    place: dict[str, int]
    rarity: Floats
    vectors: Floats


def static_embed(texts: Sequence[str]) -> Floats:
    """Embed texts by their words: what each means by a shipped table, and which it is by its hash.

    The first part brings words of like meaning together, the second keeps names and numbers apart that no
    table knows. The result depends on nothing but the text.
    """
    return _embed_terms([term_counts(text) for text in texts])


def token_embed(text: str) -> Floats:
    """Embed each word of a text on its own, for late interaction."""
    return _embed_terms([Counter([term]) for term in term_counts(text)])


def _embed_terms(counted: Sequence[Counter[str]]) -> Floats:
    out = [_embed_batch(counted[start : start + _BATCH]) for start in range(0, len(counted), _BATCH)]
    return np.concatenate(out) if out else np.zeros((0, _table().vectors.shape[1] + _SIGNS), dtype=np.float32)


def _embed_batch(counted: Sequence[Counter[str]]) -> Floats:
    table = _table()
    width = table.vectors.shape[1]
    # Each word of the batch is looked up once; a text is then a run of rows that is summed.
    place: dict[str, int] = {}
    rows = [place.setdefault(term, len(place)) for counts in counted for term in counts]
    out = np.zeros((len(counted), width + _SIGNS), dtype=np.float32)
    if not rows:
        return out
    known = np.array([table.place.get(term, -1) for term in place])
    rarity = np.where(known >= 0, table.rarity[known], np.float32(1.0))
    meaning = np.where((known >= 0)[:, None], table.vectors[known], np.float32(0.0))
    words = np.hstack([meaning, _signs(place)]) * rarity[:, None]
    repeats = np.array([count for counts in counted for count in counts.values()], dtype=np.float32)
    weighted = words[rows] * (1.0 + np.log(repeats))[:, None]
    filled = [row for row, counts in enumerate(counted) if counts]
    lengths = [len(counts) for counts in counted if counts]
    starts = np.concatenate([[0], np.cumsum(lengths[:-1], dtype=np.int64)]).astype(np.int64)
    sums = np.add.reduceat(weighted, starts, axis=0)
    out[filled, :width] = _MEANING * normalised(sums[:, :width])
    out[filled, width:] = normalised(sums[:, width:])
    return normalised(out)


def wordllama_embed() -> Embed:
    """Return the embedding of the package wordllama, which carries its model with it (extra `embeddings`)."""
    try:
        import wordllama
    except ImportError as error:
        raise MissingExtraError("wordllama_embed", "embeddings") from error
    # Plain load() asks a hub; the model lies in the package's own folder.
    model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)

    def embed(texts: Sequence[str]) -> Floats:
        return np.asarray(model.embed(list(texts)), dtype=np.float32)

    embed.name = "wordllama"  # type: ignore[attr-defined]
    return embed


def embed_with(embed: Embed, texts: Sequence[str]) -> Floats:
    """Call an embedding, check what it gave, and bring every row to length one."""
    vectors: Any = np.asarray(embed(texts), dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.shape[1]:
        raise InputError(
            f"The embedding gave an array of shape {vectors.shape} for {len(texts)} texts.",
            fix="return one row of numbers for each text",
        )
    if not np.isfinite(vectors).all():
        raise InputError("The embedding gave numbers that are not finite.", fix="check the model")
    return normalised(vectors)


def embedding_name(embed: Embed) -> str:
    """Name an embedding, so that a store can tell whether it is the one it was filled with."""
    if not callable(embed):
        raise InputTypeError("The embedding cannot be called.", fix="give a function from texts to an array")
    return str(getattr(embed, "name", None) or getattr(embed, "__qualname__", None) or type(embed).__qualname__)


def normalised(vectors: Floats) -> Floats:
    """Bring every row to length one; an empty row stays empty."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-9), dtype=np.float32)


@cache
def _table() -> _Table:
    with np.load(TABLE, allow_pickle=False) as parts:
        words = parts["words"].tobytes().decode("ascii").split("\n")
        vectors = normalised(parts["vectors"].astype(np.float32))
        return _Table({word: place for place, word in enumerate(words)}, parts["rarity"], vectors)


def _signs(terms: Iterable[str]) -> Any:
    digests = np.frombuffer(b"".join(map(_digest, terms)), np.uint8).reshape(-1, _SIGNS // 8)
    return 2 * np.unpackbits(digests, axis=1).astype(np.int8) - 1


# Digests are kept, not arrays: those take five times the memory, and more time to put together.
@lru_cache(maxsize=65_536)
def _digest(term: str) -> bytes:
    return bytes.fromhex(sha256_hex(term.encode("utf-8", "surrogatepass")))[: _SIGNS // 8]
