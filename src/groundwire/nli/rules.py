"""The rules engine: eight rules, no model; each can be weighed, hardened or switched off."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from groundwire.errors import InputError, InputTypeError
from groundwire.ledger import hash_json
from groundwire.nli import rule_checks
from groundwire.nli.base import Entailment, checked_pairs, from_divergence
from groundwire.nli.rule_checks import Facts, Statement, read_statements
from groundwire.types import ModelInfo


class Severity(StrEnum):
    """How a failed rule counts: a failed `block` rule alone is a contradiction."""

    INFO = "info"
    WARN = "warn"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule with its settings; `minimum` is read by `traceability_floor` alone."""

    name: str
    enabled: bool = True
    weight: float = 1.0
    severity: Severity = Severity.BLOCK
    minimum: float | None = None


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What one rule said of one pair; the reason is empty when it passed."""

    rule: Rule
    passed: bool
    reason: str


# A rule that alone tells right from wrong blocks; the two that judge tone only weigh, and weigh more.
RULES = (
    Rule("entity_grounding"),
    Rule("numeric_consistency"),
    Rule("negation_flip"),
    Rule("date_consistency"),
    Rule("unit_consistency"),
    Rule("quantifier_scope", weight=3.0, severity=Severity.WARN),
    Rule("unsupported_certainty", weight=3.0, severity=Severity.WARN),
    Rule("traceability_floor", minimum=0.2),
)


class RulesScorer:
    """Score pairs by the weight of the rules that fail; `rules` changes settings by rule name."""

    is_model = False

    def __init__(self, rules: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.rules = configured(rules or {})

    @property
    def model_info(self) -> ModelInfo:
        """Name the engine and hash its settings."""
        return ModelInfo("rules", hash_json([_as_dict(rule) for rule in self.rules]))

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Score all pairs in one call; each premise is taken apart once."""
        facts: dict[str, Facts] = {}
        found: list[Entailment] = []
        for premise, hypothesis in checked_pairs(pairs):
            if premise not in facts:
                facts[premise] = Facts(premise)
            found.append(from_divergence(divergence(self._check(facts[premise], hypothesis))))
        return found

    def check(self, premise: str, hypothesis: str) -> list[RuleResult]:
        """Return what each enabled rule says of a pair."""
        ((premise, hypothesis),) = checked_pairs([(premise, hypothesis)])
        return self._check(Facts(premise), hypothesis)

    def _check(self, facts: Facts, hypothesis: str) -> list[RuleResult]:
        statements = read_statements(hypothesis, facts)
        results: list[RuleResult] = []
        for rule in self.rules:
            if rule.enabled:
                reason = next(filter(None, (_reason(rule, statement, facts) for statement in statements)), "")
                results.append(RuleResult(rule, not reason, reason))
        return results


def divergence(results: Sequence[RuleResult]) -> float:
    """Return the failed share of the weight, or 1 when a blocking rule failed."""
    failed = [result.rule for result in results if not result.passed]
    if any(rule.severity is Severity.BLOCK for rule in failed):
        return 1.0
    return sum(rule.weight for rule in failed) / sum(result.rule.weight for result in results)


def configured(changes: Mapping[str, Mapping[str, Any]]) -> tuple[Rule, ...]:
    """Apply settings to the eight rules; what is unknown is refused."""
    if not isinstance(changes, Mapping):
        raise InputTypeError(f"rules is a {type(changes).__name__}.", fix="pass a dict of rule names to settings")
    names = [rule.name for rule in RULES]
    for name in changes:
        if name not in names:
            raise InputError(f"There is no rule {name!r}.", fix=f"use one of {', '.join(names)}")
    rules = tuple(_changed(rule, changes.get(rule.name, {})) for rule in RULES)
    if not sum(rule.weight for rule in rules if rule.enabled) > 0:
        raise InputError("No rule is left that counts.", why="all are switched off or weigh 0", fix="enable one")
    return rules


def _changed(rule: Rule, changes: Mapping[str, Any]) -> Rule:
    if not isinstance(changes, Mapping):
        raise InputTypeError(
            f"The settings of {rule.name} are a {type(changes).__name__}.", fix='pass a dict such as {"enabled": False}'
        )
    known = {"enabled", "weight", "severity"} | ({"minimum"} if rule.minimum is not None else set())
    for key, value in changes.items():
        if key not in known:
            raise InputError(f"The rule {rule.name} has no setting {key!r}.", fix=f"use {', '.join(sorted(known))}")
        if not _fits(key, value):
            raise InputError(
                f"{key} of {rule.name} is {value!r}.",
                fix="enabled: true or false; weight: 0 or more; severity: info, warn or block; minimum: 0 to 1",
            )
    severity = Severity(changes.get("severity", rule.severity))
    return replace(rule, **{**changes, "severity": severity})


def _fits(key: str, value: object) -> bool:
    if key == "enabled":
        return isinstance(value, bool)
    if key == "severity":
        return isinstance(value, str) and value in list(Severity)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= (1 if key == "minimum" else 1_000_000) and math.isfinite(value)


def _as_dict(rule: Rule) -> dict[str, Any]:
    return {name: getattr(rule, name) for name in ("name", "enabled", "weight", "severity", "minimum")}


_CHECKS: dict[str, Callable[[Statement, Facts], str]] = {
    "entity_grounding": rule_checks.ungrounded_name,
    "numeric_consistency": rule_checks.wrong_number,
    "negation_flip": rule_checks.turned_round,
    "date_consistency": rule_checks.wrong_date,
    "unit_consistency": rule_checks.wrong_unit,
    "quantifier_scope": rule_checks.wider_scope,
    "unsupported_certainty": rule_checks.too_certain,
}


def _reason(rule: Rule, statement: Statement, facts: Facts) -> str:
    if rule.minimum is not None:
        return rule_checks.hardly_traceable(statement, facts, rule.minimum)
    return _CHECKS[rule.name](statement, facts)
