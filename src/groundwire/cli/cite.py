"""The command that follows citations in the styles people write."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundwire.cli import inputs
from groundwire.cli.audit import NOT_STRICT, STRICT, read_json, show
from groundwire.cli.options import (
    AsJson,
    Html,
    PolicyFile,
    Question,
    Quiet,
    ResponseFile,
    ResponsePath,
    ResponseText,
    SourceFiles,
    SourceTexts,
)
from groundwire.errors import InputError

if TYPE_CHECKING:
    from groundwire.audit import EvidenceDocument

_TEXT_FIELDS = ("id", "title", "role", "url")


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("cite")(cite)


def cite(
    response_path: ResponsePath = None,
    source_paths: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE_FILE]...", help="The sources; the first one is [1].")
    ] = None,
    response: ResponseText = None,
    source: SourceTexts = None,
    response_file: ResponseFile = None,
    source_file: SourceFiles = None,
    documents: Annotated[
        str | None,
        typer.Option(
            "--documents",
            metavar="FILE",
            help="Sources as a JSON list of objects with text, and title, url, authors, year, role where known.",
        ),
    ] = None,
    question: Question = None,
    policy: PolicyFile = None,
    as_json: AsJson = False,
    html: Html = None,
    quiet: Quiet = False,
) -> int:
    """Follow [1], footnotes, (Author, 2020), addresses and [E1] to the sources, and say which are wrong.

    Exit status: 0 STRICT, 1 not STRICT, 2 usage or input error.
    """
    from groundwire.audit import AuditPolicy, EvidenceDocument, build_evidence_map, references_for, verify_citations
    from groundwire.audit.explain import explain_audit

    responses = [path for path in (response_path, response_file) if path is not None]
    paths = [*(source_paths or ()), *(source_file or ())]
    inputs.refuse_two_readers_of_stdin([*responses, *paths, *([documents] if documents else [])])
    chosen = AuditPolicy() if policy is None else AuditPolicy.from_yaml(policy)
    answer = inputs.read_response(response, responses)
    if documents is not None and (source or paths):
        raise InputError("Both sources and documents were given.", fix="keep one of them")
    if documents is not None:
        listed = documents_from_json(read_json(documents))
    else:
        listed = [EvidenceDocument(item.id, item.text) for item in inputs.read_sources(source or (), paths)]
    evidence = build_evidence_map(listed)
    references = references_for(evidence, listed)
    result = verify_citations(answer, evidence, references=references, question=question, policy=chosen)
    view = explain_audit(result, answer, evidence_map=evidence)
    used = [*responses, *paths, *(name for name in (policy, documents) if name)]
    show(view, result, as_json=as_json, html=html, quiet=quiet, inputs_used=used)
    return STRICT if view.strict else NOT_STRICT


def documents_from_json(items: Any) -> "list[EvidenceDocument]":
    """Read documents from parsed JSON and name the first field that cannot be used."""
    from groundwire.audit import EvidenceDocument

    if not isinstance(items, list) or not items:
        raise InputError("The documents are no list, or an empty one.", fix="give a JSON list of objects")
    documents: list[EvidenceDocument] = []
    for place, item in enumerate(items):
        if not isinstance(item, Mapping) or not isinstance(item.get("text"), str) or not item["text"].strip():
            raise InputError(f"Document {place} has no text.", fix="give each document its 'text'")
        wrong = [name for name in _TEXT_FIELDS if not isinstance(item.get(name, ""), str)]
        authors, year = item.get("authors", []), item.get("year")
        if not isinstance(authors, list) or not all(isinstance(author, str) for author in authors):
            wrong.append("authors")
        if year is not None and (isinstance(year, bool) or not isinstance(year, int)):
            wrong.append("year")
        if wrong:
            raise InputError(
                f"{wrong[0]!r} of document {place} cannot be used.",
                fix="give texts; authors as a list of texts; year as a number",
            )
        documents.append(
            EvidenceDocument(
                id=item.get("id", str(place + 1)),
                text=item["text"],
                title=item.get("title", ""),
                role=item.get("role", "unclassified"),
                url=item.get("url", ""),
                authors=tuple(authors),
                year=year,
            )
        )
    return documents
