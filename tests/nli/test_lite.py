"""C14: the lite scorer needs nothing and is deterministic."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire import NLIScorer
from groundwire.nli import LiteScorer

ALONE = """
import sys
class Wall:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in sys.stdlib_module_names and name.split(".")[0] != "groundwire":
            raise ImportError(name)
sys.meta_path.insert(0, Wall())
from groundwire.nli import LiteScorer
print(LiteScorer().score("Refunds are not available.", "Refunds are available."))
"""


def test_c14_only_the_standard_library_is_needed() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > 0.8


def test_c14_two_processes_with_other_hash_seeds_agree() -> None:
    code = (
        "from groundwire.nli import LiteScorer; print([LiteScorer().score(p, h) for p, h in "
        "[('The cat sat on the mat.', 'A cat did not sit.'), ('Open daily from nine.', 'It opens at noon.')]])"
    )
    outs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(outs) == 1


@given(st.text(max_size=80), st.text(max_size=80))
def test_c14_the_same_pair_scores_the_same(premise: str, hypothesis: str) -> None:
    first = LiteScorer().score(premise, hypothesis)
    assert 0.0 <= first <= 1.0
    assert first == LiteScorer().score(premise, hypothesis)


def test_missing_words_raise_the_divergence_and_never_contradict() -> None:
    score = LiteScorer().score
    premise = "The museum opens daily at nine and shows Roman coins."
    same, part, none = (
        score(premise, text)
        for text in ("The museum opens at nine.", "The museum opens and sells tickets.", "Zebras graze quietly.")
    )
    assert same < part < none < 0.66


def test_a_statement_longer_than_its_premise_is_less_certain() -> None:
    score = LiteScorer().score
    short = score("Roman coins.", "Roman coins.")
    assert short < score("Roman coins.", "Roman coins coins Roman coins Roman coins Roman coins.")


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [
        ("Refunds are not available.", "Refunds are available."),
        ("The museum opens daily. Dogs are allowed in the garden.", "Dogs aren't allowed in the garden."),
    ],
)
def test_the_same_words_with_a_denial_contradict(premise: str, hypothesis: str) -> None:
    assert LiteScorer().score(premise, hypothesis) > 0.8


def test_a_denial_elsewhere_is_none_of_its_business() -> None:
    premise = "The shop never closes. Parcels arrive in three days."
    assert LiteScorer().score(premise, "Parcels arrive in three days.") < 0.2


def test_the_name_and_the_class_are_one() -> None:
    pair = ("Parcels arrive in three days.", "Parcels never arrive.")
    assert NLIScorer("lite").score(*pair) == LiteScorer().score(*pair)
