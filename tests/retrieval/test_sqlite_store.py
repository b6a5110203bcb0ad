"""The store in one file: what survives, what is refused, what is never half there."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.audit import RunStore
from groundwire.errors import InputError, IntegrityError
from groundwire.retrieval import SQLiteBackend, VectorGroundTruthStore, static_embed
from groundwire.retrieval.chunks import Chunk
from groundwire.retrieval.ingest import Outcome, ingest_file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kb.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteBackend]:
    backend = SQLiteBackend(path)
    yield backend
    backend.close()


def test_what_was_written_is_there_after_opening_again(path: Path) -> None:
    first = SQLiteBackend(path)
    first.add("refund", "Refunds are paid within 30 days.", {"n": 1, "tags": ["a", None]})
    revision = first.revision
    first.close()
    again = SQLiteBackend(path, create=False)
    assert again.query("refunds", 1)[0]["metadata"] == {"n": 1, "tags": ["a", None]}
    assert again.revision == revision
    again.close()
    assert sorted(name.name for name in path.parent.iterdir()) == ["kb.sqlite"]


def test_a_store_over_a_filled_file_counts_and_finds(path: Path) -> None:
    first = VectorGroundTruthStore(SQLiteBackend(path))
    first.add("refund", "Refunds are paid within 30 days.", tenant_id="a")
    first.close()
    again = VectorGroundTruthStore(SQLiteBackend(path))
    assert again.count(tenant_id="a") == 1
    assert again.retrieve_context("refunds", tenant_id="a") == "Refunds are paid within 30 days."
    assert again.remove("refund", tenant_id="a") is True
    assert again.count(tenant_id="a") == 0
    again.close()


def test_two_openings_see_each_others_writes_and_revisions(path: Path) -> None:
    one, two = SQLiteBackend(path), SQLiteBackend(path)
    one.add("a", "The pump is red.")
    assert two.query("pump", 1)[0]["id"] == "a"
    before = one.revision
    two.add("b", "The pump is blue, says the second pump.")
    assert one.revision == before + 1
    assert {hit["id"] for hit in one.query("pump", 5)} == {"a", "b"}
    one.close()
    two.close()


def test_k9_a_tenants_texts_do_not_change_anothers_distances(store: SQLiteBackend) -> None:
    store.add("x", "The pump stands beside the turbine.", {"tenant_id": "a"})
    store.add("y", "The turbine was built in Norway.", {"tenant_id": "a"})
    before = store.query("pump turbine", 3, {"tenant_id": "a"})
    for number in range(30):
        store.add(f"b{number}", f"A pump and another pump, number {number}.", {"tenant_id": "b"})
    assert store.query("pump turbine", 3, {"tenant_id": "a"}) == before


def test_k10_an_unrelated_query_finds_nothing(store: SQLiteBackend) -> None:
    facts = VectorGroundTruthStore(store)
    facts.add("refund", "Refunds are paid within 30 days.")
    assert facts.retrieve_context("Who composed the opera?") == ""


def test_vectors_find_what_words_do_not(store: SQLiteBackend) -> None:
    store.add("a", "The physician prescribed medicine.")
    store.add("b", "The committee adjourned at noon.")
    assert [hit["id"] for hit in store.query("doctors prescribing medication", 1)] == ["a"]
    near = static_embed(["doctor", "physician", "bridge"])
    assert near[0] @ near[1] > near[0] @ near[2] + 0.1


def test_nothing_of_a_failed_batch_stays(store: SQLiteBackend) -> None:
    revision = store.revision
    with pytest.raises(InputError, match="cannot be written"):
        store.add_many([("a", "One pump.", None), ("b", "Two pumps.", {"x": object()})])
    assert (store.count(), store.revision) == (0, revision)
    assert store.query("pump") == []


def test_a_document_is_replaced_whole(store: SQLiteBackend) -> None:
    assert ingest_file(store, "a.txt", b"The pump is red. " * 200).outcome is Outcome.ADDED
    assert ingest_file(store, "a.txt", b"The pump is red. " * 200).outcome is Outcome.UNCHANGED
    revision = store.revision
    assert ingest_file(store, "a.txt", b"The valve is blue.").outcome is Outcome.REPLACED
    assert store.revision == revision + 1
    assert [hit["text"] for hit in store.documents()] == ["The valve is blue."]
    assert store.query("pump") == []


def test_an_unchanged_file_is_neither_read_nor_written(store: SQLiteBackend) -> None:
    ingest_file(store, "a.txt", b"The pump is red.")
    revision = store.revision
    assert ingest_file(store, "a.txt", b"The pump is red.").chunks is None
    assert store.revision == revision
    # The same file in other passages, or for another tenant, is another matter.
    assert ingest_file(store, "a.txt", b"The pump is red.", chunk_size=300).outcome is Outcome.REPLACED
    assert ingest_file(store, "a.txt", b"The pump is red.", tenant_id="b").outcome is Outcome.ADDED


def test_passages_are_slices_of_the_text_that_is_kept(store: SQLiteBackend) -> None:
    text = "# Title\n\n" + " ".join(f"Sentence {n} is about valve {n}, “quoted” – naïve 中文。" for n in range(120))
    ingest_file(store, "a.md", text.encode())
    kept = store.source_text("a.md")
    assert kept == text
    passages = list(store.documents())
    assert len(passages) > 5
    for hit in passages:
        assert kept[hit["metadata"]["start"] : hit["metadata"]["end"]] == hit["text"]


def test_a_process_that_dies_while_writing_leaves_nothing_behind(path: Path) -> None:
    code = f"""
import os
from groundwire.retrieval import SQLiteBackend
from groundwire.retrieval.ingest import ingest_file
store = SQLiteBackend({str(path)!r})
ingest_file(store, "whole.txt", b"The pump is red.")
insert = store._insert
def die(*arguments):
    insert(*arguments)
    os._exit(9)
store._insert = die
ingest_file(store, "half.txt", b"The valve is blue. " * 500)
"""
    done = subprocess.run([sys.executable, "-c", code], timeout=60, check=False)
    assert done.returncode == 9
    again = SQLiteBackend(path)
    assert [entry.name for entry in again.sources()] == ["whole.txt"]
    assert again.query("valve") == []
    ingest_file(again, "half.txt", b"The valve is blue.")
    assert again.query("valve")[0]["text"] == "The valve is blue."
    again.close()


def test_a_locked_store_says_so_and_that_a_retry_helps(path: Path) -> None:
    SQLiteBackend(path).close()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    waiting = SQLiteBackend(path, timeout=0.1)
    assert waiting.query("reading goes on") == []
    with pytest.raises(InputError, match="is locked") as caught:
        waiting.add("a", "One pump.")
    assert caught.value.retry
    holder.execute("COMMIT")
    holder.close()
    waiting.add("a", "One pump.")
    waiting.close()


def test_a_file_of_another_kind_is_refused_and_left_alone(path: Path) -> None:
    path.write_text("just a text", encoding="utf-8")
    with pytest.raises(IntegrityError, match="no knowledge store, or a damaged one"):
        SQLiteBackend(path)
    assert path.read_text(encoding="utf-8") == "just a text"


def test_another_programs_database_is_refused_and_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE mine (x)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(IntegrityError, match="is no knowledge store"):
        SQLiteBackend(path)
    assert path.read_bytes() == before


def test_a_knowledge_store_is_no_record_store(path: Path) -> None:
    SQLiteBackend(path).close()
    with pytest.raises(IntegrityError):
        RunStore(path)


def test_a_newer_store_is_refused(path: Path) -> None:
    SQLiteBackend(path).close()
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(IntegrityError, match="newer version"):
        SQLiteBackend(path)


def test_a_damaged_store_is_refused(path: Path) -> None:
    backend = SQLiteBackend(path)
    backend.add_many((f"d{n}", f"The pump of unit {n} is red.", None) for n in range(300))
    backend.close()
    data = bytearray(path.read_bytes())
    for place in range(4096, len(data) - 4096, 4096):
        data[place : place + 200] = os.urandom(200)
    path.write_bytes(data)
    with pytest.raises((IntegrityError, InputError)):
        SQLiteBackend(path).query("pump of unit 7", 3)


@pytest.mark.parametrize("name", ["", "missing/kb.sqlite"])
def test_a_place_that_can_hold_no_store_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be a knowledge store"):
        SQLiteBackend(tmp_path / name)


def test_a_missing_store_is_not_made_by_reading(path: Path) -> None:
    with pytest.raises(InputError, match="no knowledge store at"):
        SQLiteBackend(path, create=False)
    assert not path.exists()


def test_another_embedding_and_an_unknown_search_are_refused(path: Path) -> None:
    SQLiteBackend(path).close()
    with pytest.raises(InputError, match="holds vectors of the embedding 'static_embed'"):
        SQLiteBackend(path, embed=lambda texts: static_embed(texts)[:, :8])
    with pytest.raises(InputError, match="choose from blend, keyword, dense"):
        SQLiteBackend(path, search="magic")


def test_one_word_everywhere_still_finds_the_right_one(store: SQLiteBackend) -> None:
    chunks: list[tuple[Chunk, dict[str, object]]] = [
        (Chunk(f"The pump of unit {n} is in bay {n % 7}.", 40 * n, 40 * n + 30), {}) for n in range(6_000)
    ]
    store.put_source("units", "x", chunks, content_hash="h")
    assert store.query("pump of unit 4711", 1)[0]["text"].startswith("The pump of unit 4711")
    assert len(store.query("pump", 5)) == 5


def test_a_closed_store_says_so(path: Path) -> None:
    backend = SQLiteBackend(path)
    backend.close()
    with pytest.raises(InputError, match="open it anew"):
        backend.count()


def test_half_a_character_is_refused_or_finds_nothing(store: SQLiteBackend) -> None:
    for doc_id, text in (("\ud800", "One pump."), ("a", "One \ud800 pump.")):
        with pytest.raises(InputError, match="no valid Unicode"):
            store.add(doc_id, text)
    assert store.query("\ud800") == []
    with pytest.raises(InputError, match="no valid Unicode"):
        store.query("pump", where={"tenant_id": "\ud800"})
    assert store.count() == 0
