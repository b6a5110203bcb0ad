"""The steps around training: plan, held-out set, evaluation, and the doors to what needs torch."""

import json
import lzma
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.record import ROOT
from groundwire.evals import Row, load_dataset
from groundwire.ledger import sha256_hex
from tests.nli.tiny import write_embedded
from training import __main__ as doors
from training.__main__ import main as training
from training.heldout import draw, manifest_of


def rows(count: int, supported: int) -> list[Row]:
    return [Row(f"Source {place}.", f"Claim {place}.", int(place < supported)) for place in range(count)]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    (folder / "dev").mkdir(parents=True)
    for name, count in (("wice", 30), ("frank", 12)):
        lines = [
            {"premise": f"Door {place} is {place} cm wide.", "claim": f"Door {place} is {place + place % 2} cm wide."}
            | {"label": 1 - place % 2}
            for place in range(10, 10 + count)
        ]
        text = "\n".join(map(json.dumps, lines))
        (folder / "dev" / f"{name}.jsonl.xz").write_bytes(lzma.compress(text.encode()))
    return folder


def snapshot(folder: Path) -> dict[str, bytes]:
    skipped = {".git", ".venv", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
    return {
        str(path): path.read_bytes()
        for name in ("training", "benchmarks/results", "src/groundwire/models")
        for path in (folder / name).rglob("*")
        if path.is_file() and not skipped & set(path.parts)
    }


def test_c20_the_plan_is_argv_arrays_and_changes_no_file(tmp_path: Path) -> None:
    before = snapshot(ROOT)
    done = subprocess.run(
        [sys.executable, "-m", "training", "plan", "--data", "/data", "--artefacts", str(tmp_path / "out")],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    arrays = [json.loads(line) for line in done.stdout.splitlines()]
    assert [argv[:3] for argv in arrays] == [["python", "-m", "training"]] * 10
    steps = ["heldout", "prepare", "train teacher", "train student", "export"]
    steps += ["restore", "train student", "export", "evaluate", "record"]
    assert [" ".join(argv[3 : 5 if argv[3] == "train" else 4]) for argv in arrays] == steps
    assert all(isinstance(part, str) for argv in arrays for part in argv)
    assert arrays[0][4:6] == ["--data", "/data"]
    assert snapshot(ROOT) == before
    assert list(tmp_path.iterdir()) == []


def test_the_planned_commands_are_understood_by_their_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert training(["plan"]) == 0
    for line in capsys.readouterr().out.splitlines():
        step, *options = json.loads(line)[3:]
        if step in doors.NEED_TORCH:
            continue
        done = subprocess.run(
            [sys.executable, "-m", "training", step, *options, "--help"],
            cwd=ROOT, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        for option in options:
            assert not option.startswith("--") or option in done.stdout


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "lists no steps"),
        ("[[steps]]\nname = 'dance'", "a step 'dance'"),
        ("=", "no TOML"),
        (None, "cannot be read"),
    ],
)
def test_a_run_manifest_that_is_none_is_refused(
    tmp_path: Path, text: str | None, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.toml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    assert training(["plan", "--manifest", str(path)]) == 2
    assert why in capsys.readouterr().err


def test_c19_the_same_seed_gives_the_same_bytes_and_balanced_labels(data: Path, tmp_path: Path) -> None:
    command = ["heldout", "--data", str(data), "--sets", "wice", "frank", "--per-label", "10", "--seed", "7", "--out"]
    one, two = tmp_path / "one.jsonl", tmp_path / "more" / "one.jsonl"
    assert training([*command, str(one)]) == 0
    assert training([*command, str(two)]) == 0
    assert one.read_bytes() == two.read_bytes()
    manifest = json.loads(manifest_of(one).read_text(encoding="utf-8"))
    assert manifest["sha256"] == sha256_hex(one.read_bytes())
    assert manifest["sources"] == {
        "frank": {"supported": 6, "unsupported": 6},
        "wice": {"supported": 10, "unsupported": 10},
    }
    drawn = load_dataset(one)
    assert (len(drawn.rows), drawn.supported, manifest["rows"]) == (32, 16, 32)


def test_c19_another_seed_gives_other_rows() -> None:
    sets = {"a": rows(100, 50)}
    assert draw(sets, 1, 10) != draw(sets, 2, 10)
    assert draw(sets, 1, 10) == draw(sets, 1, 10)


def test_c19_the_order_of_the_rows_in_a_set_does_not_matter() -> None:
    assert draw({"a": rows(60, 20)}, 1, 15) == draw({"a": rows(60, 20)[::-1]}, 1, 15)


def test_a_set_of_one_label_is_refused(tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = data / "dev" / "wice.jsonl.xz"
    path.write_bytes(lzma.compress(b'{"premise": "a", "claim": "b", "label": 1}'))
    assert training(["heldout", "--data", str(data), "--sets", "wice", "--out", str(tmp_path / "x.jsonl")]) == 2
    assert "'wice' has rows of one label only" in capsys.readouterr().err
    assert not (tmp_path / "x.jsonl").exists()


def test_the_evaluator_writes_what_the_recorder_needs(data: Path, tmp_path: Path) -> None:
    heldout, out = tmp_path / "heldout.jsonl", tmp_path / "result.json"
    assert training(["heldout", "--data", str(data), "--sets", "wice", "--out", str(heldout)]) == 0
    assert training(["evaluate", "--heldout", str(heldout), "--no-model", "--out", str(out)]) == 0
    result = json.loads(out.read_text(encoding="utf-8"))
    assert result["heldout"]["sha256"] == sha256_hex(heldout.read_bytes())
    assert (result["rows"], result["supported"], result["threshold"]) == (30, 15, 0.5)
    assert set(result["latency_ms"]) == {"p50", "p95", "p99"}
    assert set(result["sources"]) == {"wice"}
    assert 0 <= result["balanced_accuracy"] <= 1
    assert str(tmp_path) not in out.read_text(encoding="utf-8")


def test_the_evaluator_hashes_the_model_it_measured(data: Path, tmp_path: Path) -> None:
    model = write_embedded(tmp_path / "model")
    heldout, out = tmp_path / "heldout.jsonl", tmp_path / "result.json"
    training(["heldout", "--data", str(data), "--sets", "wice", "--per-label", "5", "--out", str(heldout)])
    assert training(["evaluate", "--heldout", str(heldout), "--model", str(model), "--out", str(out)]) == 0
    result = json.loads(out.read_text(encoding="utf-8"))
    assert result["model"]["id"] == "tiny-embedded"
    assert result["model_files"]["model.onnx"] == sha256_hex((model / "model.onnx").read_bytes())


def test_a_folder_without_a_model_is_refused(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    heldout = tmp_path / "heldout.jsonl"
    training(["heldout", "--data", str(data), "--sets", "wice", "--per-label", "5", "--out", str(heldout)])
    command = ["evaluate", "--heldout", str(heldout), "--model", str(tmp_path), "--out", str(tmp_path / "out.json")]
    assert training(command) == 2
    assert "is not a model folder" in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("step", doors.NEED_TORCH)
def test_a_missing_torch_is_said_with_the_command_to_install_it(
    step: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert training([step, "--help"]) == 2
    said = capsys.readouterr().err
    assert "needs torch" in said
    assert "pip install 'torch==2.13.0'" in said


def test_wrong_use_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert training(["dance"]) == 2
    assert "no step 'dance'" in capsys.readouterr().err
    assert training([]) == 2
    assert training(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(f"  {step} " in said for step in doors.STEPS)
