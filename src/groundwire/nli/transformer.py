"""A sequence classifier of any size from a local folder, run by transformers and torch."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundwire.errors import InputError, MissingExtraError, ModelError
from groundwire.nli.base import Entailment
from groundwire.nli.classifier import Layout, check_template, find_labels, folder_hash, local_folder, score_pairs
from groundwire.nli.runtime import check_count, encodable, load_once
from groundwire.types import ModelInfo

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a family of models wants its input, and what its outputs mean when it does not say."""

    template: str | None
    labels: tuple[str, ...] | None


_KINDS = {
    "transformers": _Kind(None, None),
    # The wording FactCG was trained with: another one gives noise.
    "deberta": _Kind(
        '{premise}\n\nChoose your answer: based on the paragraph above can we conclude that "{hypothesis}"?'
        "\n\nOPTIONS:\n- Yes\n- No\nI think the answer is ",
        ("unsupported", "supported"),
    ),
    # MiniCheck's encoders read document and claim as one text with the end mark between them.
    "minicheck": _Kind("{premise}{end}{hypothesis}", ("unsupported", "supported")),
}


@dataclass(frozen=True, slots=True)
class _Parts:
    tokenizer: Any
    model: Any
    end: str
    padding: int
    segments: bool


class TransformerScorer:
    """Score pairs with a model that `save_pretrained` wrote; nothing is downloaded and no code of the model runs."""

    is_model = True

    def __init__(
        self,
        model_path: str | Path | None = None,
        *,
        kind: str = "transformers",
        labels: Sequence[str] | None = None,
        template: str | None = None,
        max_tokens: int = 512,
        batch_size: int = 8,
        device: str = "cpu",
    ) -> None:
        if kind not in _KINDS:
            raise InputError(f"There is no kind {kind!r} of model.", fix=f"use one of {', '.join(sorted(_KINDS))}")
        if find_spec("torch") is None or find_spec("transformers") is None:
            raise MissingExtraError(f"The backend {kind!r}", "transformers")
        self.folder = local_folder(model_path, kind, ("config.json",))
        check_template(template)
        self.template = template or _KINDS[kind].template
        self.labels = find_labels(labels, self.folder, _KINDS[kind].labels)
        self.max_tokens = check_count("max_tokens", max_tokens, 32_768)
        self.batch_size = check_count("batch_size", batch_size, 1024)
        self.device = device
        self.kind = kind

    @cached_property
    def model_info(self) -> ModelInfo:
        """Name the folder and hash its files."""
        return ModelInfo(f"{self.kind}:{self.folder.name}", folder_hash(self.folder))

    def load(self) -> None:
        """Load the model now instead of at the first pair."""
        _ = self._parts

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, without marks."""
        return len(self._parts.tokenizer.encode(encodable(text), add_special_tokens=False))

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Score all pairs in one call."""
        import torch

        parts = self._parts
        template = self.template.replace("{end}", parts.end) if self.template else None
        layout = Layout(self.labels, self.max_tokens, self.batch_size, template, parts.padding)

        def forward(
            ids: "np.ndarray[Any, Any]", mask: "np.ndarray[Any, Any]", segments: "np.ndarray[Any, Any]"
        ) -> "np.ndarray[Any, Any]":
            given = {"input_ids": ids, "attention_mask": mask}
            if parts.segments:
                given["token_type_ids"] = segments
            tensors = {key: torch.from_numpy(value).to(self.device) for key, value in given.items()}
            with torch.inference_mode():
                found: np.ndarray[Any, Any] = parts.model(**tensors).logits.float().cpu().numpy()
            return found

        return score_pairs(pairs, parts.tokenizer, forward, layout, str(self.folder))

    @property
    def _parts(self) -> _Parts:
        return load_once(("transformers", str(self.folder), self.device), self._load)

    def _load(self) -> _Parts:
        from transformers import AutoModelForSequenceClassification, AutoTokenizer
        from transformers.utils import logging

        bars = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()  # a library does not draw on its user's terminal
        try:
            tokenizer = AutoTokenizer.from_pretrained(self.folder, local_files_only=True, trust_remote_code=False)
            # Only safetensors: the older weight files are pickles, which run code when they are read.
            model = AutoModelForSequenceClassification.from_pretrained(
                self.folder, local_files_only=True, trust_remote_code=False, use_safetensors=True
            )
            model.to(self.device).eval()
        except Exception as error:  # whatever transformers, torch and the tokenizer may raise
            raise ModelError(
                f"{self.folder} cannot be loaded as a sequence classifier.",
                why=str(error).strip().split("\n", 1)[0][:200],
                fix="save it with save_pretrained (safetensors weights and a fast tokenizer)",
            ) from error
        finally:
            if bars:
                logging.enable_progress_bar()
        if not getattr(tokenizer, "is_fast", False):
            raise ModelError(f"{self.folder} has no fast tokenizer.", fix="save the tokenizer as tokenizer.json")
        backend = tokenizer.backend_tokenizer
        backend.no_truncation()
        backend.no_padding()
        segments = "token_type_ids" in tokenizer.model_input_names and getattr(model.config, "type_vocab_size", 0) > 1
        end = tokenizer.eos_token or tokenizer.sep_token or ""
        return _Parts(backend, model, end, tokenizer.pad_token_id or 0, segments)
