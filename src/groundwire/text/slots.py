"""The slot of a quantity: the words around it that say what it measures."""

import re
from collections.abc import Sequence

from groundwire.text.quantity import Quantity
from groundwire.text.tokens import Word

_SLOT_WORDS = 8
_SLOT_STOP = re.compile(r"[;:!?()\[\]|—]|,\s|\.\s")


def with_slot(
    quantity: Quantity,
    place: int,
    quantities: Sequence[Quantity],
    borders: Sequence[tuple[int, bool]],
    words: Sequence[Word],
    text: str,
) -> Quantity:
    """Attach to a quantity the words that say what it measures."""
    # A weekday or year before a number labels it; another amount begins a slot of its own.
    left = max((end for end, label in borders[:place] if not label), default=0)
    right = quantities[place + 1].start if place + 1 < len(quantities) else len(text)
    before: list[str] = []
    far: list[str] = []
    reached = quantity.start
    for word in reversed(words):
        if word.end > quantity.start:
            continue
        if reached - word.end > 1 and _SLOT_STOP.search(text, word.end, reached):
            left = max(left, word.end)  # a comma ends the slot
        reached = word.start
        if not word.content:
            continue
        if len(before) + len(far) == _SLOT_WORDS:
            break
        # Words on the far side of another quantity describe that one first.
        (before if word.start >= left else far).append(word.stem)
    after: list[str] = list(quantity.after)
    end = quantity.end
    for word in words:
        if word.start < quantity.end:
            continue
        if (
            word.start >= right
            or len(after) == 3
            or (word.start - end > 1 and _SLOT_STOP.search(text, end, word.start))
        ):
            break
        if word.content:
            after.append(word.stem)
        elif after:
            break
        end = word.end
    values = {name: getattr(quantity, name) for name in Quantity.__slots__}
    return Quantity(**(values | {"before": (*before, *far), "near": len(before), "after": tuple(after)}))
