"""Pairs as numbers: tokenised once, batched by length."""

import json
import lzma
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

UNKNOWN_SPANS = -1.0
_CLAIM_AT_MOST = 160


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids of all pairs, ragged."""

    ids: list[np.ndarray[Any, Any]]
    segments: list[np.ndarray[Any, Any]]  # 1 on the claim's tokens
    marks: list[np.ndarray[Any, Any] | None]  # 1 where a token of the claim is unsupported; None when unknown


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Read pairs from plain or packed JSON lines."""
    data = path.read_bytes()
    text = (lzma.decompress(data) if path.suffix == ".xz" else data).decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def encode_pairs(rows: Sequence[dict[str, Any]], field: str, tokenizer: Any, limit: int, *, bert: bool) -> Encoded:
    """Tokenise premise and claim apart, so that the claim is never the part that is cut first."""
    claims = tokenizer.encode_batch([row["claim"] for row in rows], add_special_tokens=False)
    texts = sorted({row[field] for row in rows})
    premises = dict(zip(texts, tokenizer.encode_batch(texts, add_special_tokens=False), strict=True))
    ids, segments, marks = [], [], []
    for row, claim in zip(rows, claims, strict=True):
        claim_ids = claim.ids[:_CLAIM_AT_MOST]
        premise_ids = premises[row[field]].ids[: limit - len(claim_ids) - 3]
        if bert:
            whole = [tokenizer.token_to_id("[CLS]"), *premise_ids, tokenizer.token_to_id("[SEP]")]
            tail = [*claim_ids, tokenizer.token_to_id("[SEP]")]
        else:
            whole = [*premise_ids, *_bridge(tokenizer)]
            tail = [*claim_ids, tokenizer.token_to_id("<|im_end|>")]
        ids.append(np.array(whole + tail, dtype=np.int32))
        segments.append(np.array([0] * len(whole) + [1] * len(tail), dtype=np.int8))
        marks.append(_marks(row, claim.offsets[: len(claim_ids)], len(whole)))
    return Encoded(ids, segments, marks)


def _bridge(tokenizer: Any) -> list[int]:
    return list(tokenizer.encode("\n\nClaim: ", add_special_tokens=False).ids)


def _marks(row: dict[str, Any], offsets: Sequence[tuple[int, int]], before: int) -> np.ndarray[Any, Any] | None:
    spans = row.get("spans")
    if spans is None or (row["label"] != 0 and not spans):
        return None
    marks = [float(any(start < high and end > low for low, high in spans)) for start, end in offsets]
    return np.array([UNKNOWN_SPANS] * before + marks + [UNKNOWN_SPANS], dtype=np.float32)


def batches(
    encoded: Encoded, order: Sequence[int], tokens: int, rng: random.Random | None, device: torch.device
) -> Iterator[tuple[list[int], dict[str, torch.Tensor], torch.Tensor]]:
    """Yield batches of similar length and about the same number of tokens."""
    places = list(order)
    groups: list[list[int]] = []
    chunk = 4096
    for start in range(0, len(places), chunk):
        part = sorted(places[start : start + chunk], key=lambda place: len(encoded.ids[place]))
        group: list[int] = []
        for place in part:
            if group and len(encoded.ids[place]) * (len(group) + 1) > tokens:
                groups.append(group)
                group = []
            group.append(place)
        if group:
            groups.append(group)
    if rng is not None:
        rng.shuffle(groups)
    for group in groups:
        width = max(len(encoded.ids[place]) for place in group)
        ids = np.zeros((len(group), width), dtype=np.int64)
        mask = np.zeros((len(group), width), dtype=np.int64)
        segments = np.zeros((len(group), width), dtype=np.int64)
        marks = np.full((len(group), width), UNKNOWN_SPANS, dtype=np.float32)
        for line, place in enumerate(group):
            length = len(encoded.ids[place])
            ids[line, :length] = encoded.ids[place]
            mask[line, :length] = 1
            segments[line, :length] = encoded.segments[place]
            known = encoded.marks[place]
            if known is not None:
                marks[line, :length] = known
        inputs = {
            "input_ids": torch.from_numpy(ids).to(device, non_blocking=True),
            "attention_mask": torch.from_numpy(mask).to(device, non_blocking=True),
            "token_type_ids": torch.from_numpy(segments).to(device, non_blocking=True),
        }
        yield group, inputs, torch.from_numpy(marks).to(device, non_blocking=True)
