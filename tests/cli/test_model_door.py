import pytest

from groundwire.nli import NLIScorer
from groundwire.nli import shipped as model


def test_no_model_is_loaded_when_the_user_wants_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "SHIPPED", True)
    assert model.load_model(no_model=True) is None


def test_the_embedded_model_is_used_once_it_is_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "SHIPPED", True)
    scorer = model.load_model(no_model=False)
    assert isinstance(scorer, NLIScorer)
    assert scorer.backend == "embedded"
