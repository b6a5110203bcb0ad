"""Records: whole or not at all, checked when read, replayed without a model."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from groundwire.audit import (
    AuditPolicy,
    EvidenceDocument,
    Run,
    RunStore,
    audit_run,
    build_evidence_map,
    mine_emergent,
    replay,
    run_dag,
    run_dag_root,
)
from groundwire.audit.results import audit_from_dict
from groundwire.errors import InputError, IntegrityError, PolicyError
from groundwire.types import Source

EVIDENCE = build_evidence_map(
    [
        EvidenceDocument("a", "Mount Tavira last erupted in 1887 and buried two villages.", "Mount Tavira"),
        EvidenceDocument("b", "The observatory records forty small earthquakes each week.", "Observatory"),
    ]
)
ANSWER = "Mount Tavira last erupted in 1887. [E1]\nThe observatory records earthquakes. [E2]"

IN_JSON = '{"claims": [{"text": "Tavira\ud800", "evidence_ids": ["E1"]}]}'


def lattice_run(answer: str = ANSWER, policy: AuditPolicy | None = None) -> Run:
    return audit_run(answer, mode="claim_lattice_pointer", question="When?", evidence_map=EVIDENCE, policy=policy)


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "runs.db")


def test_a_run_comes_back_as_it_was_written(store: RunStore) -> None:
    runs = [
        lattice_run(),
        audit_run('"Rent is due"', mode="quote", context=[Source("s", "Rent is due today.")]),
        audit_run(
            '{"claims": [{"text": "Tavira\ud800", "evidence_ids": ["E1"]}]}',
            mode="claim_lattice",
            evidence_map=EVIDENCE,
        ),
    ]
    stored = [store.add(run) for run in runs]
    for before, after in zip(stored, store.runs(), strict=True):
        assert (after.run_id, after.root) == (before.run_id, before.root)
        assert after.run.result == dict(before.run.result)
        assert audit_from_dict(after.run.result).to_dict() == dict(before.run.result)


def test_equal_runs_have_equal_roots_and_different_ones_do_not() -> None:
    roots = [
        run_dag_root(lattice_run()),
        run_dag_root(lattice_run()),
        run_dag_root(lattice_run(ANSWER.replace("1887", "1886"))),
        run_dag_root(lattice_run(policy=AuditPolicy(max_claims_per_answer=11))),
    ]
    assert roots[0] == roots[1]
    assert len(set(roots)) == 3


def test_the_dag_names_every_part_and_its_edges() -> None:
    dag = run_dag(lattice_run())
    assert set(dag.nodes) == {
        "question",
        "evidence_map",
        "raw_answer",
        "claim_lattice",
        "verify_payload",
        "verifier_policy",
        "governance_policy",
    }
    assert {name for edge in dag.edges for name in edge} == set(dag.nodes)


def test_a_cached_run_is_found_by_evidence_ids_and_policy(store: RunStore) -> None:
    assert store.cached(lattice_run()) is None
    store.add(lattice_run())
    hit = store.cached(lattice_run())
    assert hit is not None
    assert hit.run_id == 1
    assert store.cached(lattice_run(policy=AuditPolicy(max_claims_per_answer=3))) is None


def test_replay_decides_again_under_a_new_policy(store: RunStore) -> None:
    store.add(lattice_run())
    (stored,) = store.runs()
    again = replay(stored, AuditPolicy(max_claims_per_answer=1))
    assert (again.before, again.after, again.new_violations) == ("STRICT", "HYBRID", ("TOO_MANY_CLAIMS",))
    assert again.changed
    assert not replay(stored, AuditPolicy()).changed


def test_emergent_statements_are_grouped_by_normal_form(store: RunStore) -> None:
    for text in ("Shepherds worship it daily.", "shepherds  worship it daily.", "Bakers sing of it."):
        store.add(lattice_run(f"{ANSWER}\n{text}"))
    records = mine_emergent((str(item.run_id), item.run.result) for item in store.runs())
    assert [(record.text, record.count, record.run_ids) for record in records] == [
        ("Shepherds worship it daily.", 2, ("1", "2")),
        ("Bakers sing of it.", 1, ("3",)),
    ]
    results = [item.run.result for item in store.runs()]
    assert [record.run_ids for record in mine_emergent(results, min_count=2)] == [("0", "1")]


WRITER = """
import sys
from groundwire.audit import RunStore, audit_run
store = RunStore(sys.argv[1])
context = "Rent is due today. " * 20_000
print("ready", flush=True)
for number in range(10_000):
    store.add(audit_run('"Rent is due today"', mode="quote", context=context))
"""


def test_a_process_killed_in_the_middle_of_writing_leaves_only_whole_runs(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    for delay in (0.02, 0.11, 0.17, 0.29):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        for stored in RunStore(path).runs():
            assert stored.run.result["audit_mode"] == "STRICT"
    assert RunStore(path).add(lattice_run()).run_id >= 1


def test_a_writer_that_dies_before_its_commit_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    RunStore(path).add(lattice_run())
    code = (
        "import os, signal, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA cache_size = 1')\n"
        "c.execute('BEGIN IMMEDIATE')\n"
        "for n in range(500):\n"
        "    c.execute('INSERT INTO runs SELECT NULL, created_at, root, cache_key, verifier_policy_hash,'\n"
        "              ' governance_policy_hash, audit_mode, body, body_hash FROM runs WHERE run_id = 1')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert [stored.run_id for stored in RunStore(path).runs()] == [1]


@pytest.mark.parametrize("damage", ["garbage", "foreign", "cut", "flipped"])
def test_a_file_that_is_no_sound_store_is_refused_and_left_as_it_is(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "runs.db"
    if damage == "garbage":
        path.write_bytes(b"this is no database at all, only text\n" * 40)
    elif damage == "foreign":
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE runs (x)")
        connection.close()
    else:
        for _ in range(40):
            RunStore(path).add(lattice_run())
        data = bytearray(path.read_bytes())
        if damage == "cut":
            data = data[: len(data) // 2]
        else:
            data[len(data) // 2 : len(data) // 2 + 4096] = os.urandom(4096)
        path.write_bytes(data)
    before = path.read_bytes()
    with pytest.raises(IntegrityError):
        list(RunStore(path).runs())
    if damage != "flipped":
        with pytest.raises(IntegrityError):
            RunStore(path).add(lattice_run())
        assert path.read_bytes() == before


@pytest.mark.parametrize("column", ["body", "root"])
def test_a_run_changed_behind_our_back_is_found(store: RunStore, column: str) -> None:
    store.add(lattice_run())
    connection = sqlite3.connect(store.path)
    with connection:
        connection.execute(f"UPDATE runs SET {column} = replace({column}, '1', '2')")
    connection.close()
    with pytest.raises(IntegrityError, match="Run 1"):
        store.get(1)


def test_bad_requests_write_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        RunStore(tmp_path / "no folder" / "runs.db")
    with pytest.raises(InputError):
        RunStore(tmp_path)
    with pytest.raises(InputError):
        RunStore(tmp_path / "missing.db", create=False)
    RunStore(tmp_path / "unused.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "values",
    [
        {"entity_policy": "fuzzy"},
        {"answer_mode": "poem"},
        {"unknown": 1},
        {"max_claims_per_answer": 0},
        {"max_claims_per_answer": True},
        {"min_citation_coverage": 1.5},
        {"cover_unquoted": "yes"},
        {"allowed_source_roles": "primary"},
    ],
)
def test_a_policy_that_cannot_be_meant_is_refused(values: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(PolicyError):
        AuditPolicy.from_dict(values)
    path = tmp_path / "policy.yaml"
    path.write_text("\n".join(f"{name}: {value}" for name, value in values.items()), encoding="utf-8")
    if values != {"cover_unquoted": "yes"}:
        with pytest.raises(PolicyError):
            AuditPolicy.from_yaml(path)


def test_a_policy_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("answer_mode: claim_lattice\nmax_claims_per_answer: 5\n", encoding="utf-8")
    assert AuditPolicy.from_yaml(path) == AuditPolicy(answer_mode="claim_lattice", max_claims_per_answer=5)
    for text in ("- a\n", "a: [", ""):
        path.write_text(text, encoding="utf-8")
        if text:
            with pytest.raises(PolicyError):
                AuditPolicy.from_yaml(path)
        else:
            assert AuditPolicy.from_yaml(path) == AuditPolicy()
    with pytest.raises(PolicyError, match="cannot be read"):
        AuditPolicy.from_yaml(tmp_path / "none.yaml")
