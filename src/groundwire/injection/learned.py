"""The learned part of stage 1: a linear model over hashed words and word pairs, in plain Python."""

import base64
import json
import math
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise

BITS = 18
MASK = (1 << BITS) - 1
WINDOW = 80  # words; long texts are read in overlapping windows
STEP = 40
_CLIP = 4.0  # window scores beyond it say no more in the mixed terms of the calibration
_LONGEST = 1_500  # words; beyond the length of what it was fitted on the calibration must not extrapolate
_USUAL = 4.0  # the logarithm of a short paragraph's words


@dataclass(frozen=True, slots=True)
class Reading:
    """How the windows of a text score, how many there are, and how many words the text has."""

    highest: float
    mean: float
    windows: int
    words: int
    first: int = 0  # words of the highest window
    last: int = 0


@dataclass(frozen=True, slots=True)
class Model:
    """Weights of the words, and the calibration that turns a reading into a probability."""

    weights: "array[int]"
    scale: float
    bias: float
    calibration: tuple[float, ...]

    def window_score(self, features: Sequence[int]) -> float:
        """Score the features of one window."""
        chosen = set(features)
        weights = self.weights
        total = sum([weights[feature] for feature in chosen])
        return self.bias + self.scale * total / math.sqrt(len(chosen)) if chosen else self.bias

    def read(self, words: Sequence[str]) -> Reading | None:
        """Score all windows of a text, None without words."""
        if not words:
            return None
        best, best_place, total, count = -math.inf, 0, 0.0, 0
        for place, features in windows(words):
            score = self.window_score(features)
            total += score
            count += 1
            if score > best:
                best, best_place = score, place
        return Reading(best, total / count, count, len(words), best_place, min(best_place + WINDOW, len(words)) - 1)

    def probability(self, reading: Reading, rules: float, kinds: int) -> float:
        """Turn a reading, the rules' score and the number of rules into the calibrated chance of an attack."""
        values = calibration_inputs(reading, rules, kinds)
        return sigmoid(sum(weight * value for weight, value in zip(self.calibration, values, strict=True)))


def calibration_inputs(reading: Reading, rules: float, kinds: int) -> tuple[float, ...]:
    """List what the calibration sees."""
    length = math.log(min(reading.words, _LONGEST))
    count = math.log(min(reading.windows, _LONGEST // STEP))
    highest, mean = (max(-_CLIP, min(_CLIP, score)) for score in (reading.highest, reading.mean))
    # A middling score means little in one sentence and much when it holds over pages: the mixed terms say so.
    mixed = (mean * count, highest * count, mean * (length - _USUAL))
    fired = float(min(kinds, 4))
    return (1.0, reading.highest, reading.mean, *mixed, count, length, length * length / 4.0, rules, fired)


def windows(words: Sequence[str]) -> list[tuple[int, list[int]]]:
    """Cut a text into windows; each comes with its first word and its features."""
    hashes = [word_hash(word) for word in words]
    pairs = [(left * 31 + right) & MASK for left, right in pairwise(hashes)]
    if len(words) <= WINDOW:
        return [(0, hashes + pairs)]
    last = len(words) - WINDOW + STEP
    return [
        (place, hashes[place : place + WINDOW] + pairs[place : place + WINDOW - 1]) for place in range(0, last, STEP)
    ]


@lru_cache(maxsize=65_536)
def word_hash(word: str) -> int:
    """Hash a word to its feature; numbers of one length are one word."""
    return zlib.crc32(("0" * len(word) if word.isdigit() else word[:24]).encode("utf-8", "replace")) & MASK


def sigmoid(value: float) -> float:
    """Return the logistic function without overflow."""
    if value < -60:
        return 0.0
    return 1.0 / (1.0 + math.exp(-value))


@cache
def load_model() -> Model:
    """Read the model that ships with the package."""
    data = json.loads(files(__package__).joinpath("model.json").read_text(encoding="utf-8"))
    return Model(
        array("b", zlib.decompress(base64.b64decode(data["weights"]))),
        data["scale"],
        data["bias"],
        tuple(data["calibration"]),
    )
