"""Citations as people write them - [1], footnotes, author and year, addresses - followed to the evidence."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from groundwire.audit.answer import pointer_options
from groundwire.audit.evidence_map import EvidenceDocument, EvidenceIndex, EvidenceMap, open_evidence
from groundwire.audit.lattice import audit_claims
from groundwire.audit.pointers import Tag, parse_tagged, pointer_tags
from groundwire.audit.policy import AuditPolicy
from groundwire.audit.results import LatticeAudit
from groundwire.ledger import hash_text
from groundwire.text.lexical import line_ranges
from groundwire.text.lexicon import load_words
from groundwire.text.normal_form import normal_form
from groundwire.types import EvidenceObject

_MAX_RANGE: Final = 20
_NUMERIC = re.compile(
    r"\[\s{0,3}\d{1,4}(?:\s{0,3}[,;–-]\s{0,3}\d{1,4})*+\s{0,3}\](?!\()|【\d{1,4}(?:†[^】\n]{0,80})?】"
)
_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,40})\](?!:)")
_MARKDOWN_LINK = re.compile(r"\[[^\[\]\n]{1,200}\]\(https?://")
_LINK_TARGET = re.compile(r"\]\((https?://[^\s()]{1,2000})\)")
_URL = re.compile(r"[(<]?\bhttps?://[^\s<>\"')\]]{1,2000}[)>]?")
_AUTHOR: Final = r"[^\W\d_][\w'’-]{1,40}"
_AUTHOR_YEAR = re.compile(
    rf"{_AUTHOR}(?:(?:,? (?:and|&)|,) {_AUTHOR}){{0,3}}(?: et al\.?)?,? ?(?P<year>(?:1[5-9]|20)\d\d)[a-z]?"
)
_PARENTHETICAL = re.compile(r"\(([^()\n]{6,300})\)")
_NARRATIVE = re.compile(
    rf"\b{_AUTHOR}(?:(?:,? (?:and|&)) {_AUTHOR})?(?: et al\.?)? \((?P<year>(?:1[5-9]|20)\d\d)[a-z]?\)"
)
_DEFINITION = re.compile(r"\[\^?([^\]\s]{1,40})\]:?[ \t]+(\S.*)$")


@dataclass(frozen=True, slots=True)
class Reference:
    """How an entry of the evidence map may be cited."""

    pointer_id: str
    title: str = ""
    url: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None


def references_for(
    evidence_map: EvidenceMap | EvidenceIndex, documents: Iterable[EvidenceDocument] = ()
) -> list[Reference]:
    """List how each entry may be cited, with what its document says of itself."""
    by_root = {hash_text(document.text): document for document in documents}
    references: list[Reference] = []
    for entry in open_evidence(evidence_map).entries.values():
        document = by_root.get(entry.source_root)
        references.append(
            Reference(entry.pointer_id, entry.title)
            if document is None
            else Reference(entry.pointer_id, entry.title, document.url, document.authors, document.year)
        )
    return references


def verify_citations(
    answer_text: str,
    evidence_map: EvidenceMap | EvidenceIndex,
    *,
    references: Sequence[Reference] | None = None,
    question: str | None = None,
    policy: AuditPolicy | None = None,
) -> LatticeAudit:
    """Audit an answer that cites in any of the usual styles; pointers like [E1] work too."""
    evidence = open_evidence(evidence_map)
    policy = policy or AuditPolicy()
    finder = _Finder(answer_text, references if references is not None else references_for(evidence), evidence.entries)
    body = finder.body(answer_text)
    return audit_claims(
        body,
        parse_tagged(body, finder.tags),
        evidence,
        allowed_source_roles=policy.allowed_source_roles,
        min_citation_coverage=policy.min_citation_coverage,
        max_claims_per_answer=policy.max_claims_per_answer,
        subject_tokens_absent_threshold=policy.subject_tokens_absent_threshold,
        question=question,
        warrant_check_enabled=policy.warrant_check_enabled,
        deflection_check_enabled=policy.deflection_check_enabled,
        warrant_chain_roots=frozenset(policy.warrant_chain_roots),
        **{**pointer_options(policy), "format_collapse_check_enabled": False},
    )


class _Finder:
    """Reads the citations of one answer; its reference list, if it has one, comes first."""

    def __init__(self, answer: str, references: Sequence[Reference], entries: Mapping[str, EvidenceObject]) -> None:
        self._references = references
        self._entries = entries
        self._listed, self._list_ranges = _reference_list(answer)

    def body(self, answer: str) -> str:
        """Blank out the reference list, so that its lines are no claims; places stay."""
        characters = list(answer)
        for match in _MARKDOWN_LINK.finditer(answer):
            characters[match.start()] = " "
        for start, end in self._list_ranges:
            characters[start:end] = " " * (end - start)
        return "".join(characters)

    def tags(self, text: str, start: int, end: int) -> list[Tag]:
        """Find the citations of a line, leftmost first and without overlaps."""
        found = [*pointer_tags(text, start, end)]
        found += [
            Tag(match.start(), match.end(), tuple(self._numbered(label) for label in _numbers(match.group())))
            for match in _NUMERIC.finditer(text, start, end)
        ]
        found += [
            Tag(match.start(), match.end(), (self._numbered(match.group(1)),))
            for match in _FOOTNOTE.finditer(text, start, end)
        ]
        # The label of a link stays in the claim; only the address is the citation.
        found += [
            Tag(match.start(), match.end(), (self._address(match.group(1)),))
            for match in _LINK_TARGET.finditer(text, start, end)
        ]
        found += [
            Tag(match.start(), match.end(), (self._address(match.group().strip("()<>")),))
            for match in _URL.finditer(text, start, end)
        ]
        found.extend(self._author_years(text, start, end))
        kept: list[Tag] = []
        for tag in sorted(found, key=lambda tag: (tag.start, -tag.end)):
            if not kept or tag.start >= kept[-1].end:
                kept.append(tag)
        return kept

    def _author_years(self, text: str, start: int, end: int) -> list[Tag]:
        found: list[Tag] = []
        for match in _PARENTHETICAL.finditer(text, start, end):
            cited = [_AUTHOR_YEAR.fullmatch(part.strip()) for part in match.group(1).split(";")]
            works = [work for work in cited if work is not None]
            if works and len(works) == len(cited):
                ids = tuple(self._work(work.group(), int(work.group("year"))) for work in works)
                found.append(Tag(match.start(), match.end(), ids))
        for match in _NARRATIVE.finditer(text, start, end):
            pointer_id = self._work(match.group(), int(match.group("year")))
            opening = match.group().rindex("(")
            if pointer_id in self._entries:
                # The name belongs to the sentence, the year in parentheses is the citation.
                found.append(Tag(match.start() + opening, match.end(), (pointer_id,)))
        return found

    def _numbered(self, label: str) -> str:
        """Follow a number through the answer's own list, else to the entry of that number."""
        if label in self._listed:
            return self._described(self._listed[label]) or f"[{label}]"
        return f"E{label}" if f"E{label}" in self._entries else f"[{label}]"

    def _described(self, text: str) -> str | None:
        """Find the entry that a line of a reference list describes."""
        for match in _URL.finditer(text):
            address = self._address(match.group().strip("()<>"))
            if address in self._entries:
                return address
        said = normal_form(text)
        for reference in self._references:
            if reference.pointer_id in text.split() or (reference.title and normal_form(reference.title) in said):
                return reference.pointer_id
        for match in _AUTHOR_YEAR.finditer(text):
            work = self._work(match.group(), int(match.group("year")))
            if work in self._entries:
                return work
        return None

    def _address(self, url: str) -> str:
        wanted = _canonical_url(url)
        matches = (item.pointer_id for item in self._references if item.url and _canonical_url(item.url) == wanted)
        return next(matches, url.rstrip(".,;:!?"))

    def _work(self, written: str, year: int) -> str:
        surname = _surname(written)
        for reference in self._references:
            names = {normal_form(author).split(" ")[-1] for author in reference.authors}
            known = surname in names or (not names and surname in normal_form(reference.title).split(" "))
            dated = reference.year == year or (reference.year is None and str(year) in reference.title)
            if known and dated:
                return reference.pointer_id
        return written.strip()


def _surname(written: str) -> str:
    """Return the first surname of an author-year citation in normal form."""
    return normal_form(re.split(r"[\s,]", written.strip(), maxsplit=1)[0])


def _numbers(tag: str) -> list[str]:
    """Read `1, 3-5` as 1, 3, 4, 5; a long range is left as its ends."""
    labels: list[str] = []
    for part in re.split(r"[,;]", tag.strip("[]【】").split("†")[0]):
        ends = [piece.strip() for piece in re.split(r"[–-]", part) if piece.strip()]
        if len(ends) == 2 and 0 < int(ends[1]) - int(ends[0]) <= _MAX_RANGE:
            labels += [str(number) for number in range(int(ends[0]), int(ends[1]) + 1)]
        else:
            labels += [str(int(piece)) for piece in ends]
    return labels


def _reference_list(answer: str) -> tuple[dict[str, str], list[tuple[int, int]]]:
    """Read footnote definitions and the reference list at the end of an answer."""
    listed: dict[str, str] = {}
    ranges: list[tuple[int, int]] = []
    in_list = False
    for start, end in line_ranges(answer):
        line = answer[start:end]
        if line.strip("#*: \t").lower() in load_words("audit_reference_headings"):
            in_list = True
            ranges.append((start, end))
            continue
        definition = _DEFINITION.match(line)
        numbered = re.match(r"(\d{1,4})[.)][ \t]+(\S.*)$", line) if in_list else None
        if definition is not None and (in_list or line.startswith("[^") or "]:" in line):
            listed[definition.group(1)] = definition.group(2)
        elif numbered is not None:
            listed[numbered.group(1)] = numbered.group(2)
        elif not in_list:
            continue
        ranges.append((start, end))
    return listed, ranges


def _canonical_url(url: str) -> tuple[str, str, str]:
    """Compare addresses without scheme, www, fragment, tracking and a final slash."""
    try:
        parts = urlsplit(url.strip().rstrip(".,;:!?"))
    except ValueError:
        return ("", url, "")
    query = "&".join(part for part in sorted(parts.query.split("&")) if part and not part.startswith("utm_"))
    return (parts.netloc.lower().removeprefix("www."), parts.path.rstrip("/"), query)
