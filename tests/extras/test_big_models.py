"""Loading code for big models, on tiny ones of the same make: saved by transformers, loaded from the local folder."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundwire import NLIScorer
from groundwire.errors import InputError, ModelError
from tests.nli.contract import PAIRS, SOUND, answers_repeat
from tests.nli.tiny import tokenizer

pytestmark = pytest.mark.extras


def write_bert(folder: Path, names: dict[int, str]) -> Path:
    """Save a BERT classifier with random weights the way its trainer would."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=200, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=512, id2label=names, label2id={name: place for place, name in names.items()},
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer(), pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )
    fast.save_pretrained(folder)
    return folder


def write_encoder(folder: Path) -> Path:
    """Save a sentence encoder with random weights."""
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(7)
    inner = folder / "inner"
    BertModel(
        BertConfig(
            vocab_size=200, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
            max_position_embeddings=128,
        )
    ).save_pretrained(inner)  # fmt: skip
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer(), pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(inner)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sentence_transformers.models import Pooling, Transformer  # moved in version 6, kept under this name

        transformer = Transformer(str(inner), max_seq_length=64)
        model = SentenceTransformer(modules=[transformer, Pooling(16)], device="cpu")
        model.save(str(folder / "encoder"))
    return folder / "encoder"


THREE = {0: "ENTAILMENT", 1: "NEUTRAL", 2: "CONTRADICTION"}
UNNAMED = {0: "LABEL_0", 1: "LABEL_1"}
MAKERS: dict[str, Callable[[Path], NLIScorer]] = {
    "transformers": lambda folder: NLIScorer("transformers", write_bert(folder, THREE), max_tokens=96, strict=True),
    "deberta": lambda folder: NLIScorer("deberta", write_bert(folder, UNNAMED), max_tokens=320, strict=True),
    "minicheck": lambda folder: NLIScorer("minicheck", write_bert(folder, UNNAMED), max_tokens=96, strict=True),
    "embedding": lambda folder: NLIScorer("embedding", write_encoder(folder), strict=True),
}


@pytest.mark.parametrize("name", list(MAKERS))
def test_every_big_backend_keeps_the_contract(name: str, tmp_path: Path) -> None:
    scorer = MAKERS[name](tmp_path)
    for check in SOUND:
        check(scorer)
    answers_repeat(scorer, scorer)
    assert scorer.model_available
    assert scorer.model_info.id.startswith(f"{name}:")
    assert len(scorer.model_info.hash) == 64


def test_a_pair_scores_as_transformers_itself_scores_it(tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = write_bert(tmp_path, THREE)
    found = NLIScorer("transformers", folder, max_tokens=96).probabilities([PAIRS[0]])[0]
    inputs = AutoTokenizer.from_pretrained(folder)(*PAIRS[0], return_tensors="pt")
    with torch.inference_mode():
        expected = AutoModelForSequenceClassification.from_pretrained(folder)(**inputs).logits.softmax(-1)[0].tolist()
    assert list(found) == pytest.approx(expected, abs=1e-5)


def test_the_fact_checker_reads_its_instruction(tmp_path: Path) -> None:
    folder = write_bert(tmp_path, UNNAMED)
    plain = NLIScorer("transformers", folder, labels=["unsupported", "supported"], max_tokens=128)
    checker = NLIScorer("deberta", folder, max_tokens=320)
    assert plain.score(*PAIRS[0]) != checker.score(*PAIRS[0])
    found = checker.probabilities([PAIRS[0]])[0]
    assert found.neutral == 0.0


def test_loading_prints_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = write_bert(tmp_path, THREE)
    capfd.readouterr()
    NLIScorer("transformers", folder, max_tokens=96).score("a", "b")
    assert capfd.readouterr() == ("", "")


def test_unnamed_outputs_are_guessed_only_for_checkers_of_a_known_kind(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="labels="):
        NLIScorer("transformers", write_bert(tmp_path, UNNAMED))


def test_weights_that_are_pickles_are_refused(tmp_path: Path) -> None:
    import torch

    folder = write_bert(tmp_path, THREE)
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    scorer = NLIScorer("transformers", folder)
    with pytest.raises(ModelError, match="safetensors"):
        scorer.score("a", "b")
    assert not scorer.model_available


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="downloads nothing"):
        NLIScorer("deberta", strict=True)
    with pytest.raises(ModelError, match="no model folder"):
        NLIScorer("minicheck", "microsoft/deberta-v3-large")
    with pytest.raises(ModelError, match=r"config\.json"):
        NLIScorer("embedding", tmp_path)
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    broken: list[tuple[str, Any]] = [("deberta", {}), ("embedding", {})]
    for backend, options in broken:
        with pytest.raises(ModelError, match="cannot be loaded"):
            NLIScorer(backend, tmp_path, **options).score("a", "b")
