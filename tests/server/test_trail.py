"""The audit trail: whatever is changed, dropped or reordered is found and named."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.errors import InputError, IntegrityError
from groundwire.server.trail import FILE, Receipt, SQLiteTrail, check_proof, check_trail, prove
from tests.cli.running import groundwire


def filled(folder: Path, count: int = 6) -> SQLiteTrail:
    trail = SQLiteTrail(folder)
    for number in range(count):
        trail.append([{"tenant": "acme", "number": number}])
    return trail


def tamper(folder: Path, *statements: str) -> None:
    connection = sqlite3.connect(folder / FILE)
    for name in ("records_no_update", "records_no_delete", "head_no_delete"):
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_an_intact_trail_is_intact(folder: Path) -> None:
    trail = filled(folder)
    head = check_trail(trail)
    assert head.count == 6
    assert check_trail(trail, known=Receipt(5, head.hash)) == head
    trail.close()


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ('UPDATE records SET payload = \'{"number":9,"tenant":"acme"}\' WHERE idx = 3', "record 3"),
        ("UPDATE records SET payload = 'no json' WHERE idx = 3", "Record 3"),
        ("UPDATE records SET hash = '" + "0" * 64 + "' WHERE idx = 2", "record 2"),
        ("UPDATE records SET previous = '" + "0" * 64 + "' WHERE idx = 4", "record 4"),
        ("DELETE FROM records WHERE idx = 2", "Record 2 is missing"),
        ("DELETE FROM records WHERE idx = 0", "Record 0 is missing"),
        ("DELETE FROM records WHERE idx = 5", "Record 5 is missing"),
        ("DELETE FROM records WHERE idx > 2", "Record 3 to 5 is missing"),
        ("UPDATE records SET idx = CASE idx WHEN 1 THEN 102 ELSE 101 END WHERE idx IN (1, 2)", "Record 1 to 2"),
        ("UPDATE head SET count = 4", "names another end"),
    ],
)
def test_what_was_altered_is_named(folder: Path, statement: str, named: str) -> None:
    filled(folder).close()
    tamper(folder, statement)
    with pytest.raises(IntegrityError, match=named):
        check_trail(SQLiteTrail(folder, create=False))
    ran = groundwire("log", "verify", "--data", folder)
    assert ran.status == 1
    assert named in ran.out


def test_records_that_changed_places_are_found(folder: Path) -> None:
    filled(folder).close()
    swap = "UPDATE records SET idx = CASE idx WHEN 101 THEN 2 ELSE 1 END WHERE idx > 100"
    tamper(folder, "UPDATE records SET idx = idx + 100 WHERE idx IN (1, 2)", swap)
    with pytest.raises(IntegrityError, match="record 1 "):
        check_trail(SQLiteTrail(folder, create=False))


def test_a_trail_written_anew_does_not_fit_a_receipt(folder: Path, tmp_path: Path) -> None:
    trail = filled(folder)
    receipt = Receipt(3, check_trail(trail).hash)
    trail.close()
    with pytest.raises(IntegrityError, match="Record 3"):
        check_trail(SQLiteTrail(folder, create=False), known=receipt)
    ran = groundwire("log", "verify", "--data", folder, "--receipt", f"9:{'a' * 64}")
    assert ran.status == 1


def test_the_file_refuses_to_be_changed(folder: Path) -> None:
    trail = filled(folder)
    connection = sqlite3.connect(folder / FILE)
    for statement in ("UPDATE records SET payload = '{}'", "DELETE FROM records", "DELETE FROM head"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(statement)
    connection.close()
    trail.close()


@settings(max_examples=30, deadline=None)
@given(count=st.integers(1, 12), data=st.data())
def test_every_record_can_be_proved_and_no_changed_one(tmp_path_factory: Any, count: int, data: st.DataObject) -> None:
    trail = filled(tmp_path_factory.mktemp("proof") / "data", count)
    index = data.draw(st.integers(0, count - 1))
    proof = json.loads(json.dumps(prove(trail, index)))
    trail.close()
    assert check_proof(proof, root=proof["root"]) == index
    changed = json.loads(json.dumps(proof))
    changed["record"]["payload"]["number"] = -1
    with pytest.raises(IntegrityError):
        check_proof(changed)
    with pytest.raises(IntegrityError):
        check_proof(proof, root="0" * 64)


@pytest.mark.parametrize(
    "wrong", [None, 5, [], {}, {"record": 5}, {"record": {}, "siblings": [], "count": "x", "root": ""}]
)
def test_what_is_no_proof_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError):
        check_proof(wrong)


def test_two_writers_share_one_chain(folder: Path) -> None:
    first, second = SQLiteTrail(folder), SQLiteTrail(folder)
    for number in range(10):
        (first, second)[number % 2].append([{"tenant": "a", "n": number}, {"tenant": "b", "n": number}])
    assert check_trail(first).count == 20
    first.close()
    second.close()


def test_a_full_disk_loses_nothing_that_was_acknowledged(folder: Path) -> None:
    trail = filled(folder, 3)
    assert trail._connection is not None
    (pages,) = trail._connection.execute("PRAGMA page_count").fetchone()
    trail._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(sqlite3.OperationalError, match="full"):
        trail.append([{"tenant": "acme", "text": "x" * 1_000} for _ in range(500)])
    count = check_trail(trail).count  # opened anew: there is room again
    assert count == 3
    trail.append([{"tenant": "acme"}])
    assert check_trail(trail).count == count + 1
    trail.close()


def test_a_vanished_file_is_not_written_to(folder: Path) -> None:
    trail = filled(folder, 3)
    moved = {path: path.with_name(path.name + ".away") for path in folder.iterdir()}
    for path, away in moved.items():
        path.rename(away)
    with pytest.raises(OSError, match="trail"):
        trail.append([{"tenant": "acme"}])
    assert not (folder / FILE).exists()
    for path, away in moved.items():
        away.rename(path)
    trail.append([{"tenant": "acme"}])
    assert check_trail(trail).count == 4
    trail.close()


def test_the_commands_over_the_trail(folder: Path, tmp_path: Path) -> None:
    filled(folder).close()
    assert groundwire("log", "verify", "--data", folder).out.startswith("Intact: 6 records")
    lines = groundwire("log", "export", "--data", folder, "--tenant", "acme").out.splitlines()
    assert [json.loads(line)["payload"]["number"] for line in lines] == list(range(6))
    proof = groundwire("log", "proof", "2", "--data", folder)
    (tmp_path / "proof.json").write_text(proof.out)
    assert groundwire("log", "verify", "--proof", tmp_path / "proof.json").out == "The proof of record 2 holds.\n"
    groundwire("log", "proof", "9", "--data", folder).refused_with("no record 9")
    groundwire("log", "verify", "--data", tmp_path / "none").refused_with("no audit trail")
    groundwire("log", "verify", "--data", folder, "--receipt", "x").refused_with("receipt")
