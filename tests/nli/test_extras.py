"""C15: missing extras give a helpful message, or exactly one warning; the base import works without any extra."""

import subprocess
import sys
import warnings
from importlib import util
from pathlib import Path
from typing import Any

import pytest

from groundwire import NLIScorer
from groundwire.errors import InputError, MissingExtraError, ModelError
from groundwire.nli import embedding, transformer

HEAVY = [
    ("transformers", "transformers"),
    ("deberta", "transformers"),
    ("minicheck", "transformers"),
    ("embedding", "embeddings"),
]


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide what the extras bring, wherever these tests run."""

    def find_spec(name: str) -> Any:
        return None if name in ("torch", "transformers", "sentence_transformers") else util.find_spec(name)

    for module in (embedding, transformer):
        monkeypatch.setattr(module, "find_spec", find_spec)


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(("backend", "extra"), HEAVY)
def test_c15_strict_raises_with_the_command_to_run(backend: str, extra: str, tmp_path: Path) -> None:
    with pytest.raises(MissingExtraError) as caught:
        NLIScorer(backend, tmp_path, strict=True)
    assert f"pip install 'groundwire[{extra}]'" in str(caught.value)
    assert isinstance(caught.value, ImportError)


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(("backend", "extra"), HEAVY)
def test_c15_else_the_heuristic_answers_with_exactly_one_warning(backend: str, extra: str, tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scorer = NLIScorer(backend, tmp_path)
        scores = [scorer.score("Paris is old.", "Paris is old."), scorer.score("Paris is old.", "Zebras graze.")]
        assert not scorer.model_available
        assert scorer.model_info.id == "heuristic"
    assert len(caught) == 1
    assert extra in str(caught[0].message)
    assert "heuristic" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert scores == NLIScorer("heuristic").score_batch(
        [("Paris is old.", "Paris is old."), ("Paris is old.", "Zebras graze.")]
    )


WALL = """
import sys
class Wall:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "transformers", "sentence_transformers"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Wall())
import groundwire
from groundwire import NLIScorer
import groundwire.nli.embedding, groundwire.nli.transformer, groundwire.nli.onnx
print(NLIScorer("heuristic").score("A cat.", "A cat."))
"""


def test_c15_the_base_import_works_without_any_extra() -> None:
    done = subprocess.run([sys.executable, "-c", WALL], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "0.0"


@pytest.mark.parametrize("backend", ["onnx", "nli-lite"])
def test_a_model_that_was_not_given_is_asked_for(backend: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"'{backend}' needs a model.*downloads nothing.*model\.onnx"):
        NLIScorer(backend)
    with pytest.raises(ModelError, match="no model folder"):
        NLIScorer(backend, tmp_path / "nowhere")
    with pytest.raises(ModelError, match=r"holds no model\.onnx"):
        NLIScorer(backend, tmp_path)


def test_an_encoder_of_your_own_needs_no_extra() -> None:
    scorer = NLIScorer("embedding", encoder=lambda texts: [[1.0, 0.0] for _ in texts], strict=True)
    assert scorer.score("one", "two") == 0.0


@pytest.mark.parametrize(
    "vectors", [[], [[1.0]], [1.0, 2.0], [[float("nan")], [1.0]]], ids=["none", "one", "flat", "nan"]
)
def test_an_encoder_that_answers_nonsense_is_named(vectors: Any) -> None:
    with pytest.raises(ModelError, match="encoder"):
        NLIScorer("embedding", encoder=lambda texts: vectors).score("one", "two")


def test_an_encoder_that_is_none_is_refused() -> None:
    with pytest.raises(TypeError, match="encoder"):
        NLIScorer("embedding", encoder="all-MiniLM-L6-v2")
    with pytest.raises(InputError, match="Both"):
        NLIScorer("embedding", "folder", encoder=lambda texts: [[1.0] for _ in texts])
