"""A number that the sources nowhere state is invented, unless a reader can come by it."""

import pytest

from groundwire import VerifiedScorer


def verdict(claim: str, source: str) -> str:
    return str(VerifiedScorer().verify(claim, source).claims[0].verdict)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The guide is available in three languages.", "The guide is available in Dutch, Polish and Greek."),
        ("Two brothers founded the mill.", "The mill was founded by Anselm Roth and his brother Jost."),
    ],
)
def test_things_that_a_reader_can_count_are_not_invented(claim: str, source: str) -> None:
    assert verdict(claim, source) not in ("contradicted", "fabricated")


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The alarm was noticed after 35 minutes.", "The alarm rang at 14:05. A guard noticed it at 14:40."),
        ("The tower was finished 24 years after the nave.", "The nave was done in 1848, the tower in 1872."),
        ("Turnout fell by seven percentage points.", "Turnout was 61% in May. In the autumn it reached 54%."),
    ],
)  # fmt: skip
def test_a_number_that_follows_from_others_is_not_invented(claim: str, source: str) -> None:
    assert verdict(claim, source) not in ("contradicted", "fabricated")


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The kit has 35 parts.", "The kit is new. It comes with a manual."),
        ("The school opened in 1968.", "The school was built by the town. It has a large garden."),
        ("Repairs take 45 minutes at most.", "Repairs are done in the workshop. Please bring your receipt."),
    ],
)
def test_a_number_of_a_kind_the_sources_do_not_know_is_invented(claim: str, source: str) -> None:
    assert verdict(claim, source) == "fabricated"
