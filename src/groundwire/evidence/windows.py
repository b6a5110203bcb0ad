"""Pack the sentences that bear on a claim into one window of text for a model."""

import math
from collections.abc import Callable, Sequence

from groundwire.evidence.index import Evidence, SourceIndex
from groundwire.text.meaning import synonyms
from groundwire.text.sentences import split_cells

# Between sentences that do not follow one another in the source.
GAP = " ... "
# A word that no sentence holds has no weight of its own; a word held again adds little; long sentences cost.
_FOREIGN = 0.1
_AGAIN = 0.1
_LENGTH = 0.3


def pack_window(
    index: SourceIndex, candidates: Sequence[Evidence], keys: Sequence[str], budget: int,
    count_tokens: Callable[[str], int],
) -> tuple[Evidence, ...]:  # fmt: skip
    """Choose sentences within a budget of tokens so that together they hold most of a claim, in their order.

    `keys` are the claim's stems and numbers as the index knows them. Each next
    sentence is the one that adds most of what is still missing for its length.
    """
    weights = {key: index.weight(key) or _FOREIGN for key in keys}
    holds = {item.index: _held(item, weights) for item in candidates}
    chosen: dict[int, Evidence] = {}
    covered: set[str] = set()
    left = budget

    def take(item: Evidence) -> None:
        nonlocal left
        chosen[item.index] = item
        left -= count_tokens(readable(item)) + 1

    def fits(item: Evidence) -> bool:
        return item.index not in chosen and count_tokens(readable(item)) <= left

    def gain(item: Evidence) -> float:
        held = holds[item.index]
        new = math.fsum(weights[key] for key in held - covered)
        again = math.fsum(weights[key] for key in held & covered)
        length = float(max(1, count_tokens(readable(item))))
        return (new + _AGAIN * again) / math.pow(length, _LENGTH)

    while True:
        # The best sentence stays even if it is too long: the model cuts it.
        open_ = [item for item in candidates if fits(item) or not chosen]
        if not open_:
            break
        best = max(open_, key=lambda item: (round(gain(item), 9), -item.index))
        take(best)
        covered |= holds[best.index]
        if len(chosen) == 1:
            # Whom a pronoun means stands mostly in the sentence before.
            for before in index.window(best):
                if before.index < best.index and fits(before):
                    take(before)
    for item in list(chosen.values()):
        for near in index.window(item):
            if fits(near):
                take(near)
    return tuple(chosen[place] for place in sorted(chosen))


def _held(item: Evidence, weights: dict[str, float]) -> frozenset[str]:
    """Collect the keys of a claim that a sentence holds, also by a word of the same meaning."""
    return frozenset(
        key
        for key in weights
        if (key[1:] in item.numbers if key[0] == "#" else key in item.stems or not item.stems.isdisjoint(synonyms(key)))
    )


def window_text(items: Sequence[Evidence]) -> str:
    """Write packed sentences as one text that shows where something was left out."""
    parts: list[str] = []
    for place, item in enumerate(items):
        if place:
            before = items[place - 1]
            follows = item.index == before.index + 1 and item.source_id == before.source_id
            parts.append(" " if follows else GAP)
        parts.append(readable(item))
    return "".join(parts)


def readable(item: Evidence) -> str:
    """Write a sentence so that it can be read alone: a table row names its columns."""
    if not item.header:
        return item.text
    cells = [cell.strip() for cell, _, _ in split_cells(item.text)]
    return "; ".join(f"{name.strip()}: {cell}" for name, cell in zip(item.header, cells, strict=False) if cell) + "."
