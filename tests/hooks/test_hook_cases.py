"""Every written case of every hook: the verdict, the rule, and one event without any text of the case."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.hook_cases import HOOKS, cases, prepare
from groundwire.text.lexicon import load_map
from groundwire.types import GroundingVerdict

SCOPES = {"physical": "cyber_physical"}
ALL = [pytest.param(hook, case, id=f"{hook}-{case['id']}") for hook in HOOKS for case in cases(hook)]


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


@pytest.mark.parametrize("hook", HOOKS)
def test_there_are_sixty_cases_and_at_least_thirty_of_each_kind(hook: str) -> None:
    rows = cases(hook)
    assert len(rows) >= 60
    assert len({row["id"] for row in rows}) == len(rows)
    assert min(sum(row["allow"] for row in rows), sum(not row["allow"] for row in rows)) >= 30


@pytest.mark.parametrize("hook", HOOKS)
def test_known_weaknesses_stay_few(hook: str) -> None:
    known = [case["known"] for case in cases(hook) if "known" in case]
    assert set(known) <= {"miss", "alarm"}
    assert len(known) <= 0.06 * len(cases(hook))


@pytest.mark.parametrize(("hook", "case"), ALL)
def test_a_case_gets_its_verdict_and_one_event_without_text(hook: str, case: dict[str, Any]) -> None:
    verdict = prepare(hook, case)()
    # A known weakness is written down, not hidden: whoever mends it takes the mark off the case.
    assert verdict.allowed is (case["allow"] if "known" not in case else not case["allow"]), verdict.findings
    rules = [item.rule for item in verdict.findings]
    assert verdict.reason == (rules[0] if rules else "allowed")
    assert set(rules) <= set(load_map("hook_rules"))
    if "rule" in case and "known" not in case:
        assert case["rule"] in rules
    if isinstance(verdict, GroundingVerdict) and "limits" in case:
        assert set(verdict.violated_limits) == set(case["limits"])
        assert all(verdict.margins[name] < 0 for name in case["limits"] if name in verdict.margins)
    if "first_hop" in case:
        assert verdict.findings[0].where.startswith(f"hop {case['first_hop'] + 1}:")
    event = verdict.safety_event
    assert event is not None
    assert event.schema_version == "groundwire.safety_event.v1"
    assert event.hook_scope == SCOPES.get(hook, hook)
    assert event.policy_decision == ("allow" if verdict.allowed else "block")
    assert event.halt_reason == ("" if verdict.allowed else verdict.reason)
    assert event.tenant_safe_explanation == load_map("hook_rules")[verdict.reason]
    written = json.dumps(event.to_dict(), ensure_ascii=False)
    known = {"rule", "id", "family", "packet", "kind", "scope", "chain", "forge", "set", "known"}
    given = {name: value for name, value in case.items() if name not in known}
    assert not [text for text in texts(given) if len(text) >= 12 and text in written]
