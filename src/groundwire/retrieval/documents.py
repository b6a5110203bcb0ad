"""Text out of files: plain text, Markdown, HTML, JSON lines, PDF, DOCX."""

import io
import json
import logging
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from groundwire.errors import GroundwireError, InputError, MissingExtraError
from groundwire.retrieval.base import Metadata
from groundwire.retrieval.html_text import html_to_text
from groundwire.text.decoding import decode_text

# A small file can unpack to a huge one; what a text may come to is limited, whatever the file says.
MAX_CHARACTERS = 50_000_000
MAX_UNPACKED = 256 * 1024 * 1024
MAX_PAGES = 10_000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True, slots=True)
class Part:
    """A page or record of a document, with what is known of it."""

    start: int
    end: int
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of a file, and its parts; `divided` says that no passage may reach over two of them."""

    text: str
    parts: tuple[Part, ...] = ()
    divided: bool = False


def extract(name: str, data: bytes) -> Extracted:
    """Return the text of a file by the ending of its name; an unknown ending is read as plain text."""
    reader = _READERS.get(ending(name), _plain)
    found = reader(name, data)
    if not found.text.strip():
        raise InputError(f"The file {name!r} has no text.", fix="leave it out")
    if len(found.text) > MAX_CHARACTERS:
        raise InputError(
            f"The file {name!r} holds too much text.",
            why=f"the limit is {MAX_CHARACTERS:,} characters",
            fix="split the file",
        )
    return found


def is_known(name: str) -> bool:
    """Tell whether the ending of a name says how to read the file."""
    return ending(name) in _READERS


def ending(name: str) -> str:
    """Return the ending of a file name in small letters, with its dot."""
    return os.path.splitext(name)[1].lower()


def _plain(name: str, data: bytes) -> Extracted:
    return Extracted(decode_text(data, f"the file {name!r}"))


def _html(name: str, data: bytes) -> Extracted:
    return Extracted(html_to_text(decode_text(data, f"the file {name!r}")))


def _json_lines(name: str, data: bytes) -> Extracted:
    pieces: list[tuple[str, Metadata]] = []
    for number, line in enumerate(decode_text(data, f"the file {name!r}").splitlines(), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"Line {number} of {name!r} is not JSON.", why=str(error), fix="give one JSON object a line"
            ) from error
        if not isinstance(entry, dict) or not isinstance(entry.get("text"), str) or not entry["text"].strip():
            raise InputError(f"Line {number} of {name!r} has no text.", fix="give every object a 'text'")
        pieces.append((entry["text"], {"record": str(entry.get("id", number))}))
    return _joined(pieces, divided=True)


def _pdf(name: str, data: bytes) -> Extracted:
    try:
        import pypdf
    except ImportError as error:
        raise MissingExtraError("Reading PDF", "docs-in") from error
    with _foreign_reader(name, "PDF", "pypdf"):
        reader = pypdf.PdfReader(io.BytesIO(data))
        # Many files are locked with an empty password: everybody may read, nobody may change.
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError(f"The PDF {name!r} is encrypted.", fix="save it without a password")
        if len(reader.pages) > MAX_PAGES:
            raise InputError(f"The PDF {name!r} has more than {MAX_PAGES:,} pages.", fix="split the file")
        pieces: list[tuple[str, Metadata]] = []
        length = 0
        for number, page in enumerate(reader.pages, 1):
            text = _clean(page.extract_text())
            length += len(text)
            if length > MAX_CHARACTERS:
                break  # `extract` refuses it
            if text.strip():
                pieces.append((text, {"page": number}))
    if not pieces:
        raise InputError(
            f"The PDF {name!r} has no text.",
            why="its pages are probably pictures",
            fix="run a text recognition over it first",
        )
    return _joined(pieces, divided=False)


def _docx(name: str, data: bytes) -> Extracted:
    try:
        import docx
    except ImportError as error:
        raise MissingExtraError("Reading DOCX", "docs-in") from error
    if data.startswith(_OLE):
        raise InputError(
            f"The file {name!r} is encrypted, or in the old DOC format.", fix="save it as DOCX without a password"
        )
    with _foreign_reader(name, "DOCX", "docx"):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if sum(item.file_size for item in packed.infolist()) > MAX_UNPACKED:
                raise InputError(
                    f"The DOCX {name!r} unpacks to more than {MAX_UNPACKED // 2**20} MiB.",
                    fix="remove its pictures, or split it",
                )
        document = docx.Document(io.BytesIO(data))
        return Extracted("\n".join(_docx_lines(document)))


def _docx_lines(document: Any) -> Iterator[str]:
    for item in document.iter_inner_content():
        if hasattr(item, "rows"):
            for row in item.rows:
                # A merged cell comes once for each column it covers.
                cells = list(dict.fromkeys(cell.text.strip().replace("\n", " ") for cell in row.cells))
                yield _clean(" | ".join(cell for cell in cells if cell))
        else:
            yield _clean(item.text)


def _joined(pieces: list[tuple[str, Metadata]], *, divided: bool) -> Extracted:
    parts: list[Part] = []
    place = 0
    for text, metadata in pieces:
        parts.append(Part(place, place + len(text), metadata))
        place += len(text) + 2
    return Extracted("\n\n".join(text for text, _ in pieces), tuple(parts), divided)


def _clean(text: str) -> str:
    # Fonts with broken tables give half characters that no file can hold.
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


@contextmanager
def _foreign_reader(name: str, kind: str, logger: str) -> Iterator[None]:
    """Turn whatever another package raises over a broken file into one clear error."""
    log = logging.getLogger(logger)
    before = log.level
    # What it mumbles about a broken file goes into our error, not onto the user's screen.
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    except GroundwireError:
        raise
    except Exception as error:
        raise InputError(
            f"The {kind} {name!r} cannot be read.",
            why=f"it is damaged, or no {kind} ({type(error).__name__})",
            fix="save it anew, or give its text",
        ) from error
    finally:
        log.setLevel(before)


_READERS: dict[str, Callable[[str, bytes], Extracted]] = {
    ".txt": _plain,
    ".text": _plain,
    ".md": _plain,
    ".markdown": _plain,
    ".rst": _plain,
    ".csv": _plain,
    ".tsv": _plain,
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".pdf": _pdf,
    ".docx": _docx,
}
