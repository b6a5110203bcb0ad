"""Guards for what agents do: six small checks, each with its verdict and one safety event."""

from groundwire.hooks.attestation import Evidence, EvidencePacket, PassportVerifier, issue_passport, revoke
from groundwire.hooks.containment import Action, ActionKind, ContainmentGuard, NonceLog, issue_anchor
from groundwire.hooks.ontology import OntologyChecker
from groundwire.hooks.physical import PhysicalGrounding
from groundwire.hooks.policy import HookPolicy, load_policy
from groundwire.hooks.signing import new_key, public_hex
from groundwire.hooks.swarm import HandoffChecker, Hop, extend_chain
from groundwire.hooks.trajectory import Step, TrajectoryPreflight, confirmation
from groundwire.types import (
    ContainmentVerdict,
    GroundingVerdict,
    HandoffResult,
    HookFinding,
    OntologyViolation,
    PassportVerdict,
    PreflightVerdict,
)

__all__ = [
    "Action",
    "ActionKind",
    "ContainmentGuard",
    "ContainmentVerdict",
    "Evidence",
    "EvidencePacket",
    "GroundingVerdict",
    "HandoffChecker",
    "HandoffResult",
    "HookFinding",
    "HookPolicy",
    "Hop",
    "NonceLog",
    "OntologyChecker",
    "OntologyViolation",
    "PassportVerdict",
    "PassportVerifier",
    "PhysicalGrounding",
    "PreflightVerdict",
    "Step",
    "TrajectoryPreflight",
    "confirmation",
    "extend_chain",
    "issue_anchor",
    "issue_passport",
    "load_policy",
    "new_key",
    "public_hex",
    "revoke",
]
