"""Measure retrieval: `python -m benchmarks.retrieval` writes benchmarks/results/retrieval.json.

Each supported claim of the public dev sets must find its own source among the sources of all of them. Sources are cut
into passages as `groundwire kb add` cuts them; a source stands where its best passage stands.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import data, record
from groundwire.retrieval import (
    ColBERTBackend,
    DenseBackend,
    HybridBackend,
    InMemoryBackend,
    RerankedBackend,
    SQLiteBackend,
    VectorBackend,
    wordllama_embed,
)
from groundwire.retrieval.chunks import CHUNK_OVERLAP, CHUNK_SIZE, cut_chunks

# Deep enough for three different sources in nearly every case.
DEPTH = 15
LEFT_OUT = "contractnli"

Ranker = Callable[[str], list[int]]


class Task(NamedTuple):
    """A claim of a set, and the number of its source."""

    set: str
    claim: str
    source: int


class Passage(NamedTuple):
    """A passage, and the number of its source."""

    text: str
    source: int


def main() -> None:
    """Read the options, measure every way and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with dev/")
    parser.add_argument("--claims", type=int, help="only so many claims, for a quick look; nothing is written")
    options = parser.parse_args()
    sources, tasks = load(data.folder(options.data))
    tasks = tasks[:: max(1, len(tasks) // options.claims)] if options.claims else tasks
    passages = [
        Passage(chunk.text, number)
        for number, source in enumerate(sources)
        for chunk in cut_chunks(source, CHUNK_SIZE, CHUNK_OVERLAP)
    ]
    results: dict[str, Any] = {}
    not_run: dict[str, str] = {}
    for name, build in ways().items():
        if isinstance(build, str):
            not_run[name] = build
            continue
        # Every token against every token: a tenth of the claims says enough, and the result says how many.
        results[name] = measure(build, passages, tasks[::10] if name == "late interaction" else tasks)
        print(
            f"{name:<24} recall@1 {results[name]['recall_at_1']:.4f}  @3 {results[name]['recall_at_3']:.4f}", flush=True
        )
    if options.claims:
        return
    record.write(
        "retrieval",
        "python -m benchmarks.retrieval",
        {
            "sources": len(sources),
            "passages": len(passages),
            "claims": len(tasks),
            "chunk_size": CHUNK_SIZE,
            "overlap": CHUNK_OVERLAP,
            "ways": results,
            "not_run": not_run,
            "default": "blend",
        },
    )


def load(folder: Path) -> tuple[list[str], list[Task]]:
    """Read all sources, and the claims that their source supports."""
    sources: dict[str, int] = {}
    tasks: list[Task] = []
    for name in data.DEV_SETS:
        if name == LEFT_OUT:
            continue
        for row in data.packed(folder / "dev" / f"{name}.jsonl.xz"):
            number = sources.setdefault(row.source, len(sources))
            if row.label == 1:
                tasks.append(Task(name, row.response, number))
    return list(sources), tasks


def ways() -> dict[str, Callable[[Sequence[Passage]], Iterator[Ranker]] | str]:
    """Name every way to search, or why it cannot be measured here."""
    has_wordllama, has_bm25s, model = find_spec("wordllama"), find_spec("bm25s"), embedded_model()
    no_model = "the embedded model is not part of this version"
    return {
        "bm25s": _bm25s if has_bm25s else "bm25s is not installed",
        "tf-idf cosine": _backend(lambda folder: InMemoryBackend()),
        "keyword": _backend(lambda folder: SQLiteBackend(folder / "k.sqlite", search="keyword")),
        "dense": _backend(lambda folder: DenseBackend()),
        "dense, wordllama": (
            _backend(lambda folder: DenseBackend(wordllama_embed())) if has_wordllama else "wordllama is not installed"
        ),
        "late interaction": _backend(lambda folder: ColBERTBackend()),
        "hybrid": _backend(lambda folder: HybridBackend()),
        "hybrid, wordllama": (
            _backend(lambda folder: HybridBackend(DenseBackend(wordllama_embed())))
            if has_wordllama
            else "wordllama is not installed"
        ),
        "blend": _backend(lambda folder: SQLiteBackend(folder / "b.sqlite")),
        "reranked": (
            no_model
            if model is None
            else _backend(lambda folder: RerankedBackend(SQLiteBackend(folder / "r.sqlite"), model, multiplier=1))
        ),
    }


def embedded_model() -> Any:
    """Return the embedded model, None where this version has none."""
    from groundwire import nli

    scorer = getattr(nli, "NLIScorer", None)
    model = None if scorer is None else scorer()
    return model if model is not None and model.model_available else None


def measure(
    build: Callable[[Sequence[Passage]], Iterator[Ranker]], passages: Sequence[Passage], tasks: Sequence[Task]
) -> dict[str, Any]:
    """Count how often the own source comes first, or among the first three."""
    begin = time.perf_counter()
    with closing(build(passages)) as made:  # type: ignore[type-var]
        ranker = next(made)
        built = time.perf_counter() - begin
        ranks: dict[str, list[int | None]] = {}
        begin = time.perf_counter()
        for task in tasks:
            found = list(dict.fromkeys(ranker(task.claim)))
            place = found.index(task.source) if task.source in found else None
            ranks.setdefault(task.set, []).append(place)
        spent = time.perf_counter() - begin
    every = [rank for own in ranks.values() for rank in own]
    return {
        "claims": len(every),
        "recall_at_1": _share(every, 1),
        "recall_at_3": _share(every, 3),
        "build_s": round(built, 1),
        "query_mean_ms": round(1000 * spent / len(tasks), 2),
        "sets": {
            name: {"claims": len(own), "recall_at_1": _share(own, 1), "recall_at_3": _share(own, 3)}
            for name, own in ranks.items()
        },
    }


def _share(ranks: Sequence[int | None], limit: int) -> float:
    return round(sum(rank is not None and rank < limit for rank in ranks) / len(ranks), 4)


def _backend(make: Callable[[Path], VectorBackend]) -> Callable[[Sequence[Passage]], Iterator[Ranker]]:
    def build(passages: Sequence[Passage]) -> Iterator[Ranker]:
        with tempfile.TemporaryDirectory() as folder, closing(make(Path(folder))) as backend:
            backend.add_many((str(place), passage.text, None) for place, passage in enumerate(passages))
            yield lambda claim: [passages[int(hit["id"])].source for hit in backend.query(claim, DEPTH)]

    return build


def _bm25s(passages: Sequence[Passage]) -> Iterator[Ranker]:
    import bm25s

    index = bm25s.BM25()
    index.index(
        bm25s.tokenize([passage.text for passage in passages], stopwords="en", show_progress=False),
        show_progress=False,
    )

    def rank(claim: str) -> list[int]:
        tokens = bm25s.tokenize([claim], stopwords="en", show_progress=False)
        found, scores = index.retrieve(tokens, k=DEPTH, show_progress=False)
        return [passages[int(place)].source for place, score in zip(found[0], scores[0], strict=True) if score > 0]

    yield rank


if __name__ == "__main__":
    main()
