"""C13: the eight rules of the rules engine."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire import NLIScorer
from groundwire.errors import InputError, InputTypeError
from groundwire.nli.rules import RULES, RulesScorer

NAMES = (
    "entity_grounding", "numeric_consistency", "negation_flip", "date_consistency", "unit_consistency",
    "quantifier_scope", "unsupported_certainty", "traceability_floor",
)  # fmt: skip
# rule, facts, a statement that breaks it, a statement that keeps it
CASES = [
    ("entity_grounding", "Paris is the capital of France.", "Berlin is the capital of France.", "Paris is in France."),
    ("numeric_consistency", "The warranty lasts 24 months.", "The warranty lasts 36 months.", "It lasts 2 years."),
    ("numeric_consistency", "The warranty covers parts.", "The warranty covers 12 parts.", "It covers parts."),
    ("negation_flip", "Refunds are not available.", "Refunds are available.", "No refunds are available."),
    ("negation_flip", "The door is open.", "The door is closed.", "The door is not closed."),
    ("negation_flip", "It won't ship to Norway, but it ships to Sweden.", "It ships to Norway.", "It ships to Sweden."),
    ("date_consistency", "The shop opened on 3 May 2019.", "The shop opened in 2018.", "It opened in May 2019."),
    ("unit_consistency", "The box weighs 5 kg.", "The box weighs 5 pounds.", "The box weighs 5000 g."),
    ("unit_consistency", "The fee is 20 euros.", "The fee is 20 dollars.", "The fee is €20."),
    ("quantifier_scope", "Some customers get a refund.", "All customers get a refund.", "Some customers get it."),
    ("quantifier_scope", "Orders of at least 50 units ship.", "Orders of at most 50 units ship.", "50 units ship."),
    ("unsupported_certainty", "The drug may cause headaches.", "The drug causes headaches.", "It may cause headaches."),
    (
        "unsupported_certainty",
        "If the manager agrees, staff can work from home.",
        "Staff can work from home.",
        "Staff can work from home if the manager agrees.",
    ),
    ("traceability_floor", "The cat sat on the mat.", "Quarterly revenue grew quickly.", "The cat sat."),
]  # fmt: skip


def failed(scorer: RulesScorer, facts: str, statement: str) -> dict[str, str]:
    return {result.rule.name: result.reason for result in scorer.check(facts, statement) if not result.passed}


def test_c13_all_eight_rules_exist() -> None:
    assert tuple(rule.name for rule in RULES) == NAMES
    assert [result.rule.name for result in RulesScorer().check("A cat.", "A cat.")] == list(NAMES)


@pytest.mark.parametrize(("rule", "facts", "broken", "kept"), CASES)
def test_c13_a_rule_tells_a_broken_statement_from_a_kept_one(rule: str, facts: str, broken: str, kept: str) -> None:
    scorer = RulesScorer()
    assert failed(scorer, facts, broken)[rule]
    assert rule not in failed(scorer, facts, kept)


@pytest.mark.parametrize(("rule", "facts", "broken", "kept"), CASES)
def test_c13_a_rule_can_be_switched_off(rule: str, facts: str, broken: str, kept: str) -> None:
    scorer = RulesScorer({rule: {"enabled": False}})
    assert rule not in [result.rule.name for result in scorer.check(facts, broken)]
    assert rule not in failed(scorer, facts, broken)


@pytest.mark.parametrize(("rule", "facts", "broken", "kept"), CASES)
def test_a_blocking_rule_alone_is_a_contradiction(rule: str, facts: str, broken: str, kept: str) -> None:
    only = {name: {"enabled": name == rule, "severity": "block"} for name in NAMES}
    assert NLIScorer("rules", rules=only).score(facts, broken) == 1.0
    assert NLIScorer("rules", rules=only).score(facts, kept) == 0.0


def test_the_score_is_the_failed_share_of_the_weight() -> None:
    soft: dict[str, dict[str, Any]] = {name: {"severity": "warn", "weight": 1} for name in NAMES}
    soft["numeric_consistency"]["weight"] = 3
    scorer = NLIScorer("rules", rules=soft)
    assert scorer.score("The warranty lasts 24 months.", "The warranty lasts 36 months.") == pytest.approx(3 / 10)
    assert scorer.score("The warranty lasts 24 months.", "The warranty lasts 24 months.") == 0.0


def test_a_bad_sentence_is_found_among_good_ones() -> None:
    facts = "The warranty lasts 24 months. Refunds take 14 days."
    assert failed(RulesScorer(), facts, "Refunds take 14 days. The warranty lasts 36 months.").keys() == {
        "numeric_consistency"
    }


def test_the_reason_names_both_sides() -> None:
    reasons = failed(RulesScorer(), "The warranty lasts 24 months.", "The warranty lasts 36 months.")
    assert "36 months" in reasons["numeric_consistency"]
    assert "24 months" in reasons["numeric_consistency"]


def test_the_floor_of_traceability_can_be_moved() -> None:
    facts, statement = "The cat sat on the mat.", "The cat chased seven grey mice yesterday."
    assert "traceability_floor" in failed(RulesScorer({"traceability_floor": {"minimum": 0.9}}), facts, statement)
    assert "traceability_floor" not in failed(RulesScorer({"traceability_floor": {"minimum": 0.0}}), facts, statement)


def test_c13_unknown_names_are_refused() -> None:
    with pytest.raises(InputError, match=r"no rule 'negation'.*negation_flip"):
        NLIScorer("rules", rules={"negation": {"enabled": False}})


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"negation_flip": {"wait": 1}}, "wait"),
        ({"negation_flip": {"minimum": 0.5}}, "minimum"),
        ({"negation_flip": {"enabled": 1}}, "enabled"),
        ({"negation_flip": {"weight": -1}}, "weight"),
        ({"negation_flip": {"weight": float("nan")}}, "weight"),
        ({"negation_flip": {"weight": True}}, "weight"),
        ({"negation_flip": {"severity": "fatal"}}, "severity"),
        ({"traceability_floor": {"minimum": 2}}, "minimum"),
        ({name: {"enabled": False} for name in NAMES}, "No rule"),
        ({name: {"weight": 0} for name in NAMES}, "No rule"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(settings: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError, match=word):
        RulesScorer(settings)


@pytest.mark.parametrize("settings", [["negation_flip"], {"negation_flip": False}])
def test_settings_of_the_wrong_type_are_refused(settings: Any) -> None:
    with pytest.raises(InputTypeError):
        RulesScorer(settings)


def test_other_settings_have_another_hash() -> None:
    plain, changed = RulesScorer(), RulesScorer({"negation_flip": {"weight": 2}})
    assert plain.model_info == RulesScorer().model_info
    assert plain.model_info.hash != changed.model_info.hash


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_have_a_divergence(premise: str, hypothesis: str) -> None:
    assert 0.0 <= NLIScorer("rules").score(premise, hypothesis) <= 1.0
