"""PDF and DOCX: what is read, and what is refused with a clear word."""

import io
import zipfile
import zlib
from pathlib import Path

import pytest

from groundwire.errors import InputError
from groundwire.retrieval import SQLiteBackend
from groundwire.retrieval.documents import MAX_UNPACKED, extract
from groundwire.retrieval.ingest import ingest_file

pytestmark = [pytest.mark.extras, pytest.mark.filterwarnings("default::DeprecationWarning")]


def pdf(*pages: str) -> bytes:
    """Write a PDF by hand: one line of text a page."""
    objects = ["<</Type/Catalog/Pages 2 0 R>>", ""]
    kids = []
    for text in pages:
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else ""
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
        font = "<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
        objects.append(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources{font}/Contents {len(objects)} 0 R>>")
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<</Type/Pages/Count {len(kids)}/Kids[{' '.join(kids)}]>>"
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer<</Size {len(objects) + 1}/Root 1 0 R>>\n"
    return out + f"{end}startxref\n{len(out)}\n%%EOF".encode()


def docx_file(*paragraphs: str, rows: list[list[str]] | None = None) -> bytes:
    import docx

    document = docx.Document()
    for text in paragraphs:
        document.add_paragraph(text)
    for row in rows or []:
        table = document.add_table(rows=1, cols=len(row))
        for cell, text in zip(table.rows[0].cells, row, strict=True):
            cell.text = text
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_a_pdf_is_read_page_by_page(tmp_path: Path) -> None:
    store = SQLiteBackend(tmp_path / "kb.sqlite")
    data = pdf("Refunds are paid within 30 days.", "The warranty lasts 24 months.")
    assert ingest_file(store, "terms.pdf", data, chunk_size=40, overlap=0).chunks == 2
    hit = store.query("warranty", 1)[0]
    text = store.source_text("terms.pdf") or ""
    assert hit["metadata"]["page"] == 2
    assert text[hit["metadata"]["start"] : hit["metadata"]["end"]] == hit["text"]
    store.close()


def test_a_docx_is_read_with_its_tables() -> None:
    found = extract("a.docx", docx_file("Refunds are paid.", rows=[["Oslo", "5 days"]]))
    assert found.text.split("\n") == ["Refunds are paid.", "Oslo | 5 days"]


def encrypted(data: bytes, password: str) -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(user_password=password, owner_password="owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for number in range(3):
            packed.writestr(f"word/part{number}.xml", b"0" * (MAX_UNPACKED // 2))
    return out.getvalue()


def pdf_bomb() -> bytes:
    """Pack a page of 400 MB into 400 kB."""
    packed = zlib.compress(b" " * 400_000_000, 9)
    page = pdf("x").replace(b"<</Length 32>>", b"<</Filter/FlateDecode/Length %d>>" % len(packed))
    head, rest = page.split(b"stream\n", 1)
    return head + b"stream\n" + packed + b"\nendstream" + rest.split(b"endstream", 1)[1]


@pytest.mark.parametrize(
    ("name", "make", "words"),
    [
        ("scan.pdf", lambda: pdf("", ""), "has no text.*pictures"),
        ("secret.pdf", lambda: encrypted(pdf("Refunds."), "password"), "is encrypted"),
        ("cut.pdf", lambda: pdf("Refunds.")[:100], "cannot be read.*damaged"),
        ("text.pdf", lambda: b"just text", "cannot be read"),
        ("empty.pdf", lambda: b"", "cannot be read"),
        ("bomb.pdf", pdf_bomb, "cannot be read|has no text"),
        ("secret.docx", lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "is encrypted, or in the old DOC"),
        ("text.docx", lambda: b"just text", "cannot be read"),
        ("cut.docx", lambda: docx_file("Refunds.")[:2_000], "cannot be read"),
        ("bomb.docx", bomb, "unpacks to more than"),
        ("blank.docx", lambda: docx_file(" "), "has no text"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_and_nothing_of_it_stays(
    name: str, make: object, words: str, tmp_path: Path
) -> None:
    data = make()  # type: ignore[operator]
    store = SQLiteBackend(tmp_path / "kb.sqlite")
    with pytest.raises(InputError, match=words):
        ingest_file(store, name, data)
    assert (store.count(), store.sources()) == (0, [])
    store.close()


def test_a_pdf_that_everybody_may_read_is_read() -> None:
    assert "Refunds" in extract("open.pdf", encrypted(pdf("Refunds."), "")).text
