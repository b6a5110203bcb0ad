"""Make responses and sources of a given shape, the same on every run."""

import random
from functools import cache

SYLLABLES = [
    first + middle + last for first in "bdfgklmnprstv" for middle in "aeiou" for last in ("", "l", "n", "r", "s")
]
FRAMES = (
    "The {a} {n} of {Name} {v}s {number} {m}s for the {b} {o} in {year}.",
    "In {year} {Name} {v}ed the {a} {n} and the {m} of the {b} {o}.",
    "Each {n} with a {a} {m} {v}s up to {number} percent of the {b} {o}.",
    "{Name} {Other} said that the {n} had not {v}ed the {a} {m} since {year}.",
    "A {b} {o} costs ${number} per {n}, and {Name} {v}s it with the {a} {m}.",
)


def make(claims: int, sentences: int, seed: int = 7) -> tuple[str, str]:
    """Return a response and a source; every other claim is a sentence of the source."""
    rng = random.Random(seed)
    words = _vocabulary()
    source = [_sentence(rng, words) for _ in range(sentences)]
    response = [rng.choice(source) if claim % 2 else _sentence(rng, words) for claim in range(claims)]
    return " ".join(response), " ".join(source)


def make_words(claims: int, words: int, seed: int = 7) -> tuple[str, str]:
    """Return a response and a source cut after the sentence that reaches the number of words."""
    response, source = make(claims, words // 8, seed)
    kept = []
    count = 0
    for sentence in source.split(". "):
        kept.append(sentence)
        count += len(sentence.split())
        if count >= words:
            break
    return response, ". ".join(kept).rstrip(".") + "."


@cache
def _vocabulary() -> list[str]:
    # One vocabulary for all texts, as the texts of one language share theirs.
    rng = random.Random(0)
    return ["".join(rng.choices(SYLLABLES, k=rng.randint(2, 3))) for _ in range(3000)]


def _sentence(rng: random.Random, words: list[str]) -> str:
    # Squaring the draw makes some words common and most rare, as in real text.
    drawn = [words[int(len(words) * rng.random() ** 2)] for _ in range(8)]
    a, b, n, m, o, v, name, other = drawn
    return rng.choice(FRAMES).format(
        a=a, b=b, n=n, m=m, o=o, v=v, Name=name.capitalize(), Other=other.capitalize(),
        number=rng.randint(2, 999), year=rng.randint(1950, 2025),
    )  # fmt: skip
