import lzma
import random
from pathlib import Path

import pytest

from groundwire.text.analysis import analyse
from groundwire.text.coverage import share
from groundwire.text.tokens import content_stems
from training.edits import RIGHT, WRONG, Edit, Surroundings, draw, other_number
from training.mix import Pair
from training.pairs import made

TEXT = "\n".join(
    [
        "<<<DOC Harbours>>>",
        " ".join(
            [
                "Anna Holm has led the port of Marlow since 2015.",
                "The port moved 1,200 containers in March 2021, more than in any other month.",
                "Ships must register if they carry fuel.",
                "Most cranes were not built in Denmark.",
                "Peter Vang, who designed the new pier, praised Anna Holm for the safe opening of the eastern gate.",
                "The company plans to buy three cranes within six months.",
                "All visitors may enter the large hall, which opened in June.",
                "The fee is 40 euros per day because the pier is narrow.",
                "Boats usually arrive before the market opens.",
            ]
        ),
        "<<<DOC Gardens>>>",
        " ".join(
            [
                "The garden of Brome has 300 roses.",
                "Visitors can walk through the long avenue when the weather is good.",
                "Vera Stolz planted the first tree in April 1954.",
                "The garden is open on every Monday, although the house is closed.",
                "Most roses need less water than lilies.",
                "Hugo Lind sold the small greenhouse to Vera Stolz in 1962.",
                "The entrance is free for all children under 12 years.",
                "The staff must close the gate before the sun sets, because thieves stole two statues.",
                "The pond holds 900 litres of water.",
            ]
        ),
    ]
)


@pytest.fixture
def pairs(tmp_path: Path) -> list[Pair]:
    path = tmp_path / "text.txt.xz"
    path.write_bytes(lzma.compress(TEXT.encode()))
    return [pair for seed in range(40) for pair in made(path, 30, lambda text: len(text.split()), seed)]


def test_pairs_of_both_classes_are_made_from_plain_text(pairs: list[Pair]) -> None:
    kinds = {pair.origin.split(":")[1] for pair in pairs}
    assert {"number", "entity", "negation", "antonym", "outside"} <= kinds
    assert {pair.label for pair in pairs} >= {0, 2, 3}


def test_word_overlap_does_not_give_the_label_away(pairs: list[Pair]) -> None:
    def overlap(pair: Pair) -> float:
        return share(content_stems(pair.claim), frozenset(content_stems(pair.window)))

    near = [pair for pair in pairs if not pair.origin.endswith("outside")]
    right = [overlap(pair) for pair in near if pair.label == 0]
    wrong = [overlap(pair) for pair in near if pair.label != 0]
    assert abs(sum(right) / len(right) - sum(wrong) / len(wrong)) < 0.15


def test_spans_lie_within_the_claim_and_only_in_wrong_ones(pairs: list[Pair]) -> None:
    for pair in pairs:
        assert all(0 <= start <= end <= len(pair.claim) + 1 for start, end in pair.spans or ())
        if pair.label == 0:
            assert not pair.spans


def test_the_same_seed_makes_the_same_pairs(tmp_path: Path) -> None:
    path = tmp_path / "text.txt.xz"
    path.write_bytes(lzma.compress(TEXT.encode()))
    first, second = (list(made(path, 20, lambda text: len(text.split()), 3)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("kind", "text", "label"),
    [
        ("number", "The port moved 1,200 containers.", 2),
        ("negation", "The house is closed.", 2),
        ("condition", "Ships must register if they carry fuel.", 1),
        ("modality", "Visitors may enter the hall.", 3),
    ],
)
def test_a_wrong_change_says_where_it_is(kind: str, text: str, label: int) -> None:
    edit = WRONG[kind][0](analyse(text), Surroundings((), (), ()), random.Random(1))
    assert isinstance(edit, Edit)
    assert (edit.label, edit.text != text) == (label, True)


def test_a_rewording_keeps_the_class() -> None:
    edit = draw(
        RIGHT,
        analyse("The company plans to buy 3 cranes, which is not cheap."),
        Surroundings((), (), ()),
        random.Random(2),
    )
    assert edit is not None
    assert edit.label == 0


def test_another_number_is_another_number() -> None:
    rng = random.Random(0)
    assert all(other_number("1,250", rng) != "1,250" for _ in range(50))
