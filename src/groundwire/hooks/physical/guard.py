"""`PhysicalGrounding`: a command with units against limits, zones, rates and interlocks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from time import perf_counter
from typing import Any

from groundwire.hooks.extras import load
from groundwire.hooks.outcome import failed, settle
from groundwire.hooks.physical.geometry import Ball, Box, Point, clearance
from groundwire.hooks.physical.units import Measure, UnitError, read_measure, read_unit
from groundwire.hooks.policy import HookPolicy, load_policy
from groundwire.hooks.schema import Path
from groundwire.types import GroundingVerdict, HookFinding, HookScope

HOOK_ID = "physical.grounding"
AXES = ("x", "y", "z")
# Conversion rounds in the sixteenth digit: a value on the limit stays on it in every unit.
_RELATIVE = 1e-9
_TOUCH = 1e-9  # metres: touching a zone counts as entering it
_MAX_VALUES = 200

Reach = Callable[[Point], bool]


@dataclass(frozen=True, slots=True)
class Limit:
    """The bounds of one quantity; with a maximum alone its size is bounded in both directions."""

    low: Measure | None
    high: Measure | None


@dataclass(frozen=True, slots=True)
class Rules:
    """A policy with every unit read."""

    limits: Mapping[str, Limit]
    rates: Mapping[str, Measure]
    zones: Mapping[str, Box | Ball]
    interlocks: tuple[Mapping[str, Any], ...]
    actions: tuple[str, ...]


class PhysicalGrounding:
    """Hold every command against the limits of a machine; safe to share between threads."""

    def __init__(
        self, policy: HookPolicy | Mapping[str, Any] | str | FilePath, *, reachable: Reach | None = None
    ) -> None:
        load("pint", "PhysicalGrounding")
        self.policy = load_policy(policy, "physical")
        self.rules = compile_policy(self.policy)
        self.reachable = reachable
        self._policy_hash = self.policy.hash

    def check(self, command: Mapping[str, Any], state: Mapping[str, Any] | None = None) -> GroundingVerdict:
        """Judge {action, values} in the state {values, elapsed, signals} before it. Never raises."""
        started = perf_counter()
        desk = _Desk({}, [])
        action = ""
        try:
            action = command.get("action", "")
            self._judge(desk, command, state or {})
        except UnitError as problem:
            desk.findings.append(HookFinding(problem.rule, "values", problem.what))
        except Exception as error:  # the edge of the guard: what breaks, blocks
            desk.findings.append(failed(error))
        shared = settle(
            HOOK_ID, HookScope.CYBER_PHYSICAL, started, desk.findings, attributes={"policy": self._policy_hash[:16]}
        )
        violated = tuple(item.where for item in desk.findings if item.rule in _LIMIT_RULES)
        return GroundingVerdict(**shared, command=str(action)[:80], violated_limits=violated, margins=desk.margins)

    def _judge(self, desk: "_Desk", command: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        rules = self.rules
        action, values = command.get("action"), command.get("values", {})
        if action not in rules.actions:
            desk.findings.append(HookFinding("unknown_action", "action", "The policy does not know this action."))
            return
        unknown = [name for name in values if name not in rules.limits]
        if unknown or len(values) > _MAX_VALUES:
            detail = "The policy has no limit for it, so that nothing would be checked."
            desk.findings.append(HookFinding("unknown_quantity", str(unknown[:1])[:80], detail))
            return
        read = {name: self._read(name, value) for name, value in values.items()}
        before = {
            name: self._read(name, value) for name, value in state.get("values", {}).items() if name in rules.limits
        }
        for name, measure in read.items():
            _check_limit(desk, name, measure, rules.limits[name])
            if name in rules.rates and name in before:
                self._check_rate(desk, name, measure, before[name], state.get("elapsed"))
        if any(axis in read for axis in AXES):
            self._check_position(desk, read, before)
        for lock in rules.interlocks:
            if action in lock["actions"]:
                signal = state.get("signals", {}).get(lock["signal"])
                # Exactly the wanted value: 1 or "true" from a broken sensor opens nothing.
                if type(signal) is not type(lock["equals"]) or signal != lock["equals"]:
                    where = f"interlock.{lock['name']}"
                    desk.findings.append(
                        HookFinding("interlock_open", where, "The interlock is not in its safe state.")
                    )

    def _read(self, name: str, value: Any) -> Measure:
        measure, limit = read_measure(value), self.rules.limits[name]
        wanted = limit.high or limit.low
        if wanted is None or measure.unit.kind != wanted.unit.kind or measure.unit.difference:
            raise UnitError("wrong_dimension", f"{name} is not given in a unit of its kind.")
        return measure

    def _check_rate(self, desk: "_Desk", name: str, now: Measure, before: Measure, elapsed: Any) -> None:
        limit = self.rules.rates[name]
        if elapsed is None:
            desk.findings.append(HookFinding("elapsed_unusable", name, "The state before is known, but not the time."))
            return
        time = read_measure(elapsed)
        if time.unit.kind != read_unit("s").kind or not time.value > 0:
            desk.findings.append(HookFinding("elapsed_unusable", name, "The elapsed time is not above zero."))
            return
        desk.weigh("rate_limit", f"{name}.rate", limit.value - abs(now.value - before.value) / time.value, limit)

    def _check_position(self, desk: "_Desk", read: Mapping[str, Measure], before: Mapping[str, Measure]) -> None:
        missing = [axis for axis in AXES if axis in self.rules.limits and axis not in read and axis not in before]
        if missing:
            desk.findings.append(HookFinding("position_incomplete", missing[0], "An axis of the target is not known."))
            return
        if not all(axis in self.rules.limits for axis in AXES):
            return
        end = _point({**before, **read})
        start = _point(before) if all(axis in before for axis in AXES) else end
        for name, zone in self.rules.zones.items():
            gap = clearance(zone, start, end)
            desk.margins[f"keep_out.{name}"] = gap
            if not gap > _TOUCH:
                desk.findings.append(HookFinding("keep_out", f"keep_out.{name}", "The straight move enters the zone."))
        if self.reachable is not None and self.reachable(end) is not True:
            desk.findings.append(HookFinding("not_reachable", "reach", "The reachability function says no."))


_LIMIT_RULES = ("limit", "rate_limit", "keep_out", "interlock_open", "not_reachable")


@dataclass(slots=True)
class _Desk:
    """What is gathered while a command is judged."""

    margins: dict[str, float]
    findings: list[HookFinding]

    def weigh(self, rule: str, name: str, margin: float, limit: Measure) -> None:
        """Note a margin in the limit's own unit, and a finding when it is used up."""
        self.margins[name] = margin / limit.unit.factor
        if not margin >= -_RELATIVE * max(abs(limit.value), abs(limit.value - margin), abs(limit.unit.factor)):
            detail = f"The limit is passed by {-self.margins[name]:.6g} {limit.unit.text}."
            self.findings.append(HookFinding(rule, name, detail))


def _check_limit(desk: _Desk, name: str, measure: Measure, limit: Limit) -> None:
    axis = name in AXES
    if axis and limit.low and limit.high:
        nearest = min((limit.high, limit.low), key=lambda bound: abs(bound.value - measure.value))
        margin = min(limit.high.value - measure.value, measure.value - limit.low.value)
        desk.weigh("limit", f"workspace.{name}", margin, nearest)
        return
    if limit.high:
        value = measure.value if limit.low else abs(measure.value)
        desk.weigh("limit", f"{name}.max", limit.high.value - value, limit.high)
    if limit.low:
        desk.weigh("limit", f"{name}.min", measure.value - limit.low.value, limit.low)


def _point(values: Mapping[str, Measure]) -> Point:
    return (values["x"].value, values["y"].value, values["z"].value)


def compile_policy(policy: HookPolicy) -> Rules:
    """Read every unit of a policy, and refuse limits that cannot be held."""
    values = policy.values
    limits = {
        name: Limit(*(_measured(policy, ("workspace", name, n), text) for n, text in enumerate(bounds)))
        for name, bounds in values.get("workspace", {}).items()
    }
    for name, bounds in values.get("limits", {}).items():
        if name in limits:
            raise policy.fault(("limits", name), f"{name!r} stands in workspace too", "keep one of them", on_key=True)
        limits[name] = Limit(
            *(
                _measured(policy, ("limits", name, end), bounds[end]) if end in bounds else None
                for end in ("min", "max")
            )
        )
    for name, limit in limits.items():
        part = "workspace" if name in values.get("workspace", {}) else "limits"
        _refuse_crossed(policy, (part, name), limit)
        if part == "workspace" and limit.low and limit.low.unit.kind != read_unit("m").kind:
            raise policy.fault((part, name), "is no length", "give lengths, such as 800 mm")
    rates = {name: _measured(policy, ("rates", name), text) for name, text in values.get("rates", {}).items()}
    for name, rate in rates.items():
        if name not in limits:
            raise policy.fault(("rates", name), f"{name!r} has no limit", "add it to limits", on_key=True)
        _refuse_other_rate(policy, name, rate, limits[name])
    for number, lock in enumerate(values.get("interlocks", ())):
        for place, action in enumerate(lock["actions"]):
            if action not in values["actions"]:
                at: Path = ("interlocks", number, "actions", place)
                raise policy.fault(at, f"{action!r} is no action of this policy", "list it in actions")
    names = [zone["name"] for zone in values.get("keep_out", ())]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise policy.fault(("keep_out", number, "name"), f"{name!r} stands there twice", "give each its own name")
    zones = {zone["name"]: _zone(policy, n, zone) for n, zone in enumerate(values.get("keep_out", ()))}
    if zones and not all(axis in limits for axis in AXES):
        raise policy.fault(("keep_out",), "needs x, y and z in the workspace", "add them", on_key=True)
    return Rules(limits, rates, zones, tuple(values.get("interlocks", ())), tuple(values["actions"]))


def _measured(policy: HookPolicy, path: Path, text: Any) -> Measure:
    try:
        return read_measure(text)
    except UnitError as problem:
        raise policy.fault(path, f"is {text!r}: {problem.what.rstrip('.').lower()}", problem.fix) from problem


def _refuse_crossed(policy: HookPolicy, path: Path, limit: Limit) -> None:
    if limit.low and limit.high:
        if limit.low.unit.kind != limit.high.unit.kind:
            raise policy.fault(path, "has two bounds of different kinds", "give both in units of one kind")
        if not limit.low.value <= limit.high.value:
            raise policy.fault(path, "has its lower bound above its upper bound", "swap them")


def _refuse_other_rate(policy: HookPolicy, name: str, rate: Measure, limit: Limit) -> None:
    bound = limit.high or limit.low
    if bound is None:
        return
    # A rate is a change over a time: times a second it must be of the quantity's own kind.
    probe = read_measure(f"1 {rate.unit.text}*s") if len(rate.unit.text) < 60 else rate
    if probe.unit.kind != bound.unit.kind or rate.unit.offset or not rate.value > 0:
        what = f"is no rate of {name}"
        raise policy.fault(("rates", name), what, "give a change over a time, such as '10 delta_degC/min'")


def _zone(policy: HookPolicy, number: int, zone: Mapping[str, Any]) -> Box | Ball:
    at: Path = ("keep_out", number)
    if ("box" in zone) == ("sphere" in zone):
        raise policy.fault(at, "has not exactly one shape", "give a box or a sphere")
    if "box" in zone:
        sides = [
            [_length(policy, (*at, "box", axis, n), text) for n, text in enumerate(zone["box"][axis])] for axis in AXES
        ]
        if any(low > high for low, high in sides):
            raise policy.fault((*at, "box"), "has a side whose lower bound is above the upper", "swap them")
        return Box((sides[0][0], sides[1][0], sides[2][0]), (sides[0][1], sides[1][1], sides[2][1]))
    x, y, z = (_length(policy, (*at, "sphere", "centre", n), t) for n, t in enumerate(zone["sphere"]["centre"]))
    return Ball((x, y, z), _length(policy, (*at, "sphere", "radius"), zone["sphere"]["radius"]))


def _length(policy: HookPolicy, path: Path, text: Any) -> float:
    measure = _measured(policy, path, text)
    if measure.unit.kind != read_unit("m").kind:
        raise policy.fault(path, f"is {text!r}, which is no length", "give a length, such as 300 mm")
    return measure.value
