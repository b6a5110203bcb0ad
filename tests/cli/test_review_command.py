"""`groundwire review` as a user runs it."""

import json
from pathlib import Path

import pytest

from groundwire import VectorGroundTruthStore
from groundwire.retrieval import SQLiteBackend
from tests.cli.running import groundwire

FACT = "Refunds are possible within 30 days."


def test_a_right_answer_is_approved_and_shown_with_its_fact() -> None:
    ran = groundwire("review", "--prompt", "Refunds?", "--response", FACT, "--fact", FACT)
    assert (ran.status, ran.err) == (0, "")
    assert f"✓ supported     {FACT}" in ran.out
    assert "✓ Approved: score" in ran.out


def test_a_wrong_answer_is_refused_and_both_sides_are_marked() -> None:
    ran = groundwire(
        "review",
        "--prompt",
        "Refunds?",
        "--response",
        "Refunds are possible within 60 days.",
        "--fact",
        FACT,
        "--no-model",
    )
    assert (ran.status, ran.err) == (1, "")
    assert "⟦60 days⟧" in ran.out
    assert "fact 1: “Refunds are possible within ⟦30 days⟧.”" in ran.out
    assert "Not approved: score 0.10, below the threshold 0.50." in ran.out


def test_json_is_the_whole_score() -> None:
    ran = groundwire("review", "--prompt", "Refunds?", "--response", FACT, "--fact", FACT, "--json", "--no-model")
    result = json.loads(ran.out)
    assert (result["approved"], result["threshold"], result["preset"]) == (True, 0.5, "default")
    assert result["model"] is None
    assert result["evidence"]["attributions"][0]["supported"] is True


def test_without_facts_the_prompt_alone_is_compared_and_this_is_said() -> None:
    ran = groundwire(
        "review", "--prompt", "The train leaves from platform 4.", "--response", "The train leaves from platform 7."
    )
    assert ran.status == 1
    assert "compared with the prompt alone" in " ".join(ran.out.split())
    assert "prompt: “The train leaves" in ran.out


@pytest.mark.parametrize("tenant", ["", "acme"])
def test_a_store_is_opened_by_its_file_and_tenants_are_apart(tmp_path: Path, tenant: str) -> None:
    store = VectorGroundTruthStore(SQLiteBackend(tmp_path / "kb.db"))
    store.add("refund", FACT, tenant_id=tenant)
    store.close()
    wrong = ("review", "--prompt", "Refunds?", "--response", "Refunds are possible within 60 days.")
    ran = groundwire(*wrong, "--store", "kb.db", "--tenant", tenant, cwd=tmp_path)
    assert ran.status == 1
    assert "refund: “Refunds are possible within ⟦30 days⟧.”" in ran.out
    assert groundwire(*wrong, "--store", "kb.db", "--tenant", "other", cwd=tmp_path).status == 0


def test_files_and_standard_input_are_read(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text(FACT, encoding="utf-8")
    ran = groundwire("review", "answer.txt", "--prompt-file", "-", "--fact", FACT, stdin=b"Refunds?", cwd=tmp_path)
    assert ran.status == 0


def test_threshold_preset_quiet_and_scan() -> None:
    base = ("review", "--prompt", "Refunds?", "--response", FACT, "--fact", FACT, "--no-model")
    assert groundwire(*base, "--threshold", "0.95").status == 1
    assert groundwire(*base, "--threshold", "0.95", "--preset", "summarisation").status == 0
    assert groundwire(*base, "--quiet").out == ""
    assert "injection risk" in groundwire(*base, "--scan").out


def test_strict_is_content_with_the_shipped_model() -> None:
    assert groundwire("review", "--prompt", "Refunds?", "--response", FACT, "--fact", FACT, "--strict").status == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "No response was given"),
        (("--response", "a", "--preset", "x"), "choose from default"),
        (("--response", "a", "--threshold", "2"), "threshold is 2.0"),
        (("--response", "a", "--fact", " "), "Fact 1 is empty"),
        (("--response", "a", "--fact", "b", "--store", "c"), "keep --fact or --store"),
        (("--response", "a", "--store", "none.db"), "no knowledge store"),
        (("--response", "a", "--prompt", "b", "--prompt-file", "c"), "keep --prompt or --prompt-file"),
        (("--response", "a", "--quiet", "--json"), "exclude each other"),
        (("--response", "a", "--strict", "--no-model"), "exclude each other"),
        (("--response", "a", "--top-k", "0"), "top-k"),
        (("nofile.txt",), "does not exist"),
        (("-", "--prompt-file", "-"), "named twice"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    groundwire("review", *arguments, cwd=tmp_path).refused_with(words)


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kb.db").write_bytes(b"not a database, surely" * 100)
    ran = groundwire("review", "--prompt", "a", "--response", "b", "--store", "kb.db", cwd=tmp_path)
    ran.refused_with("no knowledge store")
