"""The assertion for other people's tests, and the plugin that carries it."""

import subprocess
import sys
from pathlib import Path

import pytest

from groundwire import VerifiedScorer
from groundwire.testing import assert_grounded as check
from groundwire.types import Policy

SOURCE = "Refunds are paid within 30 days. Shipping is free."
EXACT = VerifiedScorer()


def test_a_grounded_answer_passes_and_its_result_comes_back() -> None:
    assert check("Refunds are paid within 30 days.", SOURCE, scorer=EXACT).approved


def test_a_wrong_answer_fails_with_claim_reason_and_evidence() -> None:
    with pytest.raises(AssertionError) as failure:
        check("Shipping is free. Refunds are paid within 60 days.", SOURCE, scorer=EXACT)
    lines = str(failure.value).splitlines()
    assert lines[0] == "Not approved: 1 of 2 claims contradicted."
    assert lines[1] == "  ✗ Contradicted (0.70) at 18-50: “Refunds are paid within 60 days.”"
    assert "“60 days”" in lines[2]
    assert lines[3] == "    Nearest evidence, source 0-32: “Refunds are paid within 30 days.”"
    assert len(lines) == 4


@pytest.mark.parametrize(("answer", "source"), [("", SOURCE), ("Refunds take 30 days.", ""), ("Thank you!", SOURCE)])
def test_nothing_checked_is_no_pass(answer: str, source: str) -> None:
    with pytest.raises(AssertionError):
        check(answer, source, scorer=EXACT)


def test_a_policy_may_be_stricter_and_its_verdicts_are_shown() -> None:
    strict = Policy(fail_on=("contradicted", "fabricated", "unverifiable"))
    with pytest.raises(AssertionError, match="Zebras"):
        check("Zebras sleep standing up in small herds.", SOURCE, policy=strict, scorer=EXACT)


def test_the_plugin_gives_the_fixture_and_heeds_its_options(tmp_path: Path) -> None:
    (tmp_path / "test_answers.py").write_text(
        "def test_right(assert_grounded):\n"
        "    assert_grounded('Refunds are paid within 30 days.', 'Refunds are paid within 30 days.')\n"
        "def test_wrong(assert_grounded):\n"
        "    assert_grounded('Refunds are paid within 60 days.', 'Refunds are paid within 30 days.')\n",
        encoding="utf-8",
    )
    (tmp_path / "lenient.yaml").write_text("fail_on: [fabricated]\n", encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\ngroundwire_no_model = true\n", encoding="utf-8")

    def run(*options: str) -> str:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        return done.stdout

    failed = run()
    assert "1 failed, 1 passed" in failed
    assert "Not approved: 1 of 1 claim contradicted." in failed
    assert "Nearest evidence, source 0-32" in failed
    assert "2 passed" in run("--groundwire-policy", "lenient.yaml")
