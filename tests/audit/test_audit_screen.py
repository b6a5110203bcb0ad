"""One screen for a person: every rule has its words, and no text can break the screen."""

import pytest

from groundwire.audit import audit_answer, verify_claim_lattice, verify_claim_lattice_json, verify_quotes
from groundwire.audit.explain import _ADVICE, explain_audit
from groundwire.audit.outcomes import ViolationKind
from groundwire.nli import FakeNLI
from groundwire.render.audit import render_audit_html, render_audit_terminal
from groundwire.types import EvidenceObject

EVIDENCE = [
    EvidenceObject("E1", "Ea", "Mount Tavira last erupted in 1887.", "Tavira"),
    EvidenceObject("E2", "Eb", "Ghosts walk.", "Forum", "noisy_background_source"),
]


def test_every_violation_has_its_advice() -> None:
    assert set(_ADVICE) == set(ViolationKind)


@pytest.mark.parametrize(
    "answer",
    [
        "Mount Tavira erupted. [E1, E9, E2]\nNothing cited here.\n[E1]\nTavira. [E1]\nGhosts walk around here. [E2]",
        "\n".join(f"Mount Tavira erupted in 1887, {n}. [E1]" for n in range(14)),
        "Mount Tavira erupted in 1887. [E1]\nMount Tavira erupted. [E1]\nTavira last erupted. [E1]",
        "\n".join(["A line of prose that cites nothing."] * 6),
    ],
)
def test_each_violation_is_shown_with_sentence_rule_and_change(answer: str) -> None:
    result = verify_claim_lattice(answer, EVIDENCE, question="Who feeds the river ghosts?")
    view = explain_audit(result, answer, evidence_map=EVIDENCE)
    assert [finding.rule for finding in view.findings] == [item["kind"] for item in result["violations"]]
    assert all(finding.why and finding.change and "{" not in finding.why for finding in view.findings)
    assert "Why it is not STRICT" in render_audit_terminal(view)


def test_json_violations_are_shown_too() -> None:
    items = '{"text": "a \\"b\\"", "evidence_ids": ["E1"]}, 3, {"text": "Tavira", "evidence_ids": ["E1", "E9", 4]}'
    raw = f'{{"claims": [{items}]}}'
    view = explain_audit(verify_claim_lattice_json(raw, EVIDENCE), raw, evidence_map=EVIDENCE)
    assert len(view.findings) == 5


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ('"Mount Tavira last erupted in 1888."', "number 1888"),
        ('"Mount Tavira surely last erupted"', "surely"),
        ('"erupted last Tavira Mount in 1887"', "not in this order"),
        ("Mount Tavira last erupted in 1887.\nMount Tavira never last erupted hereabouts.", "hereabouts"),
        ("nothing found here at all", "No quotation, sentence or name"),
        ("about Mount Tavira, yes", "holds these names"),
    ],
)
def test_a_free_text_says_why(answer: str, why: str) -> None:
    context = "Mount Tavira last erupted in 1887. Nobody saw it."
    view = explain_audit(verify_quotes(answer, context), answer, context=context)
    assert why in " ".join(finding.why for finding in view.findings)


def test_a_strict_answer_has_nothing_to_change_and_shows_the_model() -> None:
    answer = "Mount Tavira last erupted in 1887. [E1]"
    result = audit_answer(answer, mode="claim_lattice_pointer", evidence_map=EVIDENCE, nli_scorer=FakeNLI(default=0.0))
    view = explain_audit(result, answer, evidence_map=EVIDENCE)
    assert view.findings == ()
    assert "model: supported" in render_audit_terminal(view)
    assert "ENTAILMENT-VERIFIED" in render_audit_html(view)


def test_no_text_can_drive_the_terminal_or_the_page() -> None:
    answer = '"\x1b[2Jboom \u202e<b>bold & sharp</b>\ud800"'
    view = explain_audit(verify_quotes(answer, "x"), answer, context="x")
    terminal, page = render_audit_terminal(view, width=20), render_audit_html(view)
    assert "\x1b" not in terminal + page
    assert "\u202e" not in terminal + page
    assert "<b>" not in page
    render_audit_terminal(view, unicode=False, colour=True)
    page.encode("utf-8")
