"""Growth, memory and long fuzzing: true, but too slow for every run."""

import random
import string
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire import VerifiedScorer

pytestmark = pytest.mark.extras

WORDS = ["pump", "turbine", "contract", "warehouse", "sensor", "invoice", "bridge", "reactor", "archive", "valve"]


def source_of(sentences: int, seed: int) -> str:
    chance = random.Random(seed)
    return " ".join(
        f"The {chance.choice(WORDS)} of unit {number} ran for {chance.randint(2, 900)} hours in bay {number % 97}."
        for number in range(sentences)
    )


def seconds(response: str, source: str) -> float:
    begin = time.process_time()
    VerifiedScorer().verify(response, source)
    return time.process_time() - begin


def test_time_is_linear_in_the_source() -> None:
    response = source_of(5, seed=1)
    seconds(response, source_of(100, seed=2))
    small = min(seconds(response, source_of(2_000, seed=seed)) for seed in (3, 4))
    large = min(seconds(response, source_of(16_000, seed=seed)) for seed in (5, 6))
    assert large < 8 * small * 1.6


def test_a_million_characters_are_said_to_be_cut() -> None:
    result = VerifiedScorer().verify("word " * 200_000, source_of(1_000, seed=7))
    assert result.status == "truncated"


@pytest.mark.parametrize(
    "piece", ["a", "1", ".", "\n", "not ", "1,", "(", "“", "Dr. ", "A. ", "|", "\t", "\u200b", "\ud800"]
)
def test_repeats_of_one_piece_stay_fast(piece: str) -> None:
    assert seconds(piece * 20_000, piece * 20_000) < 20.0


def test_memory_without_a_model_stays_below_120_megabytes() -> None:
    code = (
        "from groundwire import VerifiedScorer;"
        "s = ' '.join(f'The pump of unit {n} weighs {n % 90} kg and runs in bay {n % 7}.' for n in range(800));"
        "VerifiedScorer().verify('The pump of unit 7 weighs 7 kg. The pump of unit 9 weighs 4 kg.', s);"
        # Not ru_maxrss: that one remembers the process which started this one.
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"
    )
    kilobytes = int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout)
    assert kilobytes < 120 * 1024


@given(
    response=st.text(alphabet=string.printable + "äß中文。«»€½\u200b", max_size=400),
    source=st.text(alphabet=string.printable + "äß中文。«»€½\u200b", max_size=400),
)
@settings(max_examples=2_000, deadline=None)
def test_two_thousand_pairs_raise_nothing(response: str, source: str) -> None:
    result = VerifiedScorer().verify(response, source, atomic=True)
    assert all(response[claim.start : claim.end] == claim.claim for claim in result.claims)
