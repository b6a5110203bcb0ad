"""The command that audits quotes and citations word for word."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundwire.cli import inputs, output
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
from groundwire.types import EvidenceObject, Source

if TYPE_CHECKING:
    from groundwire.render.audit import AuditView

STRICT, NOT_STRICT = 0, 1


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("audit")(audit)


def audit(
    response_path: ResponsePath = None,
    source_paths: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE_FILE]...", help="The sources it may rest on.")
    ] = None,
    response: ResponseText = None,
    source: SourceTexts = None,
    response_file: ResponseFile = None,
    source_file: SourceFiles = None,
    evidence_map: Annotated[
        str | None,
        typer.Option("--evidence-map", metavar="FILE", help="Numbered evidence as JSON, instead of sources."),
    ] = None,
    mode: Annotated[
        str | None, typer.Option("--mode", metavar="MODE", help="quote, claim_lattice_pointer or claim_lattice.")
    ] = None,
    question: Question = None,
    policy: PolicyFile = None,
    record: Annotated[
        str | None, typer.Option("--record", metavar="FILE", help="Keep the run in a record store.")
    ] = None,
    as_json: AsJson = False,
    html: Html = None,
    quiet: Quiet = False,
) -> int:
    """Audit what an answer quotes, repeats or cites, word for word, against its sources.

    Exit status: 0 STRICT, 1 not STRICT, 2 usage or input error.
    """
    from groundwire.audit import AuditPolicy, RunStore, audit_run  # here: `--help` need not wait for it
    from groundwire.audit.explain import explain_audit
    from groundwire.audit.results import audit_from_dict

    responses = [path for path in (response_path, response_file) if path is not None]
    paths = [*(source_paths or ()), *(source_file or ())]
    inputs.refuse_two_readers_of_stdin([*responses, *paths, *([evidence_map] if evidence_map else [])])
    chosen = AuditPolicy() if policy is None else AuditPolicy.from_yaml(policy)
    chosen = chosen if mode is None else replace(chosen, answer_mode=mode)
    answer = inputs.read_response(response, responses)
    sources, evidence = read_evidence(source or (), paths, evidence_map, chosen.answer_mode)
    store = None if record is None else RunStore(record)
    run = audit_run(
        answer,
        mode=chosen.answer_mode,
        question=question,
        context=sources or None,
        evidence_map=evidence,
        policy=chosen,
    )
    stored = None if store is None else store.add(run)
    result = audit_from_dict(run.result)
    view = explain_audit(result, answer, context=sources, evidence_map=evidence)
    used = [*responses, *paths, *(name for name in (policy, evidence_map, record) if name)]
    show(view, result, as_json=as_json, html=html, quiet=quiet, inputs_used=used)
    if stored is not None and not quiet:
        output.note(f"Recorded as run {stored.run_id} with root {stored.root}")
    return STRICT if view.strict else NOT_STRICT


def read_evidence(
    texts: Sequence[str], paths: Sequence[str], evidence_path: str | None, mode: str
) -> tuple[list[Source], list[EvidenceObject]]:
    """Read sources, or an evidence map; in a lattice mode sources become E1, E2 and so on."""
    from groundwire.audit import EvidenceDocument, build_evidence_map, evidence_from_dicts

    if evidence_path is not None:
        if texts or paths:
            raise InputError("Both sources and an evidence map were given.", fix="keep one of them")
        return [], evidence_from_dicts(read_json(evidence_path))
    sources = inputs.read_sources(texts, paths)
    if mode == "quote":
        return sources, []
    # A file name is no title a claim must agree with.
    return [], build_evidence_map(EvidenceDocument(source.id, source.text, title=source.title) for source in sources)


def read_json(path: str) -> Any:
    """Read a JSON file and say where it is broken."""
    try:
        return json.loads(inputs.read_text(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"The file {path!r} is not JSON.", why=str(error), fix="correct the file") from error


def show(
    view: "AuditView",
    result: Mapping[str, Any],
    *,
    as_json: bool,
    html: str | None,
    quiet: bool,
    inputs_used: Sequence[str],
) -> None:
    """Print or write an audit in the form that was asked for."""
    from groundwire.audit import ladder_rung
    from groundwire.render.audit import render_audit_html, render_audit_terminal

    if quiet and as_json:
        raise typer.BadParameter("--quiet and --json exclude each other.")
    if html is not None:
        output.write_file(html, render_audit_html(view), inputs_used)
    if as_json:
        plain = dict(result)
        output.write_json({**plain, "rung": ladder_rung(plain), "strict": view.strict})
    elif not quiet:
        width, colour = output.terminal_width(), output.wants_colour()
        output.write(render_audit_terminal(view, width=width, colour=colour, unicode=output.is_utf8()))
    if html is not None and not quiet:
        output.note(f"Report written to {html}")
