"""Make the small table of word vectors that the base install ships: python -m training.static_vectors.

It needs sentence-transformers, a folder with an all-MiniLM-L6-v2 model (Apache-2.0), and texts to count words in.
The encoder reads each word alone; its vectors are centred, turned by a principal component analysis, cut to the
leading dimensions and rounded to bytes. No text is kept: the texts only say which words are frequent, and how much.
"""

import argparse
import json
import lzma
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from groundwire.retrieval.embedding import TABLE
from groundwire.text.tokens import find_words

WORDS = 16_000
DIMENSIONS = 64
LONGEST_FILE = 6_000_000


def main() -> None:
    """Read the options and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="folder of the sentence encoder")
    parser.add_argument("--texts", required=True, nargs="+", help="xz-packed text or JSON-lines files")
    parser.add_argument("--out", default=str(TABLE))
    options = parser.parse_args()
    counts, forms = count_words(Path(name) for name in options.texts)
    stems = [stem for stem, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:WORDS]]
    vectors = encode([forms[stem].most_common(1)[0][0] for stem in stems], options.model)
    write(Path(options.out), stems, [counts[stem] for stem in stems], reduce(vectors))


def count_words(paths: Iterator[Path]) -> tuple[Counter[str], dict[str, Counter[str]]]:
    """Count stems, and the forms in which each is written."""
    counts: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = {}
    for path in paths:
        for word in find_words(_read(path)):
            if word.content and word.stem.isascii():
                counts[word.stem] += 1
                forms.setdefault(word.stem, Counter())[word.lower] += 1
    return counts, forms


def _read(path: Path) -> str:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        text = file.read()
    if ".jsonl" in path.name:
        text = "\n".join(sorted({json.loads(line)["premise"] for line in text.splitlines()}))
    return text[:LONGEST_FILE]


def encode(words: list[str], model: str) -> Any:
    """Encode each word alone."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(model, device="cpu").encode(words, batch_size=512, normalize_embeddings=False)


def reduce(vectors: Any) -> Any:
    """Turn vectors to their principal axes, cut them and bring them to length one."""
    centred = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(centred[: WORDS * 3 // 4], full_matrices=False)
    short = centred @ axes[:DIMENSIONS].T
    return short / np.linalg.norm(short, axis=1, keepdims=True)


def write(path: Path, stems: list[str], counts: list[int], vectors: Any) -> None:
    """Write words, rarities and vectors as one packed file without pickles."""
    share = np.array(counts, dtype=np.float64) / sum(counts)
    rarity = np.log(1 / share) / np.log(1 / share[-1])
    np.savez_compressed(
        path,
        words=np.frombuffer("\n".join(stems).encode("ascii"), dtype=np.uint8),
        rarity=rarity.astype(np.float32),
        vectors=np.round(vectors * (127 / np.abs(vectors).max())).astype(np.int8),
    )


if __name__ == "__main__":
    main()
