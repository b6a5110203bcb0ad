"""Every backend goes through the same cases."""

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from groundwire import NLIScorer, VerifiedScorer
from groundwire.errors import InputError, InputTypeError
from groundwire.nli import BACKENDS, NLI, DivergenceScorer, Entailment, FakeNLI
from groundwire.types import ModelInfo
from tests.nli.contract import PAIRS, SOUND, answers_repeat, support_scores_lower_than_no_relation
from tests.nli.tiny import letter_counts, write_classifier, write_embedded

# Without the heavy extras; the others go through the same cases in tests/extras.
MAKERS: dict[str, Callable[[Path], NLIScorer]] = {
    "heuristic": lambda _: NLIScorer("heuristic"),
    "lite": lambda _: NLIScorer("lite"),
    "rules": lambda _: NLIScorer("rules"),
    "embedded": lambda folder: NLIScorer(model_path=write_embedded(folder)),
    "onnx": lambda folder: NLIScorer("onnx", write_classifier(folder), max_tokens=64),
    "onnx with two classes": lambda folder: NLIScorer("onnx", write_classifier(folder, classes=2), max_tokens=64),
    "onnx with a template": lambda folder: NLIScorer(
        "onnx", write_classifier(folder), max_tokens=96, template="Given {premise} so {hypothesis}."
    ),
    "nli-lite": lambda folder: NLIScorer("nli-lite", write_embedded(folder)),
    "embedding": lambda _: NLIScorer("embedding", encoder=letter_counts),
    "cascade": lambda folder: NLIScorer(model_path=write_embedded(folder), cascade=True),
    "an object": lambda _: NLIScorer(FakeNLI()),
}


@pytest.fixture(params=list(MAKERS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("check", SOUND)
def test_every_backend_keeps_the_contract(name: str, check: Callable[[NLIScorer], None], tmp_path: Path) -> None:
    check(MAKERS[name](tmp_path))


def test_every_backend_gives_the_same_answer_every_time(name: str, tmp_path: Path) -> None:
    answers_repeat(MAKERS[name](tmp_path), MAKERS[name](tmp_path))


# Without segments the tiny model sees no hypothesis in a template, and a scripted scorer reads nothing.
@pytest.mark.parametrize("reader", sorted(MAKERS.keys() - {"an object", "onnx with a template"}))
def test_what_is_supported_scores_lower_than_what_is_unrelated(reader: str, tmp_path: Path) -> None:
    support_scores_lower_than_no_relation(MAKERS[reader](tmp_path))


def test_every_backend_says_what_it_is(name: str, tmp_path: Path) -> None:
    scorer = MAKERS[name](tmp_path)
    assert isinstance(scorer, NLI)
    assert isinstance(scorer, DivergenceScorer)
    assert isinstance(scorer.model_info, ModelInfo)
    assert scorer.model_info.id
    assert scorer.model_available == (name not in ("heuristic", "lite", "rules"))


def test_every_backend_serves_the_verifier(name: str, tmp_path: Path) -> None:
    scorer = MAKERS[name](tmp_path)
    result = VerifiedScorer(nli_scorer=scorer).verify("Paris is the capital of France.", PAIRS[0][0])
    assert result.model == scorer.model_info
    assert result.claims


def test_every_backend_can_be_sent_to_another_process(name: str, tmp_path: Path) -> None:
    scorer = MAKERS[name](tmp_path)
    copy = pickle.loads(pickle.dumps(scorer))
    assert copy.score(*PAIRS[0]) == scorer.score(*PAIRS[0])


def test_an_unknown_backend_names_the_known_ones() -> None:
    with pytest.raises(InputError) as caught:
        NLIScorer("bert-from-mars")
    assert all(known in str(caught.value) for known in BACKENDS)


def test_all_backends_of_the_specification_have_a_name() -> None:
    promised = {"heuristic", "lite", "rules", "embedding", "embedded", "transformers", "deberta", "onnx", "minicheck"}
    assert promised | {"nli-lite"} == set(BACKENDS)


def test_an_unknown_option_names_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"no option 'device'.*batch_size"):
        NLIScorer("embedded", device="cuda")
    with pytest.raises(InputError, match="no option 'name'"):
        NLIScorer("onnx", "folder", name="other")
    with pytest.raises(InputError, match="takes no model_path"):
        NLIScorer("lite", "folder")


@pytest.mark.parametrize("backend", [3, None, object()])
def test_a_backend_that_cannot_score_is_refused(backend: object) -> None:
    with pytest.raises(InputTypeError, match="probabilities"):
        NLIScorer(backend)  # type: ignore[arg-type]


@pytest.mark.parametrize("pairs", ["ab", [("one",)], [("a", 1)], None, [None], {"a": "b"}, ["ab"]])
def test_what_is_no_list_of_pairs_is_refused(name: str, pairs: object, tmp_path: Path) -> None:
    with pytest.raises(InputTypeError, match=r"\(premise, hypothesis\)"):
        MAKERS[name](tmp_path).probabilities(pairs)  # type: ignore[arg-type]


def test_a_list_of_lists_is_as_good_as_a_list_of_tuples() -> None:
    assert NLIScorer("lite").probabilities([["A cat.", "A cat."]]) == [Entailment(1.0, 0.0, 0.0)]  # type: ignore[list-item]


def test_only_a_token_head_gives_spans_and_only_a_tokenizer_counts(tmp_path: Path) -> None:
    embedded, lite = NLIScorer(model_path=write_embedded(tmp_path)), NLIScorer("lite")
    pair = ("Paris is the capital of France.", "Berlin is the capital of France.")
    assert [span[:2] for span in embedded.read([pair])[0].spans] == [(0, 6)]
    assert lite.read([pair])[0].spans == ()
    assert embedded.count_tokens("Paris is the capital") == 4
    assert lite.count_tokens("Paris is the capital") is None
