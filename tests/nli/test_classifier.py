"""Classifiers from a local folder: labels, templates, source chunks."""

import json
from pathlib import Path
from typing import Any

import pytest

from groundwire import NLIScorer
from groundwire.errors import InputError, IntegrityError, ModelError
from tests.nli.tiny import write_classifier, write_embedded

PREMISE = "Paris is the capital of France."
FILLER = "A city in Germany is not the capital. " * 40


def test_the_chunk_that_supports_most_counts_wherever_it_stands(tmp_path: Path) -> None:
    scorer = NLIScorer("onnx", write_classifier(tmp_path), max_tokens=48)
    alone = scorer.score(PREMISE, PREMISE)
    for premise in (PREMISE + " " + FILLER, FILLER + PREMISE, FILLER + PREMISE + " " + FILLER):
        assert scorer.score(premise, PREMISE) == pytest.approx(alone, abs=1e-6)
    assert scorer.score(FILLER, PREMISE) > alone + 0.05


def test_a_source_that_would_need_hundreds_of_passes_is_refused(tmp_path: Path) -> None:
    scorer = NLIScorer("onnx", write_classifier(tmp_path), max_tokens=48)
    with pytest.raises(InputError, match="VerifiedScorer"):
        scorer.score("Paris is a city. " * 20_000, "Paris is a city.")


def test_a_hypothesis_that_does_not_fit_is_never_entailed(tmp_path: Path) -> None:
    scorer = NLIScorer("onnx", write_classifier(tmp_path), max_tokens=48)
    found = scorer.probabilities([(PREMISE, "Paris is the capital of France " * 30)])[0]
    assert found.entailment == 0.0
    assert sum(found) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("names", "order"),
    [
        ({0: "ENTAILMENT", 1: "NEUTRAL", 2: "CONTRADICTION"}, (0, 1, 2)),
        ({0: "contradiction", 1: "neutral", 2: "entailment"}, (2, 1, 0)),
        ({0: "entailed", 1: "neutral", 2: "contradicts"}, (0, 1, 2)),
    ],
)
def test_the_config_names_the_outputs(tmp_path: Path, names: dict[int, str], order: tuple[int, int, int]) -> None:
    plain = NLIScorer("onnx", write_classifier(tmp_path / "plain")).probabilities([(PREMISE, PREMISE)])[0]
    named = NLIScorer("onnx", write_classifier(tmp_path / "named", names)).probabilities([(PREMISE, PREMISE)])[0]
    assert tuple(named) == tuple(plain[place] for place in order)


def test_a_checker_of_two_classes_gives_support_and_its_opposite(tmp_path: Path) -> None:
    folder = write_classifier(tmp_path, {0: "not_entailment", 1: "entailment"}, classes=2)
    good, bad = NLIScorer("onnx", folder).probabilities([(PREMISE, PREMISE), (PREMISE, "Zebras")])
    assert good.entailment > 0.9 > 0.1 > bad.entailment
    assert good.neutral == 0.0
    assert bad.divergence == pytest.approx(1 - bad.entailment)


def test_outputs_without_names_are_asked_for_and_never_guessed(tmp_path: Path) -> None:
    folder = write_classifier(tmp_path, {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"})
    with pytest.raises(ModelError, match=r"LABEL_0.*labels="):
        NLIScorer("onnx", folder)
    named = NLIScorer("onnx", folder, labels=["entailment", "neutral", "contradiction"])
    assert named.score(PREMISE, PREMISE) < 0.1
    with pytest.raises(InputError, match="labels are"):
        NLIScorer("onnx", folder, labels=["yes", "no"])


def test_more_labels_than_outputs_are_found_at_the_first_pair(tmp_path: Path) -> None:
    folder = write_classifier(tmp_path, classes=2)
    with pytest.raises(ModelError, match=r"shape \(1, 2\)"):
        NLIScorer("onnx", folder, labels=["entailment", "neutral", "contradiction"]).score("a", "b")


@pytest.mark.parametrize("template", ["", "{premise}", "{hypothesis} {premise}", "{premise}{premise}{hypothesis}"])
def test_a_template_without_its_two_places_is_refused(tmp_path: Path, template: str) -> None:
    with pytest.raises(InputError, match="template"):
        NLIScorer("onnx", write_classifier(tmp_path), template=template)


def test_a_template_that_fills_the_input_leaves_no_room(tmp_path: Path) -> None:
    scorer = NLIScorer("onnx", write_classifier(tmp_path), max_tokens=16, template="a " * 20 + "{premise}{hypothesis}")
    with pytest.raises(ModelError, match="no room"):
        scorer.score("a", "b")


def test_a_student_with_a_manifest_is_checked_against_it(tmp_path: Path) -> None:
    folder = write_embedded(tmp_path)
    assert NLIScorer("nli-lite", folder).model_info.id == f"nli-lite:{tmp_path.name}"
    (folder / "model.onnx").write_bytes(b"other")
    with pytest.raises(IntegrityError, match=r"model\.onnx"):
        NLIScorer("nli-lite", folder, batch_size=4, intra_op_num_threads=1).score("a", "b")


@pytest.mark.parametrize("content", ["{", "[]", "\x00"])
def test_a_broken_config_is_named(tmp_path: Path, content: str) -> None:
    folder = write_classifier(tmp_path)
    (folder / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=r"config\.json"):
        NLIScorer("onnx", folder)


@pytest.mark.parametrize("notes", [{"temperature": 0}, {"temperature": "warm"}, {"max_tokens": "many"}, {"labels": 3}])
def test_a_manifest_that_makes_no_sense_is_refused(tmp_path: Path, notes: dict[str, Any]) -> None:
    folder = write_classifier(tmp_path)
    (folder / "model.json").write_text(json.dumps(notes), encoding="utf-8")
    with pytest.raises((ModelError, InputError)):
        NLIScorer("onnx", folder)


def test_any_change_in_the_folder_changes_the_hash(tmp_path: Path) -> None:
    one = NLIScorer("onnx", write_classifier(tmp_path / "model")).model_info
    other = write_classifier(tmp_path / "other" / "model")
    (other / "notes.txt").write_text("trained again", encoding="utf-8")
    assert one.id == "onnx:model"
    assert NLIScorer("onnx", other).model_info.hash != one.hash
