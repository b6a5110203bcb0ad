"""The model inside the package: a small cross-encoder with a head for unsupported words."""

import json
import math
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundwire.errors import IntegrityError, ModelError
from groundwire.ledger import sha256_hex
from groundwire.nli.base import UNKNOWN, Entailment, Reading, checked_pairs, says_nothing
from groundwire.nli.runtime import (
    batches,
    check_count,
    checked_logits,
    encodable,
    load_once,
    open_session,
    read_tokenizer,
    softmax,
)
from groundwire.types import ModelInfo

if TYPE_CHECKING:
    import numpy as np
    import onnxruntime

FORMAT = 1
MANIFEST = "model.json"
MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"
_LABELS = ("entailment", "neutral", "contradiction")
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_OUTPUTS = ("logits", "token_logits")
_MARKS = ("[CLS]", "[SEP]", "[PAD]")
# A long hypothesis is read in pieces; what lies beyond this many is not read, and then never called entailed.
_MOST_PIECES = 8
# No tokenizer needs more text than this for one token of prose; what lies beyond would be cut anyway.
_CHARS_A_TOKEN = 32
_REINSTALL = "install Groundwire again: pip install --force-reinstall groundwire"
_COPY = "copy the folder again"
_NUMBER = re.compile(r"\d[\d.,:/'’-]*\d")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What `model.json` says, and the hash of that file, which covers the hashes in it."""

    id: str
    files: dict[str, str]
    max_tokens: int
    labels: tuple[str, ...]
    temperature: float
    span_threshold: float
    hash: str


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a model folder holds beside the model itself."""

    manifest: Manifest
    tokenizer: Any
    start: int
    between: int
    padding: int


@dataclass(frozen=True, slots=True)
class _Tokens:
    """A text as the model sees it."""

    ids: list[int]
    offsets: list[tuple[int, int]]
    words: list[int | None]
    cut: bool


@dataclass(frozen=True, slots=True)
class _Row:
    """One input of the model: a premise with a piece of a hypothesis."""

    pair: int
    premise: list[int]
    hypothesis: list[int]
    first: int  # place of the piece's first token in the hypothesis
    cut: bool

    def __len__(self) -> int:
        return len(self.premise) + len(self.hypothesis) + 3


class EmbeddedModel:
    """Score pairs with the model of a folder, by default the one that ships with the package."""

    is_model = True

    def __init__(
        self, model_path: str | Path | None = None, *, intra_op_num_threads: int = 2, batch_size: int = 1
    ) -> None:
        self.shipped = model_path is None
        self.folder = shipped_folder() if model_path is None else Path(model_path)
        self.threads = check_count("intra_op_num_threads", intra_op_num_threads, 256)
        # int8 scales are found anew for each batch: pairs that share one move each other's scores. One at a
        # time the same pair has the same score everywhere, and on a processor it is no slower.
        self.batch_size = check_count("batch_size", batch_size, 1024)

    @property
    def model_info(self) -> ModelInfo:
        """Name the model and the hash that covers its files."""
        self.load()
        manifest = self._parts.manifest
        return ModelInfo(manifest.id, manifest.hash)

    @property
    def max_tokens(self) -> int:
        """Return how many tokens a pair may have, the three marks included."""
        return self._parts.manifest.max_tokens

    def load(self) -> None:
        """Load the model now instead of at the first pair."""
        self._session(1)

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, without marks."""
        return len(self._parts.tokenizer.encode(encodable(text), add_special_tokens=False))

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Score all pairs in one call."""
        return [reading.entailment for reading in self.read(pairs)]

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """Score all pairs and mark the words of each hypothesis that lack support."""
        pairs = checked_pairs(pairs)
        wanted = [number for number, pair in enumerate(pairs) if not says_nothing(pair)]
        readings = [Reading(UNKNOWN)] * len(pairs)
        if not wanted:
            return readings
        parts = self._parts
        tokens: dict[str, _Tokens] = {}
        rows: list[_Row] = []
        for number in wanted:
            for text in pairs[number]:
                if text not in tokens:
                    tokens[text] = _tokenise(parts, text)
            premise, hypothesis = pairs[number]
            rows.extend(_rows(number, tokens[premise], tokens[hypothesis], parts.manifest.max_tokens - 3))
        answers = self._run(parts, rows)
        pieces: dict[int, list[tuple[_Row, Entailment, list[float]]]] = {}
        for row, (entailment, doubts) in zip(rows, answers, strict=True):
            pieces.setdefault(row.pair, []).append((row, entailment, doubts))
        for number, found in pieces.items():
            hypothesis = pairs[number][1]
            readings[number] = _joined(found, hypothesis, tokens[hypothesis], parts.manifest.span_threshold)
        return readings

    @property
    def _parts(self) -> _Parts:
        return load_once(("embedded", str(self.folder)), lambda: _load(self.folder, self._fix))

    def _session(self, threads: int) -> "onnxruntime.InferenceSession":
        manifest = self._parts.manifest
        key = ("embedded session", str(self.folder), threads)
        return load_once(key, lambda: _open(self.folder, manifest, threads, self._fix))

    @property
    def _fix(self) -> str:
        return _REINSTALL if self.shipped else _COPY

    def _run(self, parts: _Parts, rows: Sequence[_Row]) -> list[tuple[Entailment, list[float]]]:
        """Send the rows through the model, like lengths together, and return the answers in order."""
        groups = list(batches([len(row) for row in rows], self.batch_size))
        # Two runs beside each other finish sooner than two threads that share each of them.
        beside = min(self.threads, len(groups))
        session = self._session(1 if beside > 1 else self.threads)
        run = partial(self._run_group, parts, session, rows)
        if beside > 1:
            # The threads end with the call: kept ones would not survive a fork.
            with ThreadPoolExecutor(beside) as pool:
                answered = list(pool.map(run, groups[::-1]))[::-1]  # the longest first
        else:
            answered = [run(group) for group in groups]
        places = [place for group in groups for place in group]
        answers = dict(zip(places, (answer for group in answered for answer in group), strict=True))
        return [answers[place] for place in range(len(rows))]

    def _run_group(
        self, parts: _Parts, session: "onnxruntime.InferenceSession", rows: Sequence[_Row], group: Sequence[int]
    ) -> list[tuple[Entailment, list[float]]]:
        chosen = [rows[place] for place in group]
        inputs = _inputs(parts, chosen)
        logits, token_logits = session.run(list(_OUTPUTS), inputs)
        checked_logits(logits, len(chosen), len(_LABELS), str(self.folder))
        checked_logits(token_logits, len(chosen), inputs["input_ids"].shape[1], str(self.folder))
        classes = softmax(logits / parts.manifest.temperature)
        order = [parts.manifest.labels.index(label) for label in _LABELS]
        answers = []
        for row, values, doubts in zip(chosen, classes, token_logits, strict=True):
            begin = len(row.premise) + 2
            own = doubts[begin : begin + len(row.hypothesis)].tolist()
            answers.append((Entailment(*(float(values[at]) for at in order)), own))
        return answers


def shipped_folder() -> Path:
    """Return the folder of the model inside the package."""
    return Path(str(files("groundwire").joinpath("models", "embedded")))


def _load(folder: Path, fix: str) -> _Parts:
    manifest = read_manifest(folder, fix)
    tokenizer = read_tokenizer(
        _checked_file(folder, TOKENIZER, manifest.files[TOKENIZER], fix), str(folder / TOKENIZER)
    )
    marks = [tokenizer.token_to_id(mark) for mark in _MARKS]
    if None in marks:
        raise ModelError(
            f"{folder / TOKENIZER} lacks one of the tokens {', '.join(_MARKS)}.", fix="use a BERT WordPiece tokenizer"
        )
    return _Parts(manifest, tokenizer, *marks)


def _open(folder: Path, manifest: Manifest, threads: int, fix: str) -> "onnxruntime.InferenceSession":
    # The very bytes that were hashed are opened, so that nobody can exchange the file in between.
    session = open_session(_checked_file(folder, MODEL, manifest.files[MODEL], fix), threads, str(folder / MODEL))
    has = {item.name for item in (*session.get_inputs(), *session.get_outputs())}
    lacking = [name for name in (*_INPUTS, *_OUTPUTS) if name not in has]
    if lacking:
        raise ModelError(
            f"{folder / MODEL} has no {', '.join(lacking)}.",
            why="it was not exported for the embedded backend",
            fix="use the backend 'onnx' for other ONNX classifiers",
        )
    return session


def read_manifest(folder: Path, fix: str = _COPY) -> Manifest:
    """Read and check the `model.json` of a model folder."""
    path = folder / MANIFEST
    try:
        raw = path.read_bytes()
    except (OSError, ValueError) as error:  # a null byte in a path is a ValueError
        raise ModelError(f"{folder} is not a model folder.", why=f"there is no {MANIFEST} to read", fix=fix) from error
    try:
        data = json.loads(raw)
    except ValueError as error:
        raise ModelError(f"{path} is not JSON.", why=str(error)[:200], fix=fix) from error
    if not isinstance(data, dict) or "format" not in data:
        raise ModelError(f"{path} does not describe a model.", why="it has no field 'format'", fix=fix)
    if data["format"] != FORMAT:
        raise ModelError(
            f"{path} has format {data['format']!r}; this version reads format {FORMAT}.",
            fix="use the Groundwire version the model was made for",
        )
    manifest = _manifest(data, sha256_hex(raw))
    if manifest is None:
        raise ModelError(f"{path} has a field that is missing or of the wrong kind.", fix=fix)
    return manifest


def _manifest(data: dict[str, Any], hash_: str) -> Manifest | None:
    hashes, labels, max_tokens = data.get("files"), data.get("labels"), data.get("max_tokens")
    temperature, threshold = _number(data.get("temperature")), _number(data.get("span_threshold"))
    if not isinstance(hashes, dict) or not all(isinstance(hashes.get(name), str) for name in (MODEL, TOKENIZER)):
        return None
    if not isinstance(labels, list) or sorted(map(str, labels)) != sorted(_LABELS):
        return None
    if not isinstance(max_tokens, int) or not 16 <= max_tokens <= 8192 or not isinstance(data.get("id"), str):
        return None
    if temperature is None or temperature <= 0 or threshold is None or not 0 <= threshold <= 1:
        return None
    return Manifest(data["id"], hashes, max_tokens, tuple(labels), temperature, threshold, hash_)


def _number(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return None


def _checked_file(folder: Path, name: str, expected: str, fix: str) -> bytes:
    try:
        data = (folder / name).read_bytes()
    except OSError as error:
        raise ModelError(
            f"The model file {folder / name} cannot be read.", why=type(error).__name__, fix=fix
        ) from error
    if sha256_hex(data) != expected:
        raise IntegrityError(
            f"The model file {folder / name} does not have the hash that {MANIFEST} records.",
            why="it was damaged or changed",
            fix=fix,
        )
    return data


def _tokenise(parts: _Parts, text: str) -> _Tokens:
    # One text at a time: the batch call starts threads of its own, which do not survive a fork.
    most = parts.manifest.max_tokens * _CHARS_A_TOKEN
    encoding = parts.tokenizer.encode(encodable(text[:most]), add_special_tokens=False)
    return _Tokens(encoding.ids, encoding.offsets, encoding.word_ids, len(text) > most)


def _rows(number: int, premise: _Tokens, hypothesis: _Tokens, budget: int) -> list[_Row]:
    """Fit a pair into the budget: the premise is cut first, a hypothesis over half of it is read in pieces."""
    mine = hypothesis.ids
    longest = max(budget // 2, budget - len(premise.ids), 1)
    starts = range(0, max(len(mine), 1), longest)
    rows = []
    for first in starts[:_MOST_PIECES]:
        piece = mine[first : first + longest]
        kept = premise.ids[: budget - len(piece)]
        cut = premise.cut or hypothesis.cut or len(kept) < len(premise.ids) or len(starts) > _MOST_PIECES
        rows.append(_Row(number, kept, piece, first, cut))
    return rows


def _inputs(parts: _Parts, rows: Sequence[_Row]) -> dict[str, "np.ndarray[Any, Any]"]:
    import numpy as np

    shape = (len(rows), max(map(len, rows)))
    ids = np.full(shape, parts.padding, np.int64)
    mask = np.zeros(shape, np.int64)
    segments = np.zeros(shape, np.int64)
    for place, row in enumerate(rows):
        border = len(row.premise) + 2
        ids[place, : len(row)] = [parts.start, *row.premise, parts.between, *row.hypothesis, parts.between]
        mask[place, : len(row)] = 1
        segments[place, border : len(row)] = 1
    return dict(zip(_INPUTS, (ids, mask, segments), strict=True))


def _joined(
    found: Sequence[tuple[_Row, Entailment, list[float]]], text: str, tokens: _Tokens, threshold: float
) -> Reading:
    """Let the least supported piece speak for the hypothesis, and collect the spans of all."""
    entailment = min((entailment for _, entailment, _ in found), key=lambda item: item.entailment)
    unread = tokens.cut or sum(len(row.hypothesis) for row, _, _ in found) < len(tokens.ids)
    if unread:
        entailment = Entailment(0.0, entailment.entailment + entailment.neutral, entailment.contradiction)
    doubts = {row.first + place: value for row, _, values in found for place, value in enumerate(values)}
    return Reading(entailment, _spans(text, tokens, doubts, threshold), any(row.cut for row, _, _ in found))


def _spans(
    text: str, tokens: _Tokens, doubts: dict[int, float], threshold: float
) -> tuple[tuple[int, int, float], ...]:
    """Merge the doubted tokens to whole words, and neighbouring words to one span."""
    numbers = [match.span() for match in _NUMBER.finditer(text)]
    words: dict[tuple[str, int], tuple[int, int, float]] = {}
    for place, value in sorted(doubts.items()):
        start, end = tokens.offsets[place]
        inside = next((number for number, span in enumerate(numbers) if span[0] <= start < span[1]), -1)
        key = ("number", inside) if inside >= 0 else ("word", tokens.words[place] or 0)
        one = words.get(key, (start, end, 0.0))
        words[key] = (one[0], max(one[1], end), max(one[2], 1.0 / (1.0 + math.exp(-max(-60.0, value)))))
    spans: list[tuple[int, int, float]] = []
    for start, end, doubt in words.values():
        if doubt < threshold or not any(char.isalnum() for char in text[start:end]):
            continue
        if spans and not any(char.isalnum() for char in text[spans[-1][1] : start]):
            start, doubt = spans[-1][0], max(doubt, spans.pop()[2])
        spans.append((start, end, doubt))
    return tuple(spans)
