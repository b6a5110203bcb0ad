"""The group `kb` as a user runs it."""

import json
import sqlite3
from pathlib import Path

import pytest

from groundwire.retrieval import SQLiteBackend
from tests.cli.running import groundwire


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    (docs / "more").mkdir(parents=True)
    (docs / "refunds.md").write_text("# Refunds\n\nRefunds are paid within 30 days.\n", encoding="utf-8")
    (docs / "more" / "page.html").write_text("<p>Shipping takes <b>five</b> days.</p>", encoding="utf-8")
    (docs / "facts.jsonl").write_text('{"id": "w", "text": "The warranty lasts 24 months."}\n', encoding="utf-8")
    return tmp_path


def test_files_are_added_found_listed_exported_and_removed(folder: Path) -> None:
    added = groundwire("kb", "add", "docs", cwd=folder)
    assert added.status == 0, added.err
    assert "groundwire-kb.sqlite holds 3 passages" in added.out
    found = groundwire("kb", "search", "How long is the warranty?", cwd=folder)
    assert found.status == 0
    assert "docs/facts.jsonl 0-29" in found.out
    assert "The warranty lasts 24 months." in found.out
    assert "docs/more/page.html" in groundwire("kb", "list", cwd=folder).out
    lines = [json.loads(line) for line in groundwire("kb", "export", cwd=folder).out.splitlines()]
    assert {line["metadata"]["source"] for line in lines} == {
        "docs/facts.jsonl",
        "docs/refunds.md",
        "docs/more/page.html",
    }
    assert groundwire("kb", "remove", "docs/refunds.md", cwd=folder).out == "1 removed\n"
    assert groundwire("kb", "search", "refunds", cwd=folder).status == 1


def test_an_unchanged_file_is_free_and_a_changed_one_is_replaced(folder: Path) -> None:
    first = json.loads(groundwire("kb", "add", "docs", "--json", cwd=folder).out)
    again = json.loads(groundwire("kb", "add", "docs", "--json", cwd=folder).out)
    assert {entry["outcome"] for entry in again["files"]} == {"unchanged"}
    assert again["revision"] == first["revision"] == 3
    (folder / "docs" / "refunds.md").write_text("Refunds are never paid.", encoding="utf-8")
    third = json.loads(groundwire("kb", "add", "docs", "--json", cwd=folder).out)
    assert sorted(entry["outcome"] for entry in third["files"]) == ["replaced", "unchanged", "unchanged"]
    assert third["revision"] == 4
    found = json.loads(groundwire("kb", "search", "refunds", "--json", cwd=folder).out)
    assert [hit["text"] for hit in found] == ["Refunds are never paid."]


def test_an_export_can_be_added_again(folder: Path) -> None:
    groundwire("kb", "add", "docs", cwd=folder)
    assert groundwire("kb", "export", "--out", "all.jsonl", cwd=folder).status == 0
    assert groundwire("kb", "add", "all.jsonl", "--store", "copy.sqlite", cwd=folder).status == 0
    assert "24 months" in groundwire("kb", "search", "warranty", "--store", "copy.sqlite", cwd=folder).out


def test_k9_tenants_share_a_file_and_see_their_own(folder: Path) -> None:
    groundwire("kb", "add", "docs/refunds.md", "--tenant", "a", cwd=folder)
    assert groundwire("kb", "search", "refunds", "--tenant", "a", cwd=folder).status == 0
    for other in (("--tenant", "b"), ()):
        assert groundwire("kb", "search", "refunds", *other, cwd=folder).status == 1
        assert groundwire("kb", "list", *other, cwd=folder).out == ""
        assert groundwire("kb", "export", *other, cwd=folder).out == ""
    groundwire("kb", "remove", "docs/refunds.md", "--tenant", "b", cwd=folder).refused_with("no document")


def test_standard_input_and_the_store_of_the_environment(folder: Path) -> None:
    text = b"The pump weighs 30 kg."
    assert groundwire("kb", "add", "-", stdin=text, cwd=folder, GROUNDWIRE_STORE="mine.sqlite").status == 0
    assert (folder / "mine.sqlite").is_file()
    assert "stdin 0-22" in groundwire("kb", "search", "pump", "--store", "mine.sqlite", cwd=folder).out


def test_a_bad_file_of_a_folder_is_left_out_and_named(folder: Path) -> None:
    (folder / "docs" / "photo.jpg").write_bytes(b"\xff\xd8")
    (folder / "docs" / "latin.txt").write_bytes(b"caf\xe9")
    done = groundwire("kb", "add", "docs", cwd=folder)
    assert done.status == 1
    assert "left out   docs/photo.jpg: .jpg is no known kind" in done.out
    assert "left out   docs/latin.txt: The file 'docs/latin.txt' is not UTF-8." in done.out
    assert "holds 3 passages" in done.out


def test_wrong_input_is_refused_with_one_line(folder: Path) -> None:
    (folder / "bad.txt").write_bytes(b"caf\xe9")
    (folder / "text.sqlite").write_text("no database", encoding="utf-8")
    groundwire("kb", "add", "missing.txt", cwd=folder).refused_with("does not exist")
    groundwire("kb", "add", "bad.txt", cwd=folder).refused_with("not UTF-8")
    groundwire("kb", "add", "docs", "--overlap", "900", cwd=folder).refused_with("overlap of 900")
    groundwire("kb", "add", "docs", "--store", "text.sqlite", cwd=folder).refused_with("no knowledge store")
    groundwire("kb", "search", "x", "--store", "none.sqlite", cwd=folder).refused_with("no knowledge store at")
    groundwire("kb", "search", " ", cwd=folder).refused_with("query is empty")
    groundwire("kb", "list", "--store", "none/kb.sqlite", cwd=folder).refused_with("existing folder")


def test_an_unknown_way_to_search_lists_the_known_ones(folder: Path) -> None:
    groundwire("kb", "add", "docs", cwd=folder)
    groundwire("kb", "search", "x", "--by", "magic", cwd=folder).refused_with("blend, keyword, dense")
    groundwire("kb", "remove", "docs/refunds.md", "nothing", cwd=folder).refused_with("'nothing'")
    assert "refunds.md" in groundwire("kb", "list", cwd=folder).out


def test_another_programs_database_is_refused(folder: Path) -> None:
    with sqlite3.connect(folder / "other.sqlite") as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    groundwire("kb", "add", "docs", "--store", "other.sqlite", cwd=folder).refused_with("is no knowledge store")


def test_text_that_drives_a_terminal_is_shown_harmless(folder: Path) -> None:
    (folder / "evil.txt").write_text("pump \x1b[2J evil", encoding="utf-8")
    groundwire("kb", "add", "evil.txt", cwd=folder)
    assert "\x1b" not in groundwire("kb", "search", "pump", cwd=folder).out


def test_the_python_side_reads_what_the_command_wrote(folder: Path) -> None:
    groundwire("kb", "add", "docs", cwd=folder)
    store = SQLiteBackend(folder / "groundwire-kb.sqlite", create=False)
    assert store.query("warranty", 1)[0]["text"] == "The warranty lasts 24 months."
    store.close()
