"""`ContainmentGuard`: one session, one scope, and a list of what may be done in it."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path as FilePath
from time import perf_counter
from typing import Any

from groundwire.hooks.containment.anchor import PROCESS_LOG, Anchor, NonceLog, Scope, open_anchor
from groundwire.hooks.containment.commands import RUNNER, CommandRules, check_command, manners
from groundwire.hooks.containment.hosts import HostRule, check_url, read_host_rule
from groundwire.hooks.containment.paths import Folders, check_path
from groundwire.hooks.containment.pleas import check_text
from groundwire.hooks.containment.statements import SqlRules, check_sql
from groundwire.hooks.extras import load
from groundwire.hooks.outcome import failed, settle
from groundwire.hooks.policy import HookPolicy, load_policy
from groundwire.hooks.signing import read_issuers
from groundwire.types import ContainmentVerdict, HookFinding, HookScope

HOOK_ID = "containment.guard"
_LONGEST_ACTION = 200


class ActionKind(StrEnum):
    """What an agent wants to do."""

    TOOL = "tool"
    URL = "url"
    COMMAND = "command"
    READ = "read"
    WRITE = "write"
    SQL = "sql"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Action:
    """One action: a URL, command, path, statement or text as `value`, or a tool's name with its arguments."""

    kind: str
    value: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rules:
    """The lists of one scope, ready to be asked."""

    tools: Mapping[str, Mapping[str, str]]
    commands: CommandRules
    sql: SqlRules | None


class ContainmentGuard:
    """Hold every action of one session against its scope; safe to share between threads."""

    def __init__(
        self,
        policy: HookPolicy | Mapping[str, Any] | str | FilePath,
        anchor: str | None,
        *,
        issuers: Mapping[str, str] | None = None,
        nonces: NonceLog | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        load("sqlglot", "ContainmentGuard")
        self.policy = load_policy(policy, "containment")
        self.rules = compile_policy(self.policy)
        self.clock = clock
        self._skew = float(self.policy.values.get("clock_skew_seconds", 30))
        keys = read_issuers({**self.policy.values.get("issuers", {}), **(issuers or {})})
        # A bad anchor is told with every check, as a verdict: the agent runs on, and gets nothing.
        self._anchor = open_anchor(anchor, keys, PROCESS_LOG if nonces is None else nonces)
        self._policy_hash = self.policy.hash

    def check(self, action: Action | str) -> ContainmentVerdict:
        """Judge one action; a plain string is text the agent wants to say. Never raises."""
        started = perf_counter()
        kind, value = ActionKind.TEXT.value, ""
        try:
            if isinstance(action, str):
                action = Action(ActionKind.TEXT, action)
            kind, value = str(action.kind), action.value
            found = self._judge(action)
        except Exception as error:  # the edge of the guard: what breaks, blocks
            found = failed(error)
        shared = settle(
            HOOK_ID,
            HookScope.CONTAINMENT,
            started,
            [found] if found else [],
            attributes={"zone": self._anchor.scope, "action": _known(kind), "policy": self._policy_hash[:16]},
        )
        shown = value[:_LONGEST_ACTION] if isinstance(value, str) else ""
        return ContainmentVerdict(**shared, zone=self._anchor.scope, requested_action=f"{_known(kind)}: {shown}")

    def _judge(self, action: Action) -> HookFinding | None:
        problem = _anchor_problem(self._anchor, self.clock(), self._skew)
        if problem:
            return problem
        rules = self.rules.get(self._anchor.scope)
        if rules is None:
            return HookFinding("scope_without_rules", "anchor", "The policy has no rules for the scope of the session.")
        if action.kind == ActionKind.TOOL:
            return _check_tool(action, rules)
        return _check_value(str(action.kind), action.value, rules)


def compile_policy(policy: HookPolicy) -> dict[str, Rules]:
    """Make the lists of every scope ready, and refuse what cannot be held."""
    return {name: _compile_scope(policy, name) for name in policy.values["scopes"]}


def _compile_scope(policy: HookPolicy, name: str) -> Rules:
    at = ("scopes", name)
    if name not in [str(item) for item in Scope]:
        known = ", ".join(str(item) for item in Scope)
        raise policy.fault(at, f"{name!r} is no scope", f"choose from {known}", on_key=True)
    values = policy.values["scopes"][name] or {}
    hosts: list[HostRule] = []
    for number, text in enumerate(values.get("hosts", ())):
        rule = read_host_rule(text)
        if rule is None:
            fix = "write a plain ASCII host, *.host, an address, or host:port"
            raise policy.fault((*at, "hosts", number), f"{text!r} is no host", fix)
        hosts.append(rule)
    commands: list[tuple[str, ...]] = []
    for number, text in enumerate(values.get("commands", ())):
        words = tuple(text.split())
        known_manner = manners().get(words[0]) if words else None
        if not words or (known_manner and known_manner.kind == RUNNER):
            what = f"{text!r} runs any program it is told to"
            fix = "list the programs themselves, or give the agent a tool of its own"
            raise policy.fault((*at, "commands", number), what, fix)
        commands.append(words)
    folders = Folders(
        os.path.realpath(policy.values.get("workdir", "/")),
        _folders(policy, (*at, "paths", "read"), values.get("paths", {}).get("read", ())),
        _folders(policy, (*at, "paths", "write"), values.get("paths", {}).get("write", ())),
    )
    schemes = tuple(values.get("schemes", ("https",)))
    shell = CommandRules(tuple(commands), folders, tuple(hosts), schemes)
    return Rules(values.get("tools", {}), shell, _sql(policy, (*at, "sql", "dialect"), values.get("sql")))


def _folders(policy: HookPolicy, at: tuple[str, ...], paths: Any) -> tuple[str, ...]:
    for number, path in enumerate(paths):
        if not os.path.isabs(path):
            raise policy.fault((*at, number), f"{path!r} is no absolute path", "begin it with /")
    return tuple(os.path.realpath(path) for path in paths)


def _sql(policy: HookPolicy, at: tuple[str, ...], values: Mapping[str, Any] | None) -> SqlRules | None:
    if values is None:
        return None
    dialects = load("sqlglot", "Checking SQL").Dialect.classes
    if values["dialect"] not in dialects:
        known = ", ".join(sorted(name for name in dialects if name))
        raise policy.fault(at, f"{values['dialect']!r} is no dialect", f"choose from {known}")
    return SqlRules(
        values["dialect"], tuple(values["statements"]), tuple(values["tables"]), tuple(values.get("functions", ()))
    )


def _anchor_problem(anchor: Anchor, now: float, skew: float) -> HookFinding | None:
    if anchor.problem:
        return HookFinding(anchor.problem, "anchor", anchor.detail)
    if not now <= anchor.expires_at + skew:
        return HookFinding("anchor_expired", "anchor", "The session is over.")
    if not now >= anchor.not_before - skew:
        return HookFinding("anchor_not_yet_valid", "anchor", "The anchor was issued in the future.")
    return None


def _check_tool(action: Action, rules: Rules) -> HookFinding | None:
    kinds = rules.tools.get(action.value)
    if kinds is None:
        return HookFinding("tool_not_allowed", "tool", f"The tool {action.value[:80]!r} is not on the list.")
    for name, value in action.arguments.items():
        kind = kinds.get(name)
        if kind is None:
            return HookFinding("argument_not_allowed", f"argument {str(name)[:80]}", "The policy does not describe it.")
        if kind == "any":
            continue
        if not isinstance(value, str):
            return HookFinding("argument_not_allowed", f"argument {name}", f"A {kind} must be one text.")
        found = _check_value(kind, value, rules)
        if found:
            return HookFinding(found.rule, f"argument {name}", found.detail)
    return None


def _check_value(kind: str, value: str, rules: Rules) -> HookFinding | None:
    shell = rules.commands
    match kind:
        case ActionKind.URL:
            return check_url(value, shell.hosts, shell.schemes)
        case ActionKind.COMMAND:
            return check_command(value, shell)
        case ActionKind.READ | ActionKind.WRITE:
            return check_path(value, shell.folders, write=kind == ActionKind.WRITE)
        case ActionKind.SQL:
            if rules.sql is None:
                return HookFinding("sql_kind", "sql", "The scope has no database.")
            return check_sql(value, rules.sql)
        case ActionKind.TEXT:
            return check_text(value)
    return HookFinding("unknown_action", "action", "There is no such kind of action.")


def _known(kind: str) -> str:
    return kind if kind in [str(item) for item in ActionKind] else "unknown"
