import json
from collections.abc import Iterator, Sequence

from benchmarks import record
from benchmarks.retrieval import Passage, Ranker, Task, measure
from benchmarks.scale_store import PLOT, chunk, draw


def test_the_picture_of_growth_is_that_of_the_result_file() -> None:
    rows = json.loads((record.RESULTS / "scale_store.json").read_text(encoding="utf-8"))["sizes"]
    assert PLOT.read_text(encoding="utf-8") == draw(rows)


def test_a_generated_chunk_is_the_same_on_every_run() -> None:
    assert chunk(7) == chunk(7)
    assert chunk(7) != chunk(8)


def test_recall_counts_sources_and_not_passages() -> None:
    passages = [Passage("a", 0), Passage("b", 0), Passage("c", 1)]
    tasks = [Task("set", "x", 1), Task("set", "y", 0), Task("set", "z", 5)]

    def in_order(given: Sequence[Passage]) -> Iterator[Ranker]:
        yield lambda claim: [item.source for item in given]

    result = measure(in_order, passages, tasks)
    assert (result["recall_at_1"], result["recall_at_3"]) == (0.3333, 0.6667)
