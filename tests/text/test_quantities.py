"""Typed quantities and how they compare."""

import time

import pytest

from groundwire.text.agreement import agree
from groundwire.text.quantities import find_quantities
from groundwire.text.quantity import Kind, Quantity
from groundwire.text.tokens import find_words


def quantities(text: str) -> list[Quantity]:
    return find_quantities(text, find_words(text))


def only(text: str) -> Quantity:
    found = quantities(text)
    assert len(found) == 1, [(item.text, item.kind) for item in found]
    return found[0]


@pytest.mark.parametrize(
    ("text", "kind", "low", "high", "unit"),
    [
        ("It stores 12,400 pallets", Kind.COUNT, 12_400, 12_400, ""),
        ("It stores 12 400 pallets", Kind.COUNT, 12_400, 12_400, ""),
        ("It stores 12'400 pallets", Kind.COUNT, 12_400, 12_400, ""),
        ("It stores １２ pallets", Kind.COUNT, 12, 12, ""),
        ("It stores ٤٥ pallets", Kind.COUNT, 45, 45, ""),
        ("It costs $2.5 million", Kind.MONEY, 2_500_000, 2_500_000, "USD"),
        ("It costs €2bn", Kind.MONEY, 2e9, 2e9, "EUR"),
        ("It costs 1.980,50 euros", Kind.MONEY, 1980.5, 1980.5, "EUR"),
        ("It fell by 4.2 per cent", Kind.PERCENT, 4.2, 4.2, ""),
        ("It fell by 3 percentage points", Kind.POINTS, 3, 3, ""),
        ("It fell by 25 basis points", Kind.POINTS, 0.25, 0.25, ""),
        ("It takes 3-5 working days", Kind.MEASURE, 259_200, 432_000, "duration"),
        ("It takes between 3 and 5 days", Kind.MEASURE, 259_200, 432_000, "duration"),
        ("It weighs 5 kg to 8 kg", Kind.MEASURE, 5, 8, "mass"),
        ("It is 1.5 kilometres", Kind.MEASURE, 1500, 1500, "length"),
        ("It has one and a half million users", Kind.COUNT, 1.5e6, 1.5e6, ""),
        ("It has half a million users", Kind.COUNT, 5e5, 5e5, ""),
        ("It has twenty-five seats", Kind.COUNT, 25, 25, ""),
        ("It has three dozen seats", Kind.COUNT, 36, 36, ""),
        ("It is kept at minus 18 °C", Kind.MEASURE, 255.15, 255.15, "temperature"),
        ("Two thirds of staff", Kind.PERCENT, 200 / 3, 200 / 3, ""),
        ("It opens at 7:30 am", Kind.TIME, 450, 450, ""),
        ("It opens at 15:00", Kind.TIME, 900, 900, ""),
    ],
)
def test_values_are_read_in_every_usual_spelling(text: str, kind: Kind, low: float, high: float, unit: str) -> None:
    found = only(text)
    assert (found.kind, found.unit) == (kind, unit)
    assert found.low == pytest.approx(low)
    assert found.high == pytest.approx(high)


@pytest.mark.parametrize(
    "text",
    ["3 March 2021", "March 3, 2021", "3rd of March 2021", "2021-03-03", "03.03.2021", "3. März 2021", "2021年3月3日",
     "3 mars 2021", "3 de marzo de 2021"],
)  # fmt: skip
def test_a_date_is_the_same_in_any_order_and_language(text: str) -> None:
    assert only(text).dates[0][:3] == (2021, 3, 3)


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        ("1.5 km", "1,500 m", True),
        ("12 months", "1 year", True),
        ("90 days", "3 months", None),
        ("4 hours", "4 days", False),
        ("-18 °C", "-18 °F", False),
        ("$5", "€5", False),
        ("50 cents", "$0.50", True),
        ("$588/year", "$49/month", True),
        ("$49/year", "$49/month", False),
        ("over 2,000 people", "2,150 people", True),
        ("over 2,000 people", "1,900 people", False),
        ("at least 18 years", "at least 21 years", False),
        ("at least 18 years", "at most 18 years", False),
        ("about 100 people", "104 people", True),
        ("about 100 people", "108 people", None),
        ("about 100 people", "120 people", False),
        ("4 people", "3 to 5 people", None),
        ("1.500 people", "1500 people", True),
        ("2.5 million people", "2,513,000 people", None),
        ("11%", "11 percentage points", False),
        ("version 4.10", "version 4.1", False),
        ("Q2 2024", "second quarter of 2024", True),
        ("March 2021", "3 March 2021", True),
        ("3 March 2021", "3 May 2021", False),
        ("Monday", "Tuesday", False),
        ("1990s", "in 1994", True),
        ("7 pm", "19:00", True),
        ("09:00 UTC", "09:00 CET", False),
        ("+49 30 123456", "+49 30 123457", False),
        ("30 m", "30 kg", None),
    ],
)
def test_two_quantities_agree_differ_or_cannot_be_compared(first: str, second: str, equal: bool | None) -> None:
    assert agree(only(first), only(second)).equal is equal


@pytest.mark.parametrize(
    "text", ["10^400", "0/0", "99:99", "31 February", "9" * 1_000_000, "1e999999", "½⅓", "$€£", "5 kg kg kg", "-", "−"]
)
def test_absurd_quantities_raise_nothing(text: str) -> None:
    begin = time.process_time()
    quantities(text)
    assert time.process_time() - begin < 2.0


@pytest.mark.parametrize(
    "piece", ["1", "1,", "1.", "1 ", "$", "a1-", "1:1", "1-1 ", "+1 ", "(1)", "@a.", "one ", "to 1 ", "Q1 ", "1 May "]
)
def test_no_pattern_explodes_on_repeats(piece: str) -> None:
    def seconds(count: int) -> float:
        text = piece * count
        begin = time.process_time()
        quantities(text)
        return time.process_time() - begin

    small, large = seconds(500), seconds(2_000)
    assert large < 30 * small + 0.5, piece
