import json
from pathlib import Path

from tests.cli.running import groundwire


def test_a_right_answer_exits_0(texts: Path) -> None:
    ran = groundwire("verify", "right.txt", "source.txt", cwd=texts)
    assert (ran.status, ran.err) == (0, "")
    assert "✓ supported" in ran.out
    assert "✓ Approved" in ran.out


def test_a_wrong_answer_exits_1_and_shows_its_evidence(texts: Path) -> None:
    ran = groundwire("verify", "wrong.txt", "source.txt", cwd=texts)
    assert (ran.status, ran.err) == (1, "")
    assert "✗ contradicted" in ran.out
    assert "source.txt: “Refunds are paid within" in ran.out


def test_options_and_positionals_mean_the_same(texts: Path) -> None:
    by_place = groundwire("verify", "wrong.txt", "source.txt", "--json", cwd=texts)
    by_name = groundwire("verify", "--response-file", "wrong.txt", "--source-file", "source.txt", "--json", cwd=texts)
    assert by_place == by_name


def test_text_is_taken_from_the_options() -> None:
    ran = groundwire("verify", "--response", "Refunds within 60 days.", "--source", "Refunds within 30 days only.")
    assert ran.status == 1


def test_each_side_is_read_from_standard_input(texts: Path) -> None:
    assert groundwire("verify", "-", "source.txt", stdin=b"Refunds are paid within 30 days.", cwd=texts).status == 0
    ran = groundwire("verify", "right.txt", "-", "--json", stdin=b"Refunds are paid within 30 days.", cwd=texts)
    assert ran.status == 0
    assert json.loads(ran.out)["claims"][0]["evidence_spans"][0]["source_id"] == "stdin"


def test_json_is_the_whole_of_standard_output(texts: Path) -> None:
    ran = groundwire("verify", "wrong.txt", "source.txt", "--json", "--html", "report.html", cwd=texts)
    result = json.loads(ran.out)
    assert result["approved"] is False
    assert result["claims"][0]["evidence_spans"][0]["source_id"] == "source.txt"


def test_a_file_name_becomes_the_source_id_and_equal_names_show_their_paths(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.txt").write_text(f"The {folder} house has {len(folder)} doors.", encoding="utf-8")
    (tmp_path / "c.txt").write_text("The roof is red.", encoding="utf-8")
    arguments = ("--response", "The roof is red.", "--source-file", "a/x.txt", "--source-file", "b/x.txt")
    ran = groundwire("verify", *arguments, "--source-file", "c.txt", "--json", cwd=tmp_path)
    ids = {span["source_id"] for span in json.loads(ran.out)["claims"][0]["evidence_spans"]}
    assert "c.txt" in ids
    assert ids <= {"a/x.txt", "b/x.txt", "c.txt"}


def test_fail_on_tightens_the_decision(texts: Path) -> None:
    (texts / "beside.txt").write_text("Refunds are paid within 30 days.", encoding="utf-8")
    assert groundwire("verify", "beside.txt", "source.txt", cwd=texts).status == 0
    assert groundwire("verify", "beside.txt", "source.txt", "--fail-on", "supported", cwd=texts).status == 1
    assert groundwire("verify", "wrong.txt", "source.txt", "--fail-on", " Unverifiable ", cwd=texts).status == 0


def test_a_policy_file_is_used(texts: Path) -> None:
    (texts / "policy.yaml").write_text("fail_on: [supported]\n", encoding="utf-8")
    assert groundwire("verify", "right.txt", "source.txt", "--policy", "policy.yaml", cwd=texts).status == 1


def test_quiet_prints_nothing_and_keeps_the_status(texts: Path) -> None:
    ran = groundwire("verify", "wrong.txt", "source.txt", "--quiet", "--html", "report.html", cwd=texts)
    assert (ran.status, ran.out, ran.err) == (1, "", "")
    assert (texts / "report.html").exists()


def test_no_model_is_accepted_and_says_nothing(texts: Path) -> None:
    ran = groundwire("verify", "right.txt", "source.txt", "--no-model", cwd=texts)
    assert (ran.status, ran.err) == (0, "")


def test_a_byte_order_mark_is_removed(texts: Path) -> None:
    (texts / "bom.txt").write_bytes(b"\xef\xbb\xbfRefunds are paid within 30 days.")
    ran = groundwire("verify", "bom.txt", "source.txt", "--json", cwd=texts)
    assert json.loads(ran.out)["claims"][0]["claim"] == "Refunds are paid within 30 days."
    assert ran.err == ""


def test_an_empty_response_file_is_nothing_to_check(texts: Path) -> None:
    (texts / "empty.txt").write_text("", encoding="utf-8")
    ran = groundwire("verify", "empty.txt", "source.txt", cwd=texts)
    assert ran.status == 0
    assert "makes no claim" in ran.out


def test_an_empty_source_fails_closed(texts: Path) -> None:
    (texts / "empty.txt").write_text("\n", encoding="utf-8")
    ran = groundwire("verify", "right.txt", "empty.txt", cwd=texts)
    assert ran.status == 1
    assert "hold no text" in ran.out


def test_an_input_over_the_limit_is_said_to_be_cut(texts: Path) -> None:
    (texts / "policy.yaml").write_text("max_response_chars: 40\n", encoding="utf-8")
    (texts / "long.txt").write_text("Refunds are paid within 30 days. " * 20, encoding="utf-8")
    ran = groundwire("verify", "long.txt", "source.txt", "--policy", "policy.yaml", cwd=texts)
    assert "longer than the limit" in ran.out


def test_top_k_limits_the_evidence(texts: Path) -> None:
    ran = groundwire("verify", "right.txt", "source.txt", "--top-k", "0", "--json", cwd=texts)
    assert json.loads(ran.out)["claims"][0]["evidence_spans"] == []


def test_colour_needs_a_terminal_and_no_color_wins(texts: Path) -> None:
    assert "\x1b" not in groundwire("verify", "wrong.txt", "source.txt", cwd=texts).out
    assert "\x1b[" in groundwire("verify", "wrong.txt", "source.txt", cwd=texts, FORCE_COLOR="1").out
    assert "\x1b" not in groundwire("verify", "wrong.txt", "source.txt", cwd=texts, FORCE_COLOR="1", NO_COLOR="1").out


def test_a_terminal_without_unicode_gets_plain_signs(texts: Path) -> None:
    (texts / "odd.txt").write_text("Les remboursements coûtent 60 €.", encoding="utf-8")
    ran = groundwire("verify", "odd.txt", "source.txt", cwd=texts, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert ran.out.isascii()
    assert "Traceback" not in ran.err
    assert "x Not approved" in ran.out


def test_text_cannot_drive_the_terminal(texts: Path) -> None:
    (texts / "evil.txt").write_text("Refunds \x1b[2J\x1b]0;owned\x07 are \x9b31m paid \u202e soon.", encoding="utf-8")
    ran = groundwire("verify", "evil.txt", "source.txt", cwd=texts)
    assert not set(ran.out) & set("\x1b\x07\x9b\u202e")


def test_version_and_help_exit_0_and_no_command_exits_2() -> None:
    from groundwire import __version__

    assert groundwire("--version").out == f"groundwire {__version__}\n"
    assert groundwire("--help").status == 0
    assert "--fail-on" in groundwire("verify", "--help").out
    bare = groundwire()
    assert bare.status == 2
    assert "Usage: groundwire" in bare.out
