from groundwire.nli import NLIScorer
from groundwire.nli.shipped import load_model


def test_no_model_is_loaded_when_the_user_wants_none() -> None:
    assert load_model(no_model=True) is None


def test_the_embedded_model_is_what_commands_and_guards_use() -> None:
    scorer = load_model(no_model=False)
    assert isinstance(scorer, NLIScorer)
    assert scorer.backend == "embedded"
    assert scorer.model_available
