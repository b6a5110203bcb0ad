"""Train, export, go on: the real steps on a student of sixteen numbers a token."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from groundwire import NLIScorer
from tests.nli.tiny import tokenizer

pytestmark = pytest.mark.extras

TOWNS = ("paris", "berlin", "france", "germany")


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter and transformers warn of their own future
        yield


@pytest.fixture
def base(tmp_path: Path) -> Path:
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=2100, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
    )
    model = BertModel(config, add_pooling_layer=False)
    with torch.no_grad():
        # The exporter keeps one copy of equal weights; those of a trained model are never equal.
        for value in model.parameters():
            value.add_(0.1 * torch.randn_like(value))
    model.save_pretrained(tmp_path / "base")
    tokenizer().save(str(tmp_path / "base" / "tokenizer.json"))
    return tmp_path / "base"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    rows = []
    for place in range(60):
        town, other = TOWNS[place % 4], TOWNS[(place + 1 + place % 3) % 4]
        text = f"the capital is in {town}"
        wrong = place % 2
        claim = f"the city is {other if wrong else town}"
        spans = [[12, len(claim)]] if wrong else []
        rows.append(
            {"origin": "towns", "window": text, "wide": text, "near": town, "claim": claim, "label": 2 * wrong}
            | {"spans": spans, "weight": 1.0}
        )
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_a_student_is_trained_exported_restored_and_trained_on(base: Path, pairs: Path, tmp_path: Path) -> None:
    import torch

    from training import export, restore, train

    common = ["student", "--pairs", str(pairs), "--base", str(base), "--device", "cpu", "--tokens", "256"]
    first, second, shipped, again = (tmp_path / name for name in ("first", "second", "shipped", "again"))
    assert train.main([*common, "--out", str(first), "--epochs", "1"]) == 0
    assert export.main(["--weights", str(first / "weights.pt"), "--base", str(base), "--out", str(shipped)]) == 0
    reading = NLIScorer(model_path=shipped).probabilities([("the capital is in paris", "the city is paris")])[0]
    assert sum(reading) == pytest.approx(1.0, abs=1e-5)

    assert restore.main(["--onnx", str(shipped / "model.onnx"), "--base", str(base), "--out", str(again)]) == 0
    before = torch.load(first / "weights.pt", weights_only=True)
    after = torch.load(again / "weights.pt", weights_only=True)
    assert before.keys() == after.keys()
    for name, value in before.items():
        # int8 keeps a weight to within half a step of its row; the embeddings have one step for all.
        assert torch.allclose(value.float(), after[name].float(), atol=0.01), name

    options = ["--start", str(again / "weights.pt"), "--half", "--fixed-embeddings", "--near", "0.5", "--wide", "0"]
    assert train.main([*common, *options, "--out", str(second), "--minutes", "0.05", "--epochs", "1000"]) == 0
    fixed = torch.load(second / "weights.pt", weights_only=True)
    words = "encoder.embeddings.word_embeddings.weight"
    assert torch.allclose(fixed[words].float(), after[words].float(), atol=1e-3)
    manifest = json.loads((second / "training_run_manifest.json").read_text(encoding="utf-8"))
    assert manifest["rows"] == {"towns": 60}
    assert manifest["parameters"]["minutes"] == "0.05"


def test_what_is_no_student_is_not_restored(base: Path, tmp_path: Path) -> None:
    from tests.nli.tiny import overlap_model
    from training import restore

    path = tmp_path / "other.onnx"
    path.write_bytes(overlap_model())
    with pytest.raises(SystemExit, match="not a student"):
        restore.main(["--onnx", str(path), "--base", str(base), "--out", str(tmp_path / "out")])
