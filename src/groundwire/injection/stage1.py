"""Stage 1: read one text with rules and the learned model, and say what was seen where."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, partial

from groundwire.injection.context import TALKED_ABOUT, covering, discount, quotations
from groundwire.injection.encodings import decode
from groundwire.injection.folding import Folded, fold
from groundwire.injection.learned import Reading as Windows
from groundwire.injection.learned import load_model
from groundwire.injection.markers import find_hidden, find_marks
from groundwire.injection.patterns import find_phrases
from groundwire.injection.words import Words, find_words
from groundwire.text.lexicon import load_map, load_rows
from groundwire.types import InjectionFinding

MAX_CHARS = 16_000_000
MAX_DEPTH = 5
MAX_FINDINGS = 200
_CHUNK = 400_000  # characters folded at a time: memory stays flat
_OVERLAP = 600
_MAX_PAYLOADS = 2_000
# Below even odds the learned model says nothing, so that ordinary text scores 0.
_QUIET = 0.5
_HIDDEN_WEIGHT = 0.80
_ENCODED_WEIGHT = 0.85
_NESTED_WEIGHT = 0.65

Span = Callable[[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Reading:
    """What stage 1 says of one text."""

    score: float
    rules: float
    probability: float
    findings: tuple[InjectionFinding, ...]
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Desk:
    """What is gathered while a text is read."""

    findings: list[InjectionFinding]
    notes: dict[str, None]
    budget: int
    payloads: int = _MAX_PAYLOADS


def read(text: str, allowed: Iterable[str] = (), silent: Iterable[str] = ()) -> Reading:
    """Read a text; parts equal to an allowed phrase and rules named silent do not count."""
    desk = _Desk([], {}, 2 * len(text) + 100_000)
    if len(text) > MAX_CHARS:
        desk.notes[f"only the first {MAX_CHARS:,} characters were scanned"] = None
        text = text[:MAX_CHARS]
    text = _without(text, allowed, desk)
    muted = frozenset(silent)
    probe = None if "learned" in muted else _Probe()
    for start, end in _chunks(text):
        _read_chunk(text[start:end], start, desk, probe)
    found = [item for item in _distinct(desk.findings) if item.rule not in muted]
    rules = combined(found)
    kinds = len({item.rule for item in found})
    probability = probe.probability(rules, kinds) if probe else 0.0
    score = max(rules, probability if probability >= _QUIET else 0.0)
    if probe and probability >= _QUIET:
        found.append(_finding("learned", probe.start, probe.end, probability))
    if len(found) > MAX_FINDINGS:
        desk.notes[f"{len(found) - MAX_FINDINGS} further findings are not listed"] = None
        found = sorted(found, key=lambda item: -item.weight)[:MAX_FINDINGS]
    found.sort(key=lambda item: (item.start, item.end, item.rule))
    return Reading(score, rules, probability, tuple(found), tuple(desk.notes))


def own_words(text: str) -> list[str]:
    """List the words the learned model reads: all but the quotations that the text only talks about."""
    folded = fold(text)
    words = find_words(folded.text)
    quoted = quotations(folded.text)
    reported = [
        (item.start, item.end)
        for item, first, last in _phrases(folded, words, _Desk([], {}, 0))
        if discount(item.start, item.end, first, last, folded.text, words, quoted) <= TALKED_ABOUT
    ]
    return _unquoted(words, quoted, reported).words


def combined(findings: Iterable[InjectionFinding]) -> float:
    """Join the heaviest finding of each rule: 1 minus the product of what each leaves open."""
    heaviest: dict[str, float] = {}
    for item in findings:
        heaviest[item.rule] = max(item.weight, heaviest.get(item.rule, 0.0))
    left = 1.0
    for rule in sorted(heaviest):
        left *= 1.0 - heaviest[rule]
    return 1.0 - left


class _Probe:
    """The learned model's view of a text that comes in chunks."""

    def __init__(self) -> None:
        self.highest = self.total = 0.0
        self.windows = self.words = self.start = self.end = 0

    def see(self, words: Words, folded: Folded, offset: int) -> None:
        """Read the words of one chunk."""
        reading = load_model().read(words.words)
        if reading is None:
            return
        if not self.windows or reading.highest > self.highest:
            self.highest = reading.highest
            start, end = folded.span(words.starts[reading.first], words.ends[reading.last])
            self.start, self.end = start + offset, end + offset
        self.total += reading.mean * reading.windows
        self.windows += reading.windows
        self.words += reading.words

    def probability(self, rules: float, kinds: int) -> float:
        """Return the calibrated chance of an attack, 0 for a text without words."""
        if not self.windows:
            return 0.0
        whole = Windows(self.highest, self.total / self.windows, self.windows, self.words)
        return load_model().probability(whole, rules, kinds)


def _read_chunk(text: str, offset: int, desk: _Desk, probe: _Probe | None) -> None:
    folded = fold(text)
    words = find_words(folded.text)
    rules = {(region.start, region.end): region.rule for region in find_hidden(text)}
    places = sorted(rules)
    for mark in find_marks(text):
        desk.findings.append(_finding(mark.rule, mark.start + offset, mark.end + offset, mark.weight))
    quoted = quotations(folded.text)
    reported: list[tuple[int, int]] = []
    for item, first, last in _phrases(folded, words, desk):
        left = discount(item.start, item.end, first, last, folded.text, words, quoted)
        if left <= TALKED_ABOUT:
            reported.append((item.start, item.end))
        start, end = folded.span(item.start, item.end)
        desk.findings.append(replace(item, start=start + offset, end=end + offset, weight=round(item.weight * left, 4)))
        if left < 1.0:
            continue
        around = covering(places, start, end)
        if around is not None:
            rule = rules[around]
            desk.findings.append(_finding(rule, around[0] + offset, around[1] + offset, _HIDDEN_WEIGHT))
    if probe:
        probe.see(_unquoted(words, quoted, reported), folded, offset)
    _payloads(text, folded, words, lambda a, b: (a + offset, b + offset), (), desk)


def _phrases(folded: Folded, words: Words, desk: _Desk) -> Iterable[tuple[InjectionFinding, int, int]]:
    """Yield the phrases of a folded text, with their first and last word; offsets are folded ones."""
    hits, complete = find_phrases(words)
    if not complete:
        desk.notes["the search for phrases stopped at its limit"] = None
    for hit in hits:
        yield _finding(hit.rule, words.starts[hit.first], words.ends[hit.last], hit.weight), hit.first, hit.last
    if not folded.text.isascii():
        for match in _unspaced().finditer(folded.text):
            rule, weight = _unspaced_rules()[match.group()]
            yield _finding(rule, match.start(), match.end(), weight), 0, 0


def _payloads(text: str, folded: Folded, words: Words, place: Span, chain: tuple[str, ...], desk: _Desk) -> None:
    """Decode what is encoded, read it, and go on inside it."""
    for item in decode(text, folded.text, words, folded.span):
        if desk.payloads <= 0 or desk.budget < len(item.text):
            desk.notes["not every encoded part was decoded: the limit was reached"] = None
            return
        desk.payloads -= 1
        desk.budget -= len(item.text)
        start, end = place(item.start, item.end)
        if item.text == text:
            continue
        kinds = (*chain, item.kind)
        if len(kinds) >= MAX_DEPTH:
            desk.notes[f"encodings were followed to depth {MAX_DEPTH} only"] = None
            desk.findings.append(_finding("nested_encoding", start, end, _NESTED_WEIGHT, " in ".join(kinds[::-1])))
            continue
        inner = fold(item.text)
        inner_words = find_words(inner.text)
        found = [hit for hit, _, _ in _phrases(inner, inner_words, desk)]
        if found:
            best = max(found, key=lambda hit: hit.weight)
            weight = max(_ENCODED_WEIGHT, best.weight) if best.weight >= 0.5 else best.weight
            detail = f"{' in '.join(kinds[::-1])}: {best.meaning}"
            desk.findings.append(_finding("encoded_payload", start, end, weight, detail))
        _payloads(item.text, inner, inner_words, partial(_always, (start, end)), kinds, desk)


def _always(span: tuple[int, int], _start: int, _end: int) -> tuple[int, int]:
    return span


def _unquoted(words: Words, quoted: list[tuple[int, int]], reported: list[tuple[int, int]]) -> Words:
    """Leave out the quotations that the text only talks about: the model must not read them as its own words."""
    spans = sorted({span for start, end in reported if (span := covering(quoted, start, end)) is not None})
    if not spans:
        return words
    kept = [row for row in zip(*words, strict=True) if covering(spans, row[1], row[2]) is None]
    return Words([row[0] for row in kept], [row[1] for row in kept], [row[2] for row in kept])


def _finding(rule: str, start: int, end: int, weight: float, detail: str = "") -> InjectionFinding:
    return InjectionFinding(rule, start, end, round(weight, 4), meaning=_meanings()[rule], detail=detail)


def _distinct(findings: Iterable[InjectionFinding]) -> list[InjectionFinding]:
    """Keep one of equal findings and the longest of those of one rule that start at one place."""
    kept: dict[tuple[str, int, str], InjectionFinding] = {}
    for item in findings:
        key = (item.rule, item.start, item.detail)
        # Where two chunks overlap a phrase is seen twice, once perhaps cut.
        if key not in kept or (kept[key].end, kept[key].weight) < (item.end, item.weight):
            kept[key] = item
    return list(kept.values())


def _chunks(text: str) -> Iterable[tuple[int, int]]:
    start = 0
    while start < len(text) or start == 0:
        end = min(len(text), start + _CHUNK)
        yield start, end
        if end == len(text):
            return
        # Overlap, so that a phrase across the border is seen whole.
        start = end - _OVERLAP


def _without(text: str, allowed: Iterable[str], desk: _Desk) -> str:
    """Blank the allowed phrases, so that offsets stay."""
    for phrase in allowed:
        words = phrase.split()
        if not words:
            continue
        pattern = re.compile(r"\s{1,20}".join(re.escape(word) for word in words), re.I)
        text, count = pattern.subn(lambda match: " " * len(match.group()), text)
        if count:
            desk.notes[f"{count} allowed passage(s) were left out"] = None
    return text


@cache
def _meanings() -> dict[str, str]:
    return {row[0]: row[2] for row in load_rows("injection_rules")}


@cache
def families() -> dict[str, str]:
    """Map each rule to its family."""
    return load_map("injection_rules")


@cache
def _unspaced_rules() -> dict[str, tuple[str, float]]:
    return {fold(phrase).text: (rule, float(weight)) for rule, weight, phrase in load_rows("injection_unspaced")}


@cache
def _unspaced() -> re.Pattern[str]:
    longest_first = sorted(_unspaced_rules(), key=len, reverse=True)
    return re.compile("|".join(re.escape(phrase) for phrase in longest_first))
