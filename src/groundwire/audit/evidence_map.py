"""Numbered evidence for a model to cite, with ids that stay the same across runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from groundwire.errors import InputError, InputTypeError
from groundwire.ledger import hash_text
from groundwire.text.lexical import WordSet, line_ranges, sentence_ranges, word_set
from groundwire.text.normal_form import normal_form
from groundwire.types import EvidenceObject

DEFAULT_ALLOWED_SOURCE_ROLES: Final = (
    "primary_answer_source",
    "secondary_context_source",
    "background_source",
    "unclassified",
)
EVIDENCE_ID_DIGITS: Final = 8
_SEPARATOR: Final = "\x1f"


@dataclass(frozen=True, slots=True)
class EvidenceDocument:
    """A document to cut evidence from; url, authors and year serve citations in the answer."""

    id: str
    text: str
    title: str = ""
    role: str = "unclassified"
    url: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None


@dataclass(frozen=True, slots=True)
class SpanIndex:
    """A cited span: its words, and its sentences as ranges with their words."""

    words: WordSet
    sentences: tuple[tuple[int, int, WordSet], ...]


@dataclass(frozen=True, slots=True)
class EvidenceIndex:
    """An evidence map read once and asked by many answers."""

    entries: dict[str, EvidenceObject]
    # Complete in a shared index; an index of one call is filled as spans are cited.
    spans: dict[str, SpanIndex]

    def span(self, pointer_id: str) -> SpanIndex:
        """Return a span as words and sentences."""
        if pointer_id not in self.spans:
            self.spans[pointer_id] = _span_index(self.entries[pointer_id].span)
        return self.spans[pointer_id]


EvidenceMap = Sequence[EvidenceObject] | Mapping[str, EvidenceObject]


def build_evidence_map(
    documents: Iterable[EvidenceDocument], *, max_span_chars: int | None = None
) -> list[EvidenceObject]:
    """Number documents, or their passages up to a length, as evidence for a prompt."""
    if max_span_chars is not None and max_span_chars < 1:
        raise InputError(f"max_span_chars is {max_span_chars}.", fix="give a positive number, or None for whole texts")
    found: list[tuple[EvidenceDocument, str, int, int]] = []
    for document in documents:
        root = hash_text(document.text)
        found.extend((document, root, start, end) for start, end in _passages(document.text, max_span_chars))
    ids = _evidence_ids([(root, normal_form(document.text[start:end])) for document, root, start, end in found])
    return [
        EvidenceObject(
            pointer_id=f"E{number}",
            evidence_id=evidence_id,
            span=document.text[start:end],
            title=document.title,
            source_role=document.role,
            source_root=root,
        )
        for number, (evidence_id, (document, root, start, end)) in enumerate(zip(ids, found, strict=True), start=1)
    ]


def locate_evidence(entry: EvidenceObject, documents: Iterable[EvidenceDocument]) -> tuple[str, int, int] | None:
    """Return the id of the document an entry was cut from and the range of its span there."""
    for document in documents:
        start = document.text.find(entry.span)
        if start >= 0 and hash_text(document.text) == entry.source_root:
            return document.id, start, start + len(entry.span)
    return None


def evidence_map_by_pointer_id(evidence_map: EvidenceMap) -> dict[str, EvidenceObject]:
    """Key evidence by the ids shown to the model, and refuse a pointer that stands twice."""
    entries: dict[str, EvidenceObject] = {}
    for entry in evidence_map.values() if isinstance(evidence_map, Mapping) else evidence_map:
        if not isinstance(entry, EvidenceObject):
            raise InputTypeError(
                f"An entry of the evidence map is of type {type(entry).__name__}.",
                fix="build EvidenceObject values, for example with evidence_from_dicts",
            )
        if entry.pointer_id in entries:
            raise InputError(
                f"The pointer {entry.pointer_id} stands twice in the evidence map.",
                why="a citation of it would be ambiguous",
                fix="number the entries E1, E2, … once each",
            )
        entries[entry.pointer_id] = entry
    return entries


def evidence_map_by_evidence_id(evidence_map: EvidenceMap) -> dict[str, EvidenceObject]:
    """Key evidence by its content ids; of equal evidence the first entry stays."""
    entries: dict[str, EvidenceObject] = {}
    for entry in evidence_map_by_pointer_id(evidence_map).values():
        entries.setdefault(entry.evidence_id, entry)
    return entries


def evidence_from_dicts(items: object) -> list[EvidenceObject]:
    """Read evidence from parsed JSON: a list of objects with at least pointer_id and span."""
    if not isinstance(items, list):
        raise InputError("The evidence map is not a list.", fix="give a JSON list of evidence objects")
    entries: list[EvidenceObject] = []
    for place, item in enumerate(items):
        if not isinstance(item, Mapping):
            raise InputError(f"Entry {place} of the evidence map is not an object.", fix="give one object per entry")
        for name in ("pointer_id", "span"):
            if not isinstance(item.get(name), str) or not item[name]:
                raise InputError(f"Entry {place} of the evidence map has no {name!r}.", fix=f"give {name} as a text")
        fields = {name: item.get(name, "") for name in ("evidence_id", "title", "source_role", "source_root")}
        wrong = [name for name, value in fields.items() if not isinstance(value, str)]
        if wrong:
            raise InputError(f"{wrong[0]!r} in entry {place} of the evidence map is no text.", fix="give a text")
        root = fields["source_root"] or hash_text(item["span"])
        entries.append(
            EvidenceObject(
                pointer_id=item["pointer_id"],
                evidence_id=fields["evidence_id"] or _evidence_ids([(root, normal_form(item["span"]))])[0],
                span=item["span"],
                title=fields["title"],
                source_role=fields["source_role"] or "unclassified",
                source_root=root,
            )
        )
    evidence_map_by_pointer_id(entries)
    return entries


def index_evidence(evidence_map: EvidenceMap) -> EvidenceIndex:
    """Read a whole evidence map, to audit many answers against it."""
    entries = evidence_map_by_pointer_id(evidence_map)
    return EvidenceIndex(entries, {pointer_id: _span_index(entry.span) for pointer_id, entry in entries.items()})


def open_evidence(evidence_map: EvidenceMap | EvidenceIndex) -> EvidenceIndex:
    """Prepare an evidence map for one answer; a finished index comes back as it is."""
    if isinstance(evidence_map, EvidenceIndex):
        return evidence_map
    return EvidenceIndex(evidence_map_by_pointer_id(evidence_map), {})


def densest_sentence(span: SpanIndex, tokens: Sequence[str]) -> tuple[int, int]:
    """Return the range of the sentence that holds most of the tokens."""
    best = max(
        span.sentences,
        # Of equally full sentences the shorter one says it more densely.
        key=lambda item: (sum(item[2].has(token) for token in tokens), item[0] - item[1]),
        default=None,
    )
    return (0, 0) if best is None else best[:2]


def _span_index(span: str) -> SpanIndex:
    ranges = [piece for start, end in line_ranges(span) for piece in sentence_ranges(span, start, end)]
    sentences = tuple((start, end, word_set(span[start:end])) for start, end in ranges)
    if len(sentences) == 1:
        return SpanIndex(sentences[0][2], sentences)
    # Sentences are cut at white space, so that their words are the words of the span.
    words = frozenset().union(*(words.words for _, _, words in sentences))
    return SpanIndex(WordSet(normal_form(span), words), sentences)


def _passages(text: str, max_chars: int | None) -> list[tuple[int, int]]:
    """Cut a text at sentence ends into passages; a longer sentence stays whole."""
    sentences = [piece for start, end in line_ranges(text) for piece in sentence_ranges(text, start, end)]
    if not sentences:
        return []
    if max_chars is None:
        return [(sentences[0][0], sentences[-1][1])]
    passages: list[tuple[int, int]] = []
    for start, end in sentences:
        if passages and end - passages[-1][0] <= max_chars:
            passages[-1] = (passages[-1][0], end)
        else:
            passages.append((start, end))
    return passages


def _evidence_ids(contents: Sequence[tuple[str, str]]) -> list[str]:
    """Shorten the content hashes, and lengthen them where different contents would share one."""
    hashes = [hash_text(f"{root}{_SEPARATOR}{span}") for root, span in contents]
    distinct = set(hashes)
    digits = EVIDENCE_ID_DIGITS
    while len({value[:digits] for value in distinct}) < len(distinct):
        digits += 1
    return [f"E{value[:digits]}" for value in hashes]
