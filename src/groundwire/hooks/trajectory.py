"""`TrajectoryPreflight`: a plan before it runs, against budgets, order, confirmation and grounds."""

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from time import perf_counter
from typing import Any

from groundwire.hooks.outcome import failed, settle
from groundwire.hooks.policy import HookPolicy, load_policy
from groundwire.ledger import hash_json
from groundwire.text.numerals import find_numerals
from groundwire.types import HookFinding, HookScope, PreflightVerdict

HOOK_ID = "trajectory.preflight"
MAX_STEPS = 1_000
MAX_SOURCES = 1_000_000
_MAX_DEPTH = 20
_MOST_HITS = 10_000
_MAX_REPEAT = 1_000_000
_REFERENCE = re.compile(r"\{\{\s?([\w-]{1,80})(?:\.[\w.-]{1,200})?\s?\}\}")
_NAME = re.compile(r"[A-Za-z_][\w-]{0,63}")
_SIZES = ("cost", "seconds")
_Z = 1.959964  # two-sided 95 %


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a plan; an argument '{{name.field}}' or '{{2}}' stands for what an earlier step returns."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    repeat: int = 1
    cost: float = 0.0
    seconds: float = 0.0


Simulator = Callable[[Sequence[Step], random.Random], bool]


def confirmation(step: Step) -> str:
    """Return what a person signs off: this tool with exactly these arguments."""
    return hash_json({"tool": step.tool, "arguments": dict(step.arguments)})


def wilson(harms: int, samples: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (E. B. Wilson, 1927)."""
    share, z2 = harms / samples, _Z * _Z
    middle = (share + z2 / (2 * samples)) / (1 + z2 / samples)
    half = _Z * math.sqrt(share * (1 - share) / samples + z2 / (4 * samples**2)) / (1 + z2 / samples)
    return max(0.0, middle - half), min(1.0, middle + half)


class TrajectoryPreflight:
    """Judge plans before they run; safe to share between threads."""

    def __init__(self, policy: HookPolicy | Mapping[str, Any] | str | FilePath, *, seed: int = 0) -> None:
        self.policy = load_policy(policy, "trajectory")
        compile_policy(self.policy)
        self.seed = seed
        self._policy_hash = self.policy.hash

    def check(
        self,
        plan: Sequence[Step],
        *,
        sources: str | Sequence[str] = (),
        confirmations: Sequence[str] = (),
        simulator: Simulator | None = None,
    ) -> PreflightVerdict:
        """Judge a plan; sources are what the user said and what is known. Never raises."""
        started = perf_counter()
        risk, interval, limit = None, None, self.policy.values.get("max_risk")
        findings: list[HookFinding] = []
        try:
            texts = [sources] if isinstance(sources, str) else list(sources)
            findings = self._judge(plan, texts, confirmations)
            # A broken plan is not run, not even in a simulator.
            if simulator is not None and not any(item.rule == "malformed_plan" for item in findings):
                risk, interval = self._simulate(plan, simulator)
                if limit is not None and not interval[1] <= limit:
                    detail = f"The upper end of the 95 % interval is {interval[1]:.3f}, above {limit}."
                    findings.append(HookFinding("risk", "plan", detail))
        except Exception as error:  # the edge of the guard: what breaks, blocks
            findings = [*findings, failed(error)]
        shared = settle(
            HOOK_ID,
            HookScope.TRAJECTORY,
            started,
            findings,
            score=risk,
            threshold=limit,
            attributes={"policy": self._policy_hash[:16]},
        )
        count = len(plan) if isinstance(plan, Sequence) else 0
        return PreflightVerdict(**shared, steps=count, predicted_risk=risk, risk_interval=interval)

    def _judge(self, plan: Sequence[Step], texts: list[str], confirmations: Sequence[str]) -> list[HookFinding]:
        broken = _malformed(plan)
        if broken:
            return [broken]
        if sum(map(len, texts)) > MAX_SOURCES:
            return [HookFinding("sources_too_long", "sources", f"They have more than {MAX_SOURCES:,} characters.")]
        tools = self.policy.values["tools"]
        unknown = [number for number, step in enumerate(plan) if step.tool not in tools]
        if unknown:
            return [HookFinding("unknown_tool", f"step {n + 1}", "The policy does not know the tool.") for n in unknown]
        return [
            *self._budgets(plan),
            *self._order(plan),
            *self._confirmed(plan, confirmations),
            *self._grounds(plan, texts),
        ]

    def _budgets(self, plan: Sequence[Step]) -> Iterator[HookFinding]:
        tools, budgets = self.policy.values["tools"], self.policy.values.get("budgets", {})
        spent = {"steps": float(sum(step.repeat for step in plan))}
        for size in _SIZES:
            # The policy's price is the least a step costs: a plan cannot make itself cheaper.
            spent[size] = sum(max(getattr(step, size), tools[step.tool].get(size, 0)) * step.repeat for step in plan)
        for name, most in budgets.items():
            if not spent[name] <= most:
                yield HookFinding(f"budget_{name}", "plan", f"The plan takes {spent[name]:g}, the budget is {most:g}.")
        calls: Counter[str] = Counter()
        for step in plan:
            calls[step.tool] += step.repeat
        for tool, count in calls.items():
            most = tools[tool].get("max_calls")
            if most is not None and count > most:
                yield HookFinding("call_limit", tool, f"It is called {count} times, {most} are allowed.")

    def _order(self, plan: Sequence[Step]) -> Iterator[HookFinding]:
        for rule in self.policy.values.get("forbidden", ()):
            for number, step in enumerate(plan):
                if step.tool != rule["after"]:
                    continue
                # A step that repeats comes after itself.
                later = [step.tool] * (step.repeat > 1) + [item.tool for item in plan[number + 1 :]]
                wrong = rule.get("never") in later if "never" in rule else later[:1] == [rule["next"]]
                if wrong:
                    yield HookFinding("forbidden_transition", f"step {number + 1}", "A later step may not follow it.")
                    break

    def _confirmed(self, plan: Sequence[Step], confirmations: Sequence[str]) -> Iterator[HookFinding]:
        left = Counter(confirmations)
        for number, step in enumerate(plan):
            if not self.policy.values["tools"][step.tool].get("irreversible"):
                continue
            wanted = confirmation(step)
            if left[wanted] < step.repeat:
                yield HookFinding("unconfirmed", f"step {number + 1}", "It cannot be undone and nobody confirmed it.")
            left[wanted] -= step.repeat

    def _grounds(self, plan: Sequence[Step], texts: list[str]) -> Iterator[HookFinding]:
        ground = _Ground(texts)
        known: set[str] = set()
        for number, step in enumerate(plan):
            free = self.policy.values["tools"][step.tool].get("free", ())
            for name, value in step.arguments.items():
                if name in free:
                    continue
                rule = _ungrounded({name: value}, known, ground)
                if rule:
                    detail = "No earlier step and no source gives it."
                    yield HookFinding(rule, f"step {number + 1}, {str(name)[:80]}", detail)
            known |= {str(number + 1), step.name} - {""}

    def _simulate(self, plan: Sequence[Step], simulator: Simulator) -> tuple[float, tuple[float, float]]:
        samples = int(self.policy.values.get("samples", 200))
        rng = random.Random(self.seed)  # noqa: S311 - samples, not secrets
        harms = sum(bool(simulator(plan, rng)) for _ in range(samples))
        return harms / samples, wilson(harms, samples)


def compile_policy(policy: HookPolicy) -> None:
    """Refuse rules about tools that the policy does not list."""
    tools = policy.values["tools"]
    for number, rule in enumerate(policy.values.get("forbidden", ())):
        if ("never" in rule) == ("next" in rule):
            raise policy.fault(("forbidden", number), "has not exactly one of 'never' and 'next'", "keep one of them")
        for end, tool in rule.items():
            if tool not in tools:
                raise policy.fault(
                    ("forbidden", number, end), f"{tool!r} is no tool of this policy", "list it in tools"
                )


class _Ground:
    """What the sources say: their text and their numbers."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.text = "\n".join(" ".join(text.split()).casefold() for text in texts)
        self._texts = texts
        self._numbers: frozenset[float] | None = None

    def has_number(self, value: float) -> bool:
        """Tell whether a source states this number."""
        if self._numbers is None:
            found = [item for text in self._texts for item in find_numerals(text)]
            self._numbers = frozenset(
                value for item in found for value in (item.value, item.other) if value is not None
            )
        return value in self._numbers

    def has_text(self, value: str) -> bool:
        """Tell whether a source holds this text as a whole word, address, path or phrase."""
        wanted = " ".join(value.split()).casefold()
        if not wanted:
            return True
        place = self.text.find(wanted)
        for _ in range(_MOST_HITS):
            if place < 0:
                return False
            if _stands_alone(self.text, place, place + len(wanted)):
                return True
            place = self.text.find(wanted, place + 1)
        return False


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Tell whether a hit is no piece of a longer word, number, address or path."""
    before, after, behind = text[start - 1 : start], text[end : end + 1], text[end + 1 : end + 2]
    if before and (before.isalnum() or before in "_@/.-+%\\$"):
        return False
    if after and (after.isalnum() or after in "_@/\\%"):
        return False
    # A dot, comma or dash ends a sentence or joins two parts of one thing; what follows tells.
    return not (after and after in ".,-+:" and (behind.isalnum() or behind == "_"))


def _ungrounded(value: Any, known: set[str], ground: _Ground, depth: int = 0) -> str:
    """Return the rule that a value breaks, or the empty string."""
    if depth > _MAX_DEPTH:
        return "ungrounded_argument"
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, Mapping):
        # A name that is no plain name is a value in disguise.
        odd = any(not isinstance(name, str) or not _NAME.fullmatch(name) for name in value)
        inner = next((rule for item in value.values() if (rule := _ungrounded(item, known, ground, depth + 1))), "")
        return "ungrounded_argument" if odd else inner
    if isinstance(value, list | tuple):
        return next((rule for item in value if (rule := _ungrounded(item, known, ground, depth + 1))), "")
    if isinstance(value, int | float):
        return "" if ground.has_number(float(value)) else "ungrounded_argument"
    if not isinstance(value, str):
        return "ungrounded_argument"
    reference = _REFERENCE.fullmatch(value)
    if reference:
        return "" if reference[1] in known else "bad_reference"
    return "" if ground.has_text(value) else "ungrounded_argument"


def _malformed(plan: Sequence[Step]) -> HookFinding | None:
    if not isinstance(plan, list | tuple) or not plan or len(plan) > MAX_STEPS:
        return HookFinding("malformed_plan", "plan", f"A plan has 1 to {MAX_STEPS} steps.")
    names = [step.name for step in plan if step.name]
    if len(set(names)) != len(names) or any(name.isdigit() for name in names):
        return HookFinding("malformed_plan", "plan", "Two steps share a name, or a name is a number.")
    for number, step in enumerate(plan):
        whole = isinstance(step.repeat, int) and not isinstance(step.repeat, bool) and 0 < step.repeat <= _MAX_REPEAT
        sizes = [getattr(step, size) for size in _SIZES]
        fine = all(isinstance(size, int | float) and 0 <= size < math.inf for size in sizes)
        if not whole or not fine or not isinstance(step.arguments, Mapping):
            return HookFinding(
                "malformed_plan", f"step {number + 1}", "Its repeat, cost, time or arguments make no sense."
            )
    return None
