"""Export the student to int8 ONNX in the form that the embedded backend reads."""

import argparse
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from training.networks import Student, load_student

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUTS = ("logits", "token_logits")
OPSET = 17


def mixed(paths: Sequence[Path], shares: Sequence[float] | None) -> dict[str, torch.Tensor]:
    """Mix the weights of several runs that started from one another, by default in equal shares.

    Shares may be negative: -1 of the start and 2 of the end go twice as far as the run did.
    """
    shares = shares or [1.0 / len(paths)] * len(paths)
    if len(shares) != len(paths) or abs(sum(shares) - 1.0) > 1e-6:
        raise SystemExit(f"{len(paths)} weights need {len(paths)} shares that sum to one, not {shares}")
    states = [torch.load(path, weights_only=True) for path in paths]
    return {
        name: sum(share * state[name].float() for share, state in zip(shares, states, strict=True))
        for name in states[0]
    }


def write_onnx(student: Student, path: Path) -> None:
    """Trace the network with batch and sequence left open."""
    student.eval()
    student.encoder.set_attn_implementation("eager")
    ids = torch.randint(100, 2000, (2, 24))
    segments = torch.zeros_like(ids)
    segments[:, 14:] = 1
    both = {0: "batch", 1: "sequence"}
    with torch.no_grad():
        torch.onnx.export(
            student, (ids, torch.ones_like(ids), segments), str(path), input_names=list(INPUTS),
            output_names=list(OUTPUTS), opset_version=OPSET, dynamo=False,
            dynamic_axes={**dict.fromkeys(INPUTS, both), "logits": {0: "batch"}, "token_logits": both},
        )  # fmt: skip


def quantise(source: Path, target: Path) -> None:
    """Turn the weights to int8, each row with a scale of its own; activations follow at run time."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        str(source), str(target), weight_type=QuantType.QInt8, per_channel=True,
        extra_options={"MatMulConstBOnly": True},
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Write model.onnx, tokenizer.json and model.json."""
    parser = argparse.ArgumentParser(prog="python -m training export", description=__doc__)
    parser.add_argument("--weights", type=Path, nargs="+", required=True, help="weights.pt of one run, or of several")
    parser.add_argument("--shares", type=float, nargs="+", help="how much each of the weights counts; they sum to one")
    parser.add_argument("--base", type=Path, required=True, help="local folder of the base model")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--id", default="groundwire-embedded-v2")
    parser.add_argument("--max-tokens", type=int, default=448)
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--span-threshold", type=float, default=0.5)
    parser.add_argument("--float", dest="plain", action="store_true", help="leave the weights as they are")
    options = parser.parse_args(arguments)
    student = load_student(options.base)
    student.load_state_dict(mixed(options.weights, options.shares))
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        write_onnx(student, plain)
        if options.plain:
            shutil.copy(plain, options.out / "model.onnx")
        else:
            quantise(plain, options.out / "model.onnx")
    _write_tokenizer(options.base / "tokenizer.json", options.out / "tokenizer.json")
    described = {
        "id": options.id,
        "format": 1,
        "files": {name: _sha256(options.out / name) for name in ("model.onnx", "tokenizer.json")},
        "max_tokens": options.max_tokens,
        "labels": ["entailment", "neutral", "contradiction"],
        "temperature": options.temperature,
        "span_threshold": options.span_threshold,
    }
    (options.out / "model.json").write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")
    print(f"{options.out}: {os.path.getsize(options.out / 'model.onnx') / 1e6:.1f} MB")
    return 0


def _write_tokenizer(source: Path, target: Path) -> None:
    """Keep the vocabulary, drop the padding and cutting that others set."""
    data: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    data["padding"] = data["truncation"] = None
    target.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
