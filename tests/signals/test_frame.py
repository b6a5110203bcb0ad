"""A clash contradicts only where claim and evidence otherwise say the same; elsewhere it is a doubt."""

import pytest

from groundwire import VerifiedScorer


def verdict(claim: str, source: str) -> str:
    return str(VerifiedScorer().verify(claim, source).claims[0].verdict)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "Guests who leave early forfeit 40 euros of what they have paid.",
            "Rooms cost 55 euros a night. Guests leave the keys at the desk.",
        ),
        (
            "The old mill had stood empty for thirty years when painters moved into its upper floor.",
            "For twelve years the mill has housed painters, who reach the upper floor by a steep stair.",
        ),
    ],
)
def test_a_number_in_another_statement_only_raises_doubt(claim: str, source: str) -> None:
    assert verdict(claim, source) == "unverifiable"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "A constable who drops by at the office cannot walk off with the recordings.",
            "The office hands recordings to a constable only after a judge has signed a written order for them.",
        ),
        (
            "A copy cannot be had by simply asking at the desk.",
            "The desk gives out copies only upon a written request from the owner of the house.",
        ),
    ],
)
def test_a_denial_in_another_statement_only_raises_doubt(claim: str, source: str) -> None:
    assert verdict(claim, source) == "unverifiable"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("A shortfall of 6 litres does not lead to a refund.", "We refund you when the shortfall exceeds 8 litres."),
        (
            "An order of 700 lines is delivered within five days.",
            "Delivery takes 3 days up to 400 lines; each further 150 lines add one day.",
        ),
        (
            "Eight of the crash reports stem from phones other than the one at fault.",
            "We have 37 crash reports so far; 29 of these come from one phone model with an old system.",
        ),
    ],
)
def test_a_number_that_a_reader_worked_out_is_no_contradiction(claim: str, source: str) -> None:
    assert verdict(claim, source) not in ("contradicted", "fabricated")


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The ferry carries 140 passengers and 20 cars.", "The ferry carries 410 passengers and 20 cars."),
        ("You may take up to four tablets a day.", "The highest daily dose is two tablets at most."),
        ("Deliveries to the island are not insured.", "Deliveries to the island are insured."),
        ("Hilda Brandvold, who was born in Narvik, wrote five operas.",
         "Hilda Brandvold was born in Narvik. She wrote nine operas."),
        ("The order number is 4417.", "Order: 4471"),
    ],
)  # fmt: skip
def test_a_clash_in_the_same_statement_is_a_contradiction(claim: str, source: str) -> None:
    assert verdict(claim, source) == "contradicted"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("All lamps on the north pier failed the test.", "Some lamps on the north pier failed the test."),
        ("The board will sell the old ferry in spring.", "The board may sell the old ferry in spring."),
        ("Most members of the choir read music.", "A few members of the choir read music."),
    ],
)
def test_a_statement_made_stronger_in_the_same_words_is_a_contradiction(claim: str, source: str) -> None:
    assert verdict(claim, source) == "contradicted"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Rarely does the lake freeze.", "The lake rarely freezes. Ice was last seen in 1986."),
        ("The firm intends to hire 20 engineers.", "The firm plans to recruit 20 engineers. Offices are in Graz."),
    ],
)
def test_the_same_strength_in_another_order_is_no_contradiction(claim: str, source: str) -> None:
    assert verdict(claim, source) in ("supported", "unverifiable")
