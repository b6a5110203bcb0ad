"""Tiny models in the real file formats: they count shared tokens, in ONNX."""

import json
import string
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece

from groundwire.ledger import sha256_hex

WORDS = ("paris", "berlin", "france", "germany", "capital", "the", "is", "of", "in", "a", "city", "not")
# How each class follows the share of tokens found: three classes, or unsupported and supported.
_SIDES = {3: (1.0, 0.0, -1.0), 2: (-1.0, 1.0)}
LABELS = ["entailment", "neutral", "contradiction"]


def write_embedded(folder: Path, **changes: Any) -> Path:
    """Write a model folder in the format of the embedded model; `changes` alter its model.json."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {"model.onnx": overlap_model(), "tokenizer.json": tokenizer().to_str().encode()}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    manifest = {
        "id": "tiny-embedded",
        "format": 1,
        "files": {name: sha256_hex(data) for name, data in files.items()},
        "max_tokens": 64,
        "labels": LABELS,
        "temperature": 1.0,
        "span_threshold": 0.5,
    }
    (folder / "model.json").write_text(json.dumps(manifest | changes), encoding="utf-8")
    return folder


def tokenizer() -> Tokenizer:
    """Make a lower-casing WordPiece tokenizer that spells unknown words letter by letter."""
    signs = [*string.ascii_lowercase, *string.digits]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *string.punctuation, *signs, *("##" + sign for sign in signs), *WORDS]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    made = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"]))
    return made


def overlap_model(labels: int = 3, token_head: bool = True) -> bytes:
    """Build a graph that calls a hypothesis entailed when its tokens stand in the premise.

    The logits grow from −6 (no token found) to 6 (all found) for the first class, and fall likewise for the last.
    """
    names = ["input_ids", "attention_mask", "token_type_ids"]
    constants: dict[str, Any] = {
        "one": np.float32(1.0), "half": np.float32(0.5), "steep": np.float32(12.0), "last": np.array([-1], np.int64),
        "middle": np.array([1], np.int64), "sides": np.array([_SIDES[labels]], np.float32),
    }  # fmt: skip
    steps: list[tuple[str, list[str], str, dict[str, Any]]] = [
        ("Cast", ["attention_mask"], "mask", {"to": TensorProto.FLOAT}),
        ("Cast", ["token_type_ids"], "second", {"to": TensorProto.FLOAT}),
        ("Sub", ["one", "second"], "first", {}),
        ("Mul", ["mask", "first"], "premise", {}),
        ("Mul", ["mask", "second"], "hypothesis", {}),
        ("Unsqueeze", ["input_ids", "last"], "down", {}),
        ("Unsqueeze", ["input_ids", "middle"], "across", {}),
        ("Equal", ["down", "across"], "same", {}),
        ("Cast", ["same"], "equal", {"to": TensorProto.FLOAT}),
        ("Unsqueeze", ["premise", "middle"], "where", {}),
        ("Mul", ["equal", "where"], "hits", {}),
        ("ReduceMax", ["hits", "last"], "found", {"keepdims": 0}),
        ("Sub", ["half", "found"], "lack", {}),
        ("Mul", ["lack", "steep"], "token_logits", {}),
        ("Mul", ["found", "hypothesis"], "counted", {}),
        ("ReduceSum", ["counted", "last"], "sum", {"keepdims": 1}),
        ("ReduceSum", ["hypothesis", "last"], "size", {"keepdims": 1}),
        ("Max", ["size", "one"], "divisor", {}),
        ("Div", ["sum", "divisor"], "share", {}),
        ("Sub", ["share", "half"], "centred", {}),
        ("Mul", ["centred", "steep"], "strength", {}),
        ("Mul", ["strength", "sides"], "logits", {}),
    ]
    nodes = [helper.make_node(kind, list(inputs), [out], **attributes) for kind, inputs, out, attributes in steps]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", labels])]
    if token_head:
        outputs.append(helper.make_tensor_value_info("token_logits", TensorProto.FLOAT, ["batch", "length"]))
    graph = helper.make_graph(
        nodes,
        "overlap",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in names],
        outputs,
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def write_classifier(folder: Path, labels: dict[int, str] | None = None, classes: int = 3) -> Path:
    """Write a folder with an exported classifier: model.onnx, tokenizer.json and a config that names its outputs."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(overlap_model(classes, token_head=False))
    tokenizer().save(str(folder / "tokenizer.json"))
    names = labels or dict(enumerate(LABELS[:classes] if classes == 3 else ("unsupported", "supported")))
    (folder / "config.json").write_text(json.dumps({"id2label": names, "pad_token_id": 0}), encoding="utf-8")
    return folder


def letter_counts(texts: list[str]) -> list[list[float]]:
    """Embed texts by how often each letter occurs: the least encoder there is."""
    return [[float(text.lower().count(letter)) for letter in string.ascii_lowercase] for text in texts]
