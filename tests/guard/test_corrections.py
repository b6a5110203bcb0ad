"""A correction is the smallest change, and it was verified before it is offered."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire import VerifiedScorer
from groundwire.guard import suggest_corrections
from groundwire.types import Correction

SOURCE = (
    "Refunds are accepted within 30 days of purchase. Dr. Maria Lopez founded Acme in Oslo on 5 May 1998. "
    "Data is not shared with third parties. The device is waterproof. Prices rose by 5% in 2020. "
    "The board approved the merger. The tower weighs 7 tonnes."
)
scorer = VerifiedScorer()


def corrections(response: str, source: str = SOURCE) -> list[Correction]:
    return suggest_corrections(response, scorer.verify(response, source).claims, source, scorer)


@pytest.mark.parametrize(
    ("wrong", "right", "diff"),
    [
        ("Refunds are accepted within 60 days of purchase.", "Refunds are accepted within 30 days of purchase.",
         "Refunds are accepted within [-60 days-]{+30 days+} of purchase."),
        ("Acme was founded on 5 May 1999.", "Acme was founded on 5 May 1998.",
         "Acme was founded on [-5 May 1999-]{+5 May 1998+}."),
        ("Maria Lopez founded Acme in Bergen.", "Maria Lopez founded Acme in Oslo.",
         "Maria Lopez founded Acme in [-Bergen-]{+Oslo+}."),
        ("Data is shared with third parties.", "Data is not shared with third parties.",
         "Data is{+ not+} shared with third parties."),
        ("The device is not waterproof.", "The device is waterproof.", "The device is [-not -]waterproof."),
        ("The device isn't waterproof.", "The device is waterproof.", "The device [-isn't-]{+is+} waterproof."),
        ("Prices fell by 5% in 2020.", "Prices rose by 5% in 2020.", "Prices [-fell-]{+rose+} by 5% in 2020."),
        ("Prices rose by 50% in 2021.", "Prices rose by 5% in 2020.",
         "Prices rose by [-50%-]{+5%+} in [-2021-]{+2020+}."),
        ("The tower weighs 7 kilograms.", "The tower weighs 7 tonnes.",
         "The tower weighs [-7 kilograms-]{+7 tonnes+}."),
    ],
)  # fmt: skip
def test_number_date_name_and_negation_are_put_right(wrong: str, right: str, diff: str) -> None:
    (found,) = corrections("Hello! " + wrong)
    assert (found.after, found.diff, found.before) == (right, diff, wrong)
    assert found.is_suggestion
    assert ("Hello! " + wrong)[found.start : found.end] == wrong
    assert scorer.verify(found.after, SOURCE).approved


def test_edits_point_into_the_response() -> None:
    response = "It is known: Refunds are accepted within 60 days of purchase. Prices fell by 5% in 2020."
    for found in corrections(response):
        for edit in found.edits:
            assert response[edit.start : edit.end] == edit.before
            assert edit.source_id == "source"


def test_a_right_claim_and_an_invention_without_counterpart_get_none() -> None:
    assert corrections("The device is waterproof.") == []
    assert corrections("Elephants painted the lobby purple.") == []


def test_a_change_that_does_not_verify_is_not_offered() -> None:
    for wrong in ("The board did not approve the merger of 2019.", "Prices fell by 70% in 1950 in Bergen."):
        for found in corrections(wrong):
            assert found.verdict not in ("contradicted", "fabricated")
            assert not scorer.verify(found.after, SOURCE).contradicted_count


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["Refunds are accepted within {} days of purchase.", "The tower weighs {} tonnes."]),
    st.integers(1, 10_000),
)
def test_no_correction_is_ever_contradicted(form: str, number: int) -> None:
    for found in corrections(form.format(number)):
        assert scorer.verify(found.after, SOURCE).approved
