"""The one tenant-safe record that every hook emits."""

import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Self

from groundwire.errors import InputError
from groundwire.types.halt import HaltEvidence, HaltTraceAttribution

SAFETY_EVENT_SCHEMA = "groundwire.safety_event.v1"


class HookScope(StrEnum):
    """Which kind of hook emitted an event."""

    STREAMING = "streaming"
    CONTAINMENT = "containment"
    ATTESTATION = "attestation"
    ONTOLOGY = "ontology"
    TRAJECTORY = "trajectory"
    CYBER_PHYSICAL = "cyber_physical"
    SWARM = "swarm"
    AGENT = "agent"


class PolicyDecision(StrEnum):
    """What a hook decided."""

    ALLOW = "allow"
    WARN = "warn"
    HALT = "halt"
    BLOCK = "block"


def _event_id() -> str:
    return uuid.uuid4().hex


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class SafetyEvent:
    """A decision of a hook, without any prompt, response or fact text."""

    hook_id: str
    hook_scope: str
    policy_decision: str
    schema_version: str = SAFETY_EVENT_SCHEMA
    event_id: str = field(default_factory=_event_id)
    timestamp: str = field(default_factory=_now)
    request_id: str = ""
    tenant_id: str = ""
    halt_reason: str = ""
    threshold: float | None = None
    observed_score: float | None = None
    latency_ms: float | None = None
    evidence_refs: tuple[str, ...] = ()
    tenant_safe_explanation: str = ""
    trace_attribution: HaltTraceAttribution | None = None
    attributes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _require_member("hook_scope", self.hook_scope, HookScope)
        _require_member("policy_decision", self.policy_decision, PolicyDecision)
        if not self.timestamp.endswith(("Z", "+00:00")):
            raise InputError(f"The timestamp {self.timestamp!r} is not UTC.", fix="end it in Z or +00:00")
        for name, value in self.attributes.items():
            if not isinstance(name, str) or not isinstance(value, str):
                raise InputError(
                    f"The attribute {name!r} is not a string pair.", fix="use string keys and string values"
                )
        # A list given by the caller would stay changeable from outside.
        object.__setattr__(self, "evidence_refs", tuple(self.evidence_refs))

    @classmethod
    def from_halt_evidence(
        cls,
        evidence: HaltEvidence,
        *,
        hook_id: str,
        hook_scope: str = HookScope.STREAMING,
        request_id: str = "",
        tenant_id: str = "",
        latency_ms: float | None = None,
        evidence_refs: tuple[str, ...] = (),
        attributes: Mapping[str, str] | None = None,
    ) -> Self:
        """Turn the evidence of a halt into an event that carries no text of it."""
        trace = evidence.trace_attribution
        return cls(
            hook_id=hook_id,
            hook_scope=hook_scope,
            policy_decision=PolicyDecision.HALT,
            request_id=request_id,
            tenant_id=tenant_id,
            halt_reason=evidence.reason,
            threshold=None if trace is None else trace.threshold,
            observed_score=evidence.last_score,
            latency_ms=latency_ms,
            evidence_refs=evidence_refs,
            tenant_safe_explanation=f"The stream was stopped: {evidence.reason}.",
            trace_attribution=trace,
            attributes=dict(attributes or {}),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON types only."""
        plain = asdict(self)
        plain["evidence_refs"] = list(self.evidence_refs)
        plain["hook_scope"] = str(self.hook_scope)
        plain["policy_decision"] = str(self.policy_decision)
        return plain

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read an event back and pass over keys a newer version may have added."""
        known = {item.name for item in fields(cls)}
        kept = {name: value for name, value in values.items() if name in known}
        trace = kept.get("trace_attribution")
        if isinstance(trace, Mapping):
            names = {item.name for item in fields(HaltTraceAttribution)}
            kept["trace_attribution"] = HaltTraceAttribution(**{k: v for k, v in trace.items() if k in names})
        missing = [name for name in ("hook_id", "hook_scope", "policy_decision") if name not in kept]
        if missing:
            raise InputError(f"The event has no {missing[0]!r}.", fix="pass a dictionary made by to_dict")
        return cls(**kept)


def _require_member(name: str, value: str, members: type[StrEnum]) -> None:
    known = [str(member) for member in members]
    if value not in known:
        raise InputError(f"{name} is {value!r}.", fix=f"choose from {', '.join(known)}")
