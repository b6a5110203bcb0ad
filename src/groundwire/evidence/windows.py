"""Pack the sentences that bear on a claim into one window of text for a model."""

from collections.abc import Callable, Sequence

from groundwire.evidence.index import Evidence, SourceIndex
from groundwire.text.sentences import split_cells

# Between sentences that do not follow one another in the source.
GAP = " ... "


def pack_window(
    index: SourceIndex, candidates: Sequence[Evidence], budget: int, count_tokens: Callable[[str], int]
) -> tuple[Evidence, ...]:
    """Choose sentences within a budget of tokens, the best with what stands around it, in their order."""
    chosen: dict[int, Evidence] = {}
    left = budget
    for item in _wish_list(index, candidates):
        if item.index in chosen:
            continue
        tokens = count_tokens(readable(item))
        # The best sentence stays even if it is too long: the model cuts it.
        if tokens <= left or not chosen:
            chosen[item.index] = item
            left -= tokens + 1
        if left <= 0:
            break
    return tuple(chosen[place] for place in sorted(chosen))


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


def _wish_list(index: SourceIndex, candidates: Sequence[Evidence]) -> list[Evidence]:
    """Order the sentences by how much they are wanted: names of the best are often in the sentence before it."""
    if not candidates:
        return []
    best = candidates[0]
    around = [item for item in index.window(best) if item.index != best.index]
    before = [item for item in around if item.index < best.index]
    after = [item for item in around if item.index > best.index]
    wishes = [best, *before, *candidates[1:3], *after, *candidates[3:]]
    for item in candidates[1:]:
        wishes.extend(index.window(item))
    return wishes
