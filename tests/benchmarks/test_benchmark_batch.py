"""What the benchmark of the batch counts, and how its record is put into words."""

from typing import Any

from benchmarks.batch import parser
from benchmarks.batch_watch import Busy, Sample, memory_over_time
from docs.measured_batch import sections


def test_memory_is_told_by_quarters_of_the_run() -> None:
    samples = [Sample(1, 10, (5, 5)), Sample(3, 10, (30, 5)), Sample(6, 12, (20, 20)), Sample(8.1, 10, (20, 20))]
    assert memory_over_time(samples, 8) == {
        "peak_mb": 52,
        "peak_mb_by_quarter": [20, 45, 0, 52],
        "parent_peak_mb": 12,
        "child_peak_mb": 30,
    }


def test_what_others_take_is_a_share_of_all_cores() -> None:
    share = Busy().by_others()
    assert share is None or share >= 0


def test_all_parts_but_ray_are_measured_unless_told() -> None:
    options = parser().parse_args([])
    assert options.parts == ["without_model", "with_model", "kills"]
    assert options.rows == options.model_rows == [1_000, 10_000, 100_000]


def test_shares_by_the_wall_are_told_only_of_a_quiet_machine() -> None:
    quiet, busy, unknown = (" ".join(sections(found(taken))) for taken in (0.01, 0.6, None))
    assert "100,000 rows ran at 85% of 2 times the loop, and at 93% of 2 loops at once" in quiet
    assert "Others took at most 1% of the cores" in quiet
    assert "Other work took up to 60% of the cores meanwhile" in busy
    assert "Other work ran meanwhile" in unknown
    for text in (busy, unknown):
        assert "85%" not in text
    assert "held +5% in the last quarter" in quiet
    assert "1,620,000 rows per core-hour, or 0.6 core-hours per million" in quiet


def found(taken: float | None) -> dict[str, Any]:
    loop = {"rows_per_second": 500.0, "rows_per_cpu_second": 500.0, "taken_by_others": taken}
    run = {
        "processes": 2,
        "rows": 100_000,
        "seconds": 118.0,
        "rows_per_second": 850.0,
        "rows_per_cpu_second": 450.0,
        "peak_mb": 210.0,
        "peak_mb_by_quarter": [190.0, 200.0, 205.0, 210.0],
        "parent_peak_mb": 40.0,
        "child_peak_mb": 90.0,
        "taken_by_others": taken,
    }
    part = {
        "measured": {"command": "python -m benchmarks.batch", "commit": "0" * 40, "date": "2026-01-01"},
        "in_process": {**loop, "before": loop, "after": loop},
        "loops_at_once": {**loop, "loops": 2},
        "runs": [run],
        "share_of_cores": 0.85,
        "share_of_loops_at_once": 0.93,
    }
    return {"machine": {"processor": "x", "cores": 2, "python": "3.11"}, "without_model": part}
