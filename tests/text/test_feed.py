"""A text cut anywhere gives the claims of the whole text, each as soon as it is certain."""

import itertools
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.text.claims import Claim, split_claims
from groundwire.text.feed import ClaimFeed

TRICKY = """# A heading. With a stop

Dr. Smith paid $3.5 million on Jan. 5, 2024. He left at 5 p.m. EST. "Really?" she asked. Yes... No!
1. First item. It has two sentences.
- [x] done. Next: 1,200,000 units. It fell to 1,000,000 in Q2. Then rose
> quoted. Text (Fig. 3). End of it
| a | b. C | d |
Total | 5. Six
Prose first. Then a | b | c
plan,seats,price. Low
Basic,5,20. High
Revenue was 1,000, costs 2,000, left in 2008.His wife stayed
a,b,c in 2008.His wife
d,e,f in 2009.Her son
~~~
code. Not a claim. x
~~~
The U.S. Army came. Plan B. It works. R.E.M. played. e.g. this. No. 5 won. He said no. Then left.
今日は晴れです。明日は「雨」です。終わり
ภาษาไทยสวยงาม ภาษาไทยสวยงาม คำต่อไป
क्या हाल है। ठीक है।
he left . she stayed . 2 . 5 million
Who? Me! "Stop." he said. “Quoted.” Next one… and so on. Then… Next\r\nlast line\u2028after it."""
PIECES = st.sampled_from(
    ["Dr.", "a", " ", ".", "!", "?", "\n", "\r\n", "A", "The", "3", ",", "1,000", "|", "\t", "-", "1.", "# ", "```",
     "“", "”", '"', ")", "(", "…", "。", "」", "ภาษาไทยสวยงาม", "।", "p.m.", "EST", "no", "Plan B", "May", "*", "_",
     ";", "x.His wife", "e.g.", "…"]
)  # fmt: skip


def fed(pieces: list[str]) -> list[Claim]:
    feed = ClaimFeed()
    settled = [item for piece in pieces for item in feed.feed(piece)] + feed.close()
    ends = [item.end for item in settled]
    assert ends == sorted(ends)
    return [claim for item in settled for claim in item.claims]


def cut_at(text: str, places: list[int]) -> list[str]:
    borders = [0, *sorted(places), len(text)]
    return [text[a:b] for a, b in itertools.pairwise(borders)]


@pytest.mark.parametrize("seed", range(40))
def test_any_cutting_of_a_tricky_text_gives_the_claims_of_the_whole(seed: int) -> None:
    chance = random.Random(seed)
    places = [chance.randrange(len(TRICKY)) for _ in range(200)]
    assert fed(cut_at(TRICKY, places)) == split_claims(TRICKY)


def test_single_characters_and_one_chunk_give_the_same() -> None:
    assert fed(list(TRICKY)) == fed([TRICKY]) == split_claims(TRICKY)


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=40), st.lists(st.integers(0, 200), max_size=30))
def test_pieced_texts_give_the_claims_of_the_whole(words: list[str], places: list[int]) -> None:
    text = "".join(words)
    assert fed(cut_at(text, [min(place, len(text)) for place in places])) == split_claims(text)
    assert fed(list(text)) == split_claims(text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_arbitrary_text_gives_the_claims_of_the_whole(text: str) -> None:
    assert fed(list(text)) == split_claims(text)


@pytest.mark.parametrize("prefix_of", [TRICKY, "He paid Dr. No. 5 at 3.14 p.m. Then he left. It rained."])
def test_nothing_settled_early_is_ever_taken_back(prefix_of: str) -> None:
    feed = ClaimFeed()
    early: list[Claim] = []
    for character in prefix_of:
        early += [claim for item in feed.feed(character) for claim in item.claims]
        assert feed.safe <= feed.length
    assert early == split_claims(prefix_of)[: len(early)]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("The price is 3.", 0),
        ("The price is 3. ", 0),
        ("The price is 30 euros. T", 1),
        ("The price is 3.5", 0),
        ("Ask Dr. S", 0),
        ("Ask Dr. Smith now. He", 1),
        ("One line\n", 1),
        ("今日は晴れです。明", 1),
    ],
)
def test_a_claim_is_let_go_as_soon_as_it_is_certain(text: str, claims: int) -> None:
    assert sum(len(item.claims) for item in ClaimFeed().feed(text)) == claims


@pytest.mark.parametrize("unit", [".", " ", "a.", "x", "Dr. A", ". ", "|", "。", "ก", "a, ", "\n"])
def test_a_hostile_stream_costs_what_it_is_long(unit: str) -> None:
    def cost(count: int) -> float:
        feed = ClaimFeed()
        feed.feed("Start. ")
        started = time.process_time()
        for _ in range(count):
            feed.feed(unit)
        feed.close()
        return time.process_time() - started

    assert cost(20_000) < 3.0
