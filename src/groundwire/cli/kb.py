"""The commands over a knowledge store: add, list, search, remove, export."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from groundwire.cli import inputs, output
from groundwire.cli.options import AsJson, KnowledgeStore, Quiet, Tenant
from groundwire.errors import InputError, MissingExtraError
from groundwire.render.plain import visible

if TYPE_CHECKING:
    from groundwire.retrieval import Hit

DONE, INCOMPLETE = 0, 1
DEFAULT_STORE = "groundwire-kb.sqlite"
_LONGEST_PASSAGE = 300


def register(app: typer.Typer) -> None:
    """Add the group of commands to the app."""
    kb = typer.Typer(help="Keep a knowledge base.", no_args_is_help=True, rich_markup_mode=None)
    kb.command("add")(add)
    kb.command("list")(list_sources)
    kb.command("search")(search)
    kb.command("remove")(remove)
    kb.command("export")(export)
    app.add_typer(kb, name="kb")


class _File(NamedTuple):
    name: str
    path: str
    named: bool  # by the user, not found in a folder


def add(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files or folders, '-' for standard input.")],
    store: KnowledgeStore = DEFAULT_STORE,
    tenant: Tenant = "",
    chunk_size: Annotated[int, typer.Option("--chunk-size", metavar="N", help="Characters of a passage.")] = 800,
    overlap: Annotated[int, typer.Option("--overlap", metavar="N", help="Characters repeated in the next.")] = 100,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Put files into a knowledge store: text, Markdown, HTML, JSON lines, PDF, DOCX.

    A file that has not changed since costs nothing. Exit status: 0 everything is in the store, 1 files of a folder
    were left out, 2 usage or input error.
    """
    from groundwire.retrieval.chunks import cut_chunks  # here: `--help` need not wait for it
    from groundwire.retrieval.ingest import ingest_file
    from groundwire.retrieval.sqlite import SQLiteBackend

    if quiet and as_json:
        raise typer.BadParameter("--quiet and --json exclude each other.")
    inputs.refuse_two_readers_of_stdin(paths)
    cut_chunks("", chunk_size, overlap)  # refuses sizes that cannot be used, before a store is made
    files, left_out = _files(paths, store)
    entries: list[dict[str, Any]] = []
    with closing(SQLiteBackend(store)) as backend:
        for file in _with_progress(files, shown=not (quiet or as_json)):
            try:
                done = ingest_file(
                    backend,
                    file.name,
                    inputs.read_bytes(file.path),
                    tenant_id=tenant,
                    chunk_size=chunk_size,
                    overlap=overlap,
                )
            except (InputError, MissingExtraError) as error:
                if file.named:
                    raise
                left_out.append((file.name, error.what))
                continue
            entries.append({"name": done.name, "outcome": str(done.outcome), "chunks": done.chunks})
        revision, passages = backend.revision, backend.count({"tenant_id": tenant})
    if as_json:
        skipped = [{"name": name, "why": why} for name, why in left_out]
        output.write_json({"files": entries, "left_out": skipped, "chunks": passages, "revision": revision})
    elif not quiet:
        _summarise(entries, left_out, passages, store)
    return INCOMPLETE if left_out else DONE


def list_sources(store: KnowledgeStore = DEFAULT_STORE, tenant: Tenant = "", as_json: AsJson = False) -> int:
    """List the documents of a knowledge store."""
    from groundwire.retrieval.sqlite import SQLiteBackend

    with closing(SQLiteBackend(store, create=False)) as backend:
        listed = backend.sources(tenant)
        revision = backend.revision
    if as_json:
        output.write_json({"revision": revision, "sources": [entry._asdict() for entry in listed]})
        return DONE
    for entry in listed:
        output.write(f"{_passages(entry.chunks):>16}  {entry.characters:>9,} characters  {visible(entry.name)}")
    if not listed:
        output.note("the store holds no document of this tenant")
    return DONE


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    store: KnowledgeStore = DEFAULT_STORE,
    tenant: Tenant = "",
    top_k: Annotated[int, typer.Option("--top-k", min=1, max=1000, metavar="N", help="How many passages.")] = 3,
    by: Annotated[str, typer.Option("--by", metavar="WAY", help="blend, keyword or dense.")] = "blend",
    as_json: AsJson = False,
) -> int:
    """Find the passages nearest to a query.

    Exit status: 0 something was found, 1 nothing, 2 usage or input error.
    """
    from groundwire.retrieval.sqlite import SQLiteBackend

    if not query.strip():
        raise InputError("The query is empty.", fix="say what to look for")
    with closing(SQLiteBackend(store, create=False, search=by)) as backend:
        hits = backend.query(query, top_k, where={"tenant_id": tenant})
    if as_json:
        output.write_json([dict(hit) for hit in hits])
    else:
        for hit in hits:
            _show(hit)
    if not hits and not as_json:
        output.note("nothing was found")
    return DONE if hits else INCOMPLETE


def remove(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Documents as 'kb list' names them.")],
    store: KnowledgeStore = DEFAULT_STORE,
    tenant: Tenant = "",
    quiet: Quiet = False,
) -> int:
    """Remove documents with their passages; none is removed if one of them is not there."""
    from groundwire.retrieval.sqlite import SQLiteBackend

    with closing(SQLiteBackend(store, create=False)) as backend:
        for name in names:
            if backend.source_hash(name, tenant) is None:
                raise InputError(
                    f"There is no document {name!r} in the store.", fix="list them with 'groundwire kb list'"
                )
        for name in names:
            backend.remove_source(name, tenant)
    if not quiet:
        output.write(f"{len(names)} removed")
    return DONE


def export(
    store: KnowledgeStore = DEFAULT_STORE,
    tenant: Tenant = "",
    out: Annotated[str | None, typer.Option("--out", metavar="FILE", help="Write there, not to the terminal.")] = None,
) -> int:
    """Write every passage as one JSON object a line: id, text, metadata."""
    from groundwire.retrieval.sqlite import SQLiteBackend

    with closing(SQLiteBackend(store, create=False)) as backend:
        lines = (
            json.dumps({"id": hit["id"], "text": hit["text"], "metadata": hit["metadata"]}, ensure_ascii=True)
            for hit in backend.documents(tenant)
        )
        if out is None:
            for line in lines:
                output.write(line)
        else:
            output.write_file(out, "".join(line + "\n" for line in lines), [store])
    return DONE


def _files(paths: Sequence[str], store: str) -> tuple[list[_File], list[tuple[str, str]]]:
    from groundwire.retrieval.documents import ending, is_known

    files: list[_File] = []
    left_out: list[tuple[str, str]] = []
    for path in paths:
        if path == inputs.STDIN or not os.path.isdir(path):
            files.append(_File("stdin" if path == inputs.STDIN else _plain_name(path), path, True))
            continue
        for file in inputs.walk_folder(path):
            if file is None:
                left_out.append((path, f"the folder has more than {inputs.MAX_FILES:,} files"))
            elif os.path.exists(store) and os.path.samefile(file, store):
                continue
            elif is_known(file):
                files.append(_File(_plain_name(file), file, False))
            else:
                left_out.append((_plain_name(file), f"{ending(file) or 'a name without ending'} is no known kind"))
    return files, left_out


def _plain_name(path: str) -> str:
    return os.path.normpath(path).replace(os.sep, "/")


def _with_progress(files: Sequence[_File], *, shown: bool) -> Iterator[_File]:
    # A bar is for people: in a pipe or a log it would be noise.
    if not (shown and sys.stderr.isatty()):
        yield from files
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(files))
        for file in files:
            progress.update(task, description=visible(file.name))
            yield file
            progress.advance(task)


def _summarise(
    entries: Sequence[dict[str, Any]], left_out: Sequence[tuple[str, str]], passages: int, store: str
) -> None:  # fmt: skip
    for entry in entries:
        made = "" if entry["chunks"] is None else f", {_passages(entry['chunks'])}"
        output.write(f"{entry['outcome']:<9}  {visible(entry['name'])}{made}")
    for name, why in left_out:
        output.write(f"{'left out':<9}  {visible(name)}: {visible(why)}")
    output.write(f"{visible(store)} holds {_passages(passages)}")


def _passages(count: int) -> str:
    return f"{count:,} passage" if count == 1 else f"{count:,} passages"


def _show(hit: "Hit") -> None:
    metadata = hit["metadata"]
    place = f" {metadata['start']}-{metadata['end']}" if "start" in metadata and "end" in metadata else ""
    page = f", page {metadata['page']}" if "page" in metadata else ""
    text = visible(" ".join(hit["text"].split()))
    short = text if len(text) <= _LONGEST_PASSAGE else text[:_LONGEST_PASSAGE] + "…"
    output.write(f"{hit['distance']:.3f}  {visible(str(metadata.get('source', hit['id'])))}{place}{page}")
    output.write(f"       {short}")
