"""The commands audit, cite and runs in one process, built into an app of their own."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer

from groundwire.cli import audit, cite, runs
from groundwire.errors import GroundwireError, InputError, IntegrityError, PolicyError

CONTEXT = "The tenant pays monthly. Rent is due on the fifth day of each month."
DOCUMENTS = [
    {"text": "Mount Tavira last erupted in 1887.", "title": "Mount Tavira", "authors": ["Anna Strand"], "year": 2019},
    {"text": "The observatory records earthquakes.", "title": "Observatory", "url": "https://example.org/obs"},
]

WRONG_FIELDS = ['[{"text": "x", "year": "2019"}]', '[{"text": "x", "authors": "A"}]', '[{"text": "x", "url": 3}]']


def run(*arguments: str | Path) -> int:
    app = typer.Typer()
    for command in (audit, cite, runs):
        command.register(app)
    command_line = typer.main.get_command(app)
    with command_line.make_context("groundwire", list(map(str, arguments))) as context:
        status = command_line.invoke(context)
    return int(status or 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "answer.txt").write_text('It says "Rent is due on the fifth day".', encoding="utf-8")
    (tmp_path / "source.txt").write_text(CONTEXT, encoding="utf-8")
    (tmp_path / "documents.json").write_text(json.dumps(DOCUMENTS), encoding="utf-8")
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_a_strict_answer_exits_0_and_shows_where(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("audit", folder / "answer.txt", folder / "source.txt") == 0
    shown = capsys.readouterr().out
    assert "STRICT" in shown
    assert "source.txt 25:53" in shown


def test_a_wrong_answer_exits_1_and_says_what_to_change(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("audit", "--response", 'It says "Rent is due on the ninth day".', "--source", CONTEXT) == 1
    shown = capsys.readouterr().out
    assert "Why it is not STRICT" in shown
    assert "does not have: ninth" in shown
    assert "Change: Copy the words" in shown


def test_json_holds_the_documented_keys_and_the_rung(capsys: pytest.CaptureFixture[str]) -> None:
    run(
        "audit", "--response", "The rent is due. [E1]", "--source", CONTEXT, "--mode", "claim_lattice_pointer", "--json"
    )
    value = printed(capsys)
    assert {"audit_mode", "violations", "claim_statuses", "rendered_text"} <= set(value)
    assert value["rung"] in ("EVIDENCE-WARRANTED", "UNGROUNDED")


def test_the_page_is_self_contained_and_escapes_everything(folder: Path) -> None:
    page = folder / "page.html"
    hostile = 'He said "<script>alert(1)</script>" & more.'
    assert run("audit", "--response", hostile, "--source", CONTEXT, "--html", page, "--quiet") == 1
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "http" not in text.split("<body>")[1]


def test_an_evidence_map_is_read_and_a_bad_one_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "map.json"
    path.write_text(
        json.dumps([{"pointer_id": "E7", "span": "The dam holds water.", "title": "Dam"}]), encoding="utf-8"
    )
    options = ("--mode", "claim_lattice_pointer", "--evidence-map", path)
    assert run("audit", "--response", "The dam holds water. [E7]", *options, "--quiet") == 0
    path.write_text('[{"pointer_id": "E7"}]', encoding="utf-8")
    with pytest.raises(InputError, match="no 'span'"):
        run("audit", "--response", "x", *options, "--record", folder / "runs.db")
    path.write_text("[", encoding="utf-8")
    with pytest.raises(InputError, match="not JSON"):
        run("audit", "--response", "x", *options)
    assert not (folder / "runs.db").exists()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("audit",), InputError),
        (("audit", "no such file.txt", "other.txt"), InputError),
        (("audit", "--response", "x", "--source", "y", "--mode", "poem"), PolicyError),
        (("audit", "--response", "x", "--source", "y", "--policy", "none.yaml"), PolicyError),
        (("audit", "--response", "x", "--source", "y", "--evidence-map", "m.json"), InputError),
        (("cite", "--response", "x"), InputError),
        (("cite", "--response", "x", "--source", "y", "--documents", "d.json"), InputError),
        (("runs", "show", "none.db"), InputError),
        (("runs", "replay", "none.db"), InputError),
        (("runs", "emergent", "none.db"), InputError),
    ],
)
def test_bad_input_is_one_clear_error(
    arguments: tuple[str, ...], error: type[GroundwireError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error):
        run(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_runs_are_recorded_shown_replayed_and_mined(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = folder / "runs.db"
    assert run("audit", folder / "answer.txt", folder / "source.txt", "--record", store, "--quiet") == 0
    lattice = "Rent is due on the fifth day. [E1]\nUnicorns graze in the garden."
    options = ("--source-file", folder / "source.txt", "--mode", "claim_lattice_pointer", "--record", store)
    assert run("audit", "--response", lattice, *options, "--quiet") == 1
    capsys.readouterr()

    assert run("runs", "show", store, "--json") == 0
    assert [item["audit_mode"] for item in printed(capsys)] == ["STRICT", "HYBRID"]
    assert run("runs", "show", store, "2") == 1
    shown = capsys.readouterr().out
    assert "verifier_policy" in shown
    assert "NO_EVIDENCE_POINTER" in shown

    policy = folder / "policy.yaml"
    policy.write_text("min_claim_content_tokens: 9\nentity_policy: drop\n", encoding="utf-8")
    assert run("runs", "replay", store, "--policy", policy, "--json", "--record", folder / "new.db") == 1
    replays = printed(capsys)
    assert [(item["before"], item["after"]) for item in replays] == [("STRICT", "STRICT"), ("HYBRID", "UNGROUNDED")]
    assert replays[1]["new_violations"] == ["SCHEMA_INVALID"]
    assert run("runs", "replay", store, "--run", "1") == 0

    assert run("runs", "emergent", store, "--json") == 0
    emergent = next(item for item in json.loads(capsys.readouterr().out.partition("decided otherwise\n")[2]))
    assert (emergent["text"], emergent["run_ids"]) == ("Unicorns graze in the garden.", ["2"])


def test_a_broken_store_is_refused_before_the_audit(folder: Path) -> None:
    store = folder / "runs.db"
    store.write_bytes(b"nothing of the kind")
    with pytest.raises(IntegrityError):
        run("audit", folder / "answer.txt", folder / "source.txt", "--record", store)
    assert store.read_bytes() == b"nothing of the kind"


def test_citations_are_followed_and_corrected(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = (
        "Mount Tavira last erupted in 1887 (Strand, 2019). The observatory records earthquakes https://example.org/obs"
    )
    assert run("cite", "--response", good, "--documents", folder / "documents.json") == 0
    capsys.readouterr()
    bad = "Mount Tavira last erupted in 1887 [2]."
    assert run("cite", "--response", bad, "--documents", folder / "documents.json", "--html", folder / "p.html") == 1
    assert "(E1 would support it)" in capsys.readouterr().out
    assert (folder / "p.html").is_file()


@pytest.mark.parametrize("text", ["{}", "[]", "[1]", '[{"text": " "}]', *WRONG_FIELDS])
def test_documents_that_cannot_be_used_are_refused(folder: Path, text: str) -> None:
    (folder / "documents.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        run("cite", "--response", "x", "--documents", folder / "documents.json")
