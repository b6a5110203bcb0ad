"""A batch on Ray: a real cluster of this machine."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from groundwire.batch import BatchOptions, Engine, ModelChoice, Task, run_batch
from tests.batch.made import files_of, rows, write_lines
from tests.cli.running import groundwire
from tests.nli.tiny import write_embedded

# Ray leaves open what only the end of its process closes.
pytestmark = [
    pytest.mark.extras,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


def test_ray_writes_what_the_local_engine_writes(tmp_path: Path, cluster: Any) -> None:
    given = write_lines(tmp_path / "in.jsonl", [*rows(40), {"response": 1, "source": ""}])
    task = Task(model=ModelChoice("embedded", str(write_embedded(tmp_path / "model"))))
    run_batch(given, tmp_path / "local.jsonl", BatchOptions(task=task, processes=1, block_rows=4))
    run_batch(given, tmp_path / "ray.jsonl", BatchOptions(task=task, engine=Engine.RAY, processes=2, block_rows=4))
    assert files_of(tmp_path / "local.jsonl") == files_of(tmp_path / "ray.jsonl")
    assert cluster.is_initialized()  # one that was there before stays


def test_the_command_runs_on_a_cluster_by_its_address(tmp_path: Path, cluster: Any) -> None:
    given = write_lines(tmp_path / "in.jsonl", rows(12))
    address = cluster.get_runtime_context().gcs_address
    options = ("--no-model", "--block-rows", "4")
    assert groundwire("batch", given, tmp_path / "local.jsonl", *options).status == 0
    ran = groundwire(
        "batch", given, tmp_path / "ray.jsonl", *options, "--engine", "ray", "--ray-address", address,
        "--processes", "1", "--json",
    )  # fmt: skip
    assert ran.status == 0, ran.err
    assert json.loads(ran.out)["rows"] == 12
    assert files_of(tmp_path / "local.jsonl") == files_of(tmp_path / "ray.jsonl")


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "no.such.host.invalid:6379"])
def test_an_address_that_does_not_answer_is_said(tmp_path: Path, address: str) -> None:
    given = write_lines(tmp_path / "in.jsonl", rows(2))
    ran = groundwire("batch", given, tmp_path / "out.jsonl", "--no-model", "--engine", "ray", "--ray-address", address)
    ran.refused_with("does not answer", "check the address")
    assert not list(tmp_path.glob("out.jsonl*"))


def test_a_row_that_kills_its_actor_costs_its_block_and_no_more(tmp_path: Path, cluster: Any) -> None:
    from groundwire.batch.blocks import Block
    from groundwire.batch.cluster import check_with_ray
    from groundwire.batch.records import Record
    from groundwire.batch.rows import Columns
    from tests.batch.test_batch import Poison

    entries = [entry | ({"poison": 1} if number == 1 else {}) for number, entry in enumerate(rows(6))]
    records = [Record(line, json.dumps(entry).encode()) for line, entry in enumerate(entries, start=1)]
    blocks = [Block(0, tuple(records[:3])), Block(1, tuple(records[3:]))]
    done = {item.block: item for item in check_with_ray(Task(columns=Columns(Poison())), None, blocks, None, 1)}
    assert (done[0].row_count, done[0].bad_count) == (0, 3)
    assert b"died" in done[0].bad
    assert (done[1].row_count, done[1].bad_count) == (3, 0)
