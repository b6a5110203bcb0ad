"""Turn the int8 ONNX file of a student back into weights that training can go on from."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from training.networks import load_student

QUANTISED = "_quantized"


def restored(path: Path, names: Sequence[str]) -> dict[str, torch.Tensor]:
    """Return the weights of the given names; those that were rounded come back rounded."""
    graph = onnx.load(str(path)).graph
    stored = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
    weights = {name: _tensor(stored, name) for name in names if name in stored or name + QUANTISED in stored}
    for node in graph.node:
        rounded = next((name for name in node.input if name.endswith(QUANTISED) and name in stored), None)
        # The exporter names a product after the module whose weight it holds, transposed.
        module = node.name.strip("/").split("/MatMul")[0].split("/Gemm")[0].replace("/", ".")
        if rounded is not None and f"{module}.weight" in names:
            weights[f"{module}.weight"] = _tensor(stored, rounded.removesuffix(QUANTISED)).T.contiguous()
    missing = [name for name in names if name not in weights]
    if missing:
        raise SystemExit(f"{path} lacks {', '.join(missing[:5])}: it is not a student that `export` wrote")
    return weights


def _tensor(stored: dict[str, Any], name: str) -> torch.Tensor:
    if name in stored:
        return torch.from_numpy(np.array(stored[name]))
    whole = stored[name + QUANTISED].astype(np.float32) - stored[f"{name}_zero_point"].astype(np.float32)
    return torch.from_numpy(whole * stored[f"{name}_scale"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Write weights.pt."""
    parser = argparse.ArgumentParser(prog="python -m training restore", description=__doc__)
    parser.add_argument("--onnx", type=Path, required=True, help="model.onnx as `export` writes it")
    parser.add_argument("--base", type=Path, required=True, help="local folder of the base model")
    parser.add_argument("--out", type=Path, required=True, help="folder for weights.pt")
    options = parser.parse_args(arguments)
    weights = restored(options.onnx, list(load_student(options.base).state_dict()))
    options.out.mkdir(parents=True, exist_ok=True)
    torch.save(weights, options.out / "weights.pt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
