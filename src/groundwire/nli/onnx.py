"""A sequence classifier exported to ONNX, from a local folder."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundwire.errors import IntegrityError, ModelError
from groundwire.ledger import hash_file
from groundwire.nli.base import Entailment
from groundwire.nli.classifier import (
    Layout,
    check_template,
    find_labels,
    folder_hash,
    local_folder,
    read_config,
    score_pairs,
)
from groundwire.nli.runtime import check_count, encodable, load_once, open_session, read_tokenizer
from groundwire.types import ModelInfo

if TYPE_CHECKING:
    import numpy as np
    import onnxruntime

_MODEL = "model.onnx"
_TOKENIZER = "tokenizer.json"
_NOTES = "model.json"
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


@dataclass(frozen=True, slots=True)
class _Parts:
    session: "onnxruntime.InferenceSession"
    tokenizer: Any
    inputs: tuple[str, ...]
    info: ModelInfo


class OnnxScorer:
    """Score pairs with `model.onnx` and `tokenizer.json` of a folder; `model.json` there may hold labels and hashes."""

    is_model = True

    def __init__(
        self,
        model_path: str | Path | None = None,
        *,
        name: str = "onnx",
        labels: Sequence[str] | None = None,
        template: str | None = None,
        max_tokens: int | None = None,
        batch_size: int = 8,
        intra_op_num_threads: int = 2,
    ) -> None:
        self.name = name
        self.folder = local_folder(model_path, name, (_MODEL, _TOKENIZER))
        check_template(template)
        notes = read_config(self.folder, _NOTES)
        self._hashes = notes.get("files", {})
        self.threads = check_count("intra_op_num_threads", intra_op_num_threads, 256)
        self.layout = Layout(
            find_labels(labels or notes.get("labels"), self.folder, None),
            check_count("max_tokens", max_tokens or notes.get("max_tokens", 512), 32_768),
            check_count("batch_size", batch_size, 1024),
            template,
            int(read_config(self.folder).get("pad_token_id") or 0),
            _temperature(notes.get("temperature", 1.0), self.folder),
        )

    @property
    def model_info(self) -> ModelInfo:
        """Name the folder and hash its files."""
        return self._parts.info

    def load(self) -> None:
        """Load the model now instead of at the first pair."""
        _ = self._parts

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, without marks."""
        return len(self._parts.tokenizer.encode(encodable(text), add_special_tokens=False))

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Score all pairs in one call."""
        parts = self._parts

        def forward(
            ids: "np.ndarray[Any, Any]", mask: "np.ndarray[Any, Any]", segments: "np.ndarray[Any, Any]"
        ) -> "np.ndarray[Any, Any]":
            given = dict(zip(_INPUTS, (ids, mask, segments), strict=True))
            found: np.ndarray[Any, Any] = parts.session.run(["logits"], {key: given[key] for key in parts.inputs})[0]
            return found

        return score_pairs(pairs, parts.tokenizer, forward, self.layout, str(self.folder))

    @property
    def _parts(self) -> _Parts:
        return load_once((self.name, str(self.folder), self.threads), self._load)

    def _load(self) -> _Parts:
        for name in (_MODEL, _TOKENIZER):
            if name in self._hashes and hash_file(self.folder / name) != self._hashes[name]:
                raise IntegrityError(
                    f"The model file {self.folder / name} does not have the hash that {_NOTES} records.",
                    why="it was damaged or changed",
                    fix="copy the folder again",
                )
        tokenizer = read_tokenizer((self.folder / _TOKENIZER).read_bytes(), str(self.folder / _TOKENIZER))
        session = open_session(self.folder / _MODEL, self.threads, str(self.folder / _MODEL))
        inputs = tuple(item.name for item in session.get_inputs())
        strange = [name for name in inputs if name not in _INPUTS]
        if strange or "logits" not in [item.name for item in session.get_outputs()]:
            raise ModelError(
                f"{self.folder / _MODEL} is no sequence classifier.",
                why=f"it wants {', '.join(strange)}" if strange else "it has no output 'logits'",
                fix=f"export it with the inputs {', '.join(_INPUTS)} (or some of them) and the output logits",
            )
        return _Parts(
            session, tokenizer, inputs, ModelInfo(f"{self.name}:{self.folder.name}", folder_hash(self.folder))
        )


def _temperature(value: object, folder: Path) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        raise ModelError(f"{folder / _NOTES} has temperature {value!r}.", fix="write a number above 0")
    return float(value)
