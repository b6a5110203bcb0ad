"""Read what the user gave: the one home of files, standard input and their errors."""

import codecs
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from groundwire.errors import InputError
from groundwire.text.decoding import decode_text
from groundwire.types import Policy, Source, Verdict

if TYPE_CHECKING:
    from groundwire.evals import Dataset

STDIN = "-"
# The policy decides how much of a text is checked. This limit only keeps one
# wrong path from filling the memory.
MAX_BYTES = 64 * 1024 * 1024
MAX_FILES = 100_000
_CHUNK = 4_096


def read_response(text: str | None, paths: Sequence[str]) -> str:
    """Return the response from its text or its one file."""
    if text is not None and paths:
        raise InputError(
            "The response was given both as text and as a file.",
            fix="keep one of --response, --response-file and the first positional file (sources: --source-file)",
        )
    if len(paths) > 1:
        raise InputError(
            "The response was given as two files.",
            fix="keep either --response-file or the first positional file (sources: --source-file)",
        )
    if text is None and not paths:
        raise InputError("No response was given.", fix="name a file, or use --response TEXT or --response-file -")
    return read_text(paths[0]) if text is None else _checked_argument(text, "--response")


def read_sources(texts: Sequence[str], paths: Sequence[str]) -> list[Source]:
    """Return the sources, each file under its own name."""
    if texts and paths:
        raise InputError(
            "The sources were given both as text and as files.",
            fix="keep either --source or files; write the text into a file to use both",
        )
    if not texts and not paths:
        raise InputError("No source was given.", fix="name a file after the response, or use --source TEXT")
    if texts:
        names = ["source"] if len(texts) == 1 else [f"source {number}" for number in range(1, len(texts) + 1)]
        return [Source(name, _checked_argument(text, "--source")) for name, text in zip(names, texts, strict=True)]
    return [Source(name, read_text(path)) for name, path in zip(_source_ids(paths), paths, strict=True)]


def read_prompt(text: str | None, path: str | None) -> str:
    """Return the prompt from its text or its file; without either there is none."""
    if text is not None and path is not None:
        raise InputError("The prompt was given both as text and as a file.", fix="keep --prompt or --prompt-file")
    if path is not None:
        return read_text(path)
    return "" if text is None else _checked_argument(text, "--prompt")


def read_facts(texts: Sequence[str]) -> dict[str, str]:
    """Return the facts of the command line, numbered in their order."""
    facts = {f"fact {number}": _checked_argument(text, "--fact") for number, text in enumerate(texts, 1)}
    empty = next((name for name, text in facts.items() if not text.strip()), None)
    if empty is not None:
        raise InputError(f"{empty.capitalize()} is empty.", fix="give --fact a sentence")
    return facts


def refuse_two_readers_of_stdin(paths: Sequence[str]) -> None:
    """Refuse a command that would read standard input twice."""
    if list(paths).count(STDIN) > 1:
        raise InputError("Standard input ('-') was named twice.", why="it can be read once", fix="use a file for one")


def read_text(path: str) -> str:
    """Read a UTF-8 text from a file or, for '-', from standard input."""
    name = "standard input" if path == STDIN else f"the file {path!r}"
    data = read_bytes(path)
    return decode_text(data, name)


def read_stream() -> Iterator[str]:
    """Yield the text of standard input as it comes, whole characters at a time."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset = 0
    while data := os.read(sys.stdin.fileno(), _CHUNK):
        if b"\0" in data:
            raise InputError(
                "Standard input is binary.",
                why=f"there is a NUL byte at offset {offset + data.index(0)}",
                fix="pipe plain text in",
            )
        try:
            text = decoder.decode(data)
        except UnicodeDecodeError as error:
            raise InputError("Standard input is not UTF-8.", fix="pipe UTF-8 text in") from error
        yield text.removeprefix("\ufeff") if offset == 0 else text
        offset += len(data)
    if decoder.getstate()[0]:
        raise InputError("Standard input is not UTF-8.", why="it ends inside a character", fix="pipe UTF-8 text in")
    if offset == 0:
        raise InputError("Standard input is empty.", why="the answer is read from it", fix="pipe the text in")


def read_policy(path: str | None, fail_on: str | None) -> Policy:
    """Return the policy of a file, tightened by a list of verdicts."""
    policy = Policy() if path is None else Policy.from_yaml(path)
    if fail_on is None:
        return policy
    known = [str(verdict) for verdict in Verdict]
    wanted = [name.strip().lower() for name in fail_on.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise InputError(
            f"--fail-on names the unknown verdict {unknown[0]!r}." if unknown else "--fail-on names no verdict.",
            fix=f"choose from {', '.join(known)}",
        )
    return replace(policy, fail_on=tuple(dict.fromkeys(wanted)))


def read_dataset(path: str, *, skip_bad: bool) -> "Dataset":
    """Read labelled rows that hold both classes, from a file or from standard input."""
    from groundwire import evals  # here: other commands need not wait for it

    if path == STDIN:
        data = evals.read_dataset(sys.stdin.buffer, "standard input", skip_bad=skip_bad)
    else:
        data = evals.load_dataset(path, skip_bad=skip_bad)
    evals.require_both_classes(data)
    return data


class Scanned(NamedTuple):
    """One text of a scan; `why` says why a file of a folder has none."""

    name: str
    text: str | None
    why: str = ""


def read_scanned(text: str | None, paths: Sequence[str]) -> Iterator[Scanned]:
    """Yield the texts to scan; a file of a folder that is no text is named, not refused."""
    if text is None and not paths:
        raise InputError("Nothing to scan was given.", fix="name a file or folder, or use --text TEXT or -")
    refuse_two_readers_of_stdin(paths)
    if text is not None:
        yield Scanned("text", _checked_argument(text, "--text"))
    for path in paths:
        if path != STDIN and os.path.isdir(path):
            yield from _folder(path)
        else:
            yield Scanned("standard input" if path == STDIN else path, read_text(path))


def _folder(path: str) -> Iterator[Scanned]:
    for file in walk_folder(path):
        if file is None:
            yield Scanned(path, None, f"the folder has more than {MAX_FILES:,} files; the rest was left out")
            return
        try:
            yield Scanned(file, read_text(file))
        except InputError as error:
            yield Scanned(file, None, error.what)


def walk_folder(path: str) -> Iterator[str | None]:
    """Yield the files of a folder in order, without hidden folders and links; None where it was cut short."""
    count = 0
    for place, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = os.path.join(place, name)
            # A link may lead out of the folder, a pipe would wait for ever.
            if os.path.islink(file) or not os.path.isfile(file):
                continue
            count += 1
            if count > MAX_FILES:
                yield None
                return
            yield file


def read_bytes(path: str) -> bytes:
    """Read a file of any kind or, for '-', standard input."""
    return _read_stdin() if path == STDIN else _read_file(path)


def _read_file(path: str) -> bytes:
    if not path:
        raise InputError("A file name is empty.", fix="give the path of a text file")
    if os.path.isdir(path):
        raise InputError(f"{path!r} is a directory.", fix="name one text file inside it")
    try:
        with open(path, "rb") as file:
            return _within_limit(file.read(MAX_BYTES + 1), f"The file {path!r}")
    except FileNotFoundError as error:
        raise InputError(
            f"The file {path!r} does not exist.",
            fix="check the path; text itself goes into an option: --response, --source or --text",
        ) from error
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"The file {path!r} cannot be read.", why=why, fix="check the path and its rights") from error


def _read_stdin() -> bytes:
    data = _within_limit(sys.stdin.buffer.read(MAX_BYTES + 1), "Standard input")
    if not data.strip():
        raise InputError("Standard input is empty.", why="'-' reads text from it", fix="pipe the text in")
    return data


def _within_limit(data: bytes, name: str) -> bytes:
    if len(data) > MAX_BYTES:
        raise InputError(
            f"{name} is too large.",
            why=f"the limit is {MAX_BYTES // (1024 * 1024)} MiB",
            fix="give the part that matters, or use the Python API",
        )
    return data


def _checked_argument(text: str, option: str) -> str:
    # Bytes of the command line that are no UTF-8 arrive as unpaired surrogates.
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"The text of {option} is not UTF-8.",
            why=f"character {error.start} does not fit",
            fix="set a UTF-8 locale, or put the text into a file",
        ) from error
    return text


def _source_ids(paths: Sequence[str]) -> list[str]:
    names = ["stdin" if path == STDIN else Path(path).name for path in paths]
    # The file name is what a reader wants to see; two files of one name show their paths.
    ids = [path if names.count(name) > 1 else name for path, name in zip(paths, names, strict=True)]
    seen: dict[str, int] = {}
    unique = []
    for name in ids:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return unique
