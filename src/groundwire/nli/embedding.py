"""Sentence embeddings on the processor: a screen before a model, blind to negation and numbers."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from groundwire.errors import InputError, InputTypeError, MissingExtraError, ModelError
from groundwire.nli.base import Entailment, checked_pairs, from_divergence
from groundwire.nli.classifier import folder_hash, local_folder
from groundwire.nli.heuristic import CEILING
from groundwire.nli.runtime import check_count, encodable, load_once
from groundwire.types import ModelInfo

Encoder = Callable[[list[str]], Any]


class EmbeddingScorer:
    """Estimate the divergence from the distance of two embeddings.

    `encoder` is your own function from a list of texts to one vector each; without it
    `model_path` is a local folder of a sentence-transformers model.
    """

    is_model = True

    def __init__(
        self, model_path: str | Path | None = None, *, encoder: Encoder | None = None, batch_size: int = 32
    ) -> None:
        self.batch_size = check_count("batch_size", batch_size, 1024)
        self.encoder = encoder
        self.folder: Path | None = None
        if encoder is not None:
            if not callable(encoder):
                raise InputTypeError(
                    f"encoder is a {type(encoder).__name__}.", fix="pass a function of a list of texts"
                )
            if model_path is not None:
                raise InputError("Both encoder and model_path are given.", fix="pass one of them")
            return
        if find_spec("sentence_transformers") is None:
            raise MissingExtraError("The backend 'embedding' without an encoder of your own", "embeddings")
        self.folder = local_folder(model_path, "embedding", ("config.json",))

    @property
    def model_info(self) -> ModelInfo:
        """Name the encoder; a folder is hashed."""
        if self.folder is None:
            return ModelInfo(f"embedding:{getattr(self.encoder, '__name__', type(self.encoder).__name__)}", "")
        folder = self.folder
        hash_ = load_once(("embedding-hash", str(folder)), lambda: folder_hash(folder))
        return ModelInfo(f"embedding:{folder.name}", hash_)

    def load(self) -> None:
        """Load the encoder now instead of at the first pair."""
        _ = self._encode

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Score all pairs in one call; each text is embedded once."""
        pairs = checked_pairs(pairs)
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        if not texts:
            return []
        place = {text: number for number, text in enumerate(texts)}
        units = _unit_vectors(self._encode([encodable(text) for text in texts]), len(texts))
        return [
            from_divergence(min(max(0.0, 1.0 - float(units[place[one]] @ units[place[two]])), CEILING))
            for one, two in pairs
        ]

    @property
    def _encode(self) -> Encoder:
        if self.encoder is not None:
            return self.encoder
        folder, size = self.folder, self.batch_size
        model = load_once(("embedding", str(folder)), lambda: _load(folder))
        return lambda texts: model.encode(texts, batch_size=size, show_progress_bar=False, convert_to_numpy=True)


def _load(folder: Path | None) -> Any:
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(
            str(folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    except Exception as error:  # whatever sentence-transformers and what lies below it may raise
        raise ModelError(
            f"{folder} cannot be loaded as a sentence encoder.",
            why=str(error).strip().split("\n", 1)[0][:200],
            fix="save it with SentenceTransformer.save (safetensors weights)",
        ) from error


def _unit_vectors(vectors: Any, rows: int) -> Any:
    import numpy as np

    found = np.asarray(vectors, dtype=np.float64)
    if found.ndim != 2 or found.shape[0] != rows or not np.isfinite(found).all():
        raise ModelError(
            f"The encoder answered {rows} texts with an array of shape {tuple(found.shape)}.",
            fix="return one vector of finite numbers for each text",
        )
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)
