"""Known attack phrasings: sequences of word classes with short gaps, matched in linear time."""

from functools import cache
from typing import NamedTuple

from groundwire.injection.folding import fold
from groundwire.injection.words import Words, classes
from groundwire.text.lexicon import load_rows

_BLOCK = 24  # words; no phrase with its gaps is longer
# Hostile text can put every word of every phrase side by side. Matching stops
# after this many steps per word, and the result says so.
_STEPS_PER_WORD = 60
_STEPS_FREE = 50_000


class Hit(NamedTuple):
    """A phrase found: its rule, its weight, and its first and last word."""

    rule: str
    weight: float
    first: int
    last: int


class _Slot(NamedTuple):
    bit: int
    optional: bool
    gap: int  # words that may be skipped before it


class _Phrase(NamedTuple):
    rule: str
    weight: float
    slots: tuple[_Slot, ...]
    needed: int


class _Book(NamedTuple):
    masks: dict[str, int]  # which classes a word belongs to
    starting: dict[int, list[_Phrase]]  # phrases by the bit of their first slot
    openers: int


@cache
def _book() -> _Book:
    bits: dict[str, int] = {}
    masks: dict[str, int] = {}

    def bit_of(slot: str) -> int:
        if slot not in bits:
            bits[slot] = 1 << len(bits)
            words = classes()[slot[1:-1]] if slot.startswith("{") else {fold(slot).text}
            for word in words:
                masks[word] = masks.get(word, 0) | bits[slot]
        return bits[slot]

    starting: dict[int, list[_Phrase]] = {}
    openers = 0
    for rule, weight, pattern in load_rows("injection_phrases"):
        slots: list[_Slot] = []
        gap = 0
        for part in pattern.split():
            if part.startswith("*"):
                gap = int(part[1:])
                continue
            optional = part.startswith("?")
            slots.append(_Slot(bit_of(part.removeprefix("?")), optional, gap))
            gap = 0
        needed = 0
        for slot in slots:
            needed |= 0 if slot.optional else slot.bit
        phrase = _Phrase(rule, float(weight), tuple(slots), needed)
        starting.setdefault(slots[0].bit, []).append(phrase)
        openers |= slots[0].bit
    return _Book(masks, starting, openers)


def find_phrases(words: Words) -> tuple[list[Hit], bool]:
    """List the phrases found, and tell whether the whole text was looked at."""
    book = _book()
    get = book.masks.get
    masks = [get(word, 0) for word in words.words]
    blocks = [_union(masks[place : place + _BLOCK]) for place in range(0, len(masks), _BLOCK)]
    blocks.append(0)
    hits: list[Hit] = []
    steps = _STEPS_FREE + _STEPS_PER_WORD * len(masks)
    openers = book.openers
    for place, mask in enumerate(masks):
        opening = mask & openers
        if not opening:
            continue
        block = place // _BLOCK
        near = blocks[block] | blocks[block + 1]
        while opening:
            bit = opening & -opening
            opening ^= bit
            for phrase in book.starting[bit]:
                steps -= 1
                if phrase.needed & ~near:
                    continue
                steps -= 12
                last = _match(phrase.slots, masks, place)
                if last >= 0:
                    hits.append(Hit(phrase.rule, phrase.weight, place, last))
        if steps < 0:
            return _best(hits), False
    return _best(hits), True


def _match(slots: tuple[_Slot, ...], masks: list[int], place: int) -> int:
    """Return the last word of the shortest match from this place, -1 without one."""
    # The places at which the next slot may be looked for; a set, so gaps cannot multiply.
    reached = {place + 1}
    size = len(masks)
    for slot in slots[1:]:
        following = set(reached) if slot.optional else set()
        for start in reached:
            for spot in range(start, min(start + slot.gap + 1, size)):
                if masks[spot] & slot.bit:
                    following.add(spot + 1)
        if not following:
            return -1
        reached = following
    return min(reached) - 1


def _best(hits: list[Hit]) -> list[Hit]:
    """Keep the heaviest of hits of one rule that overlap."""
    kept: list[Hit] = []
    last: dict[str, int] = {}
    for hit in sorted(hits, key=lambda hit: (hit.first, hit.last)):
        index = last.get(hit.rule)
        if index is not None and kept[index].last >= hit.first:
            old = kept[index]
            kept[index] = Hit(hit.rule, max(old.weight, hit.weight), old.first, max(old.last, hit.last))
            continue
        last[hit.rule] = len(kept)
        kept.append(hit)
    return kept


def _union(masks: list[int]) -> int:
    total = 0
    for mask in masks:
        total |= mask
    return total
