"""Every threshold and switch of the audit in one frozen value, with the hashes that name it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final, Self

from groundwire.audit.coverage import DEFAULT_MIN_CITATION_COVERAGE
from groundwire.audit.entities import (
    DEFAULT_ENTITY_POLICY,
    DEFAULT_PROXIMITY_N,
    DEFAULT_PROXIMITY_WINDOW,
    ENTITY_POLICIES,
)
from groundwire.audit.evidence_map import DEFAULT_ALLOWED_SOURCE_ROLES
from groundwire.audit.lattice import (
    COLLAPSE_LINE_CHARS,
    COLLAPSE_MIN_LINES,
    DEFAULT_LAZY_ANCHOR_DEMOTE_MIN_PAIRS,
    DEFAULT_LAZY_ANCHOR_DEMOTE_THRESHOLD,
    DEFAULT_MAX_CLAIMS_PER_ANSWER,
    DEFAULT_MAX_POINTERS_PER_CLAIM,
    DEFAULT_MIN_CLAIM_CONTENT_TOKENS,
    DEFAULT_SUBJECT_TOKENS_ABSENT_THRESHOLD,
)
from groundwire.audit.outcomes import ANSWER_MODES, DEFAULT_ANSWER_MODE
from groundwire.audit.paraphrase import DEFAULT_PARAPHRASE_COVERAGE, DEFAULT_PARAPHRASE_MIN_TOKENS
from groundwire.audit.spans import MIN_QUOTE_CHARS, MIN_SPAN_CHARS
from groundwire.errors import PolicyError
from groundwire.ledger import hash_json
from groundwire.types.policy import read_policy_file, refuse_unknown_fields

# Fixed by the contract, and part of the hash all the same: a release that changes one changes the hash.
_FIXED: Final = {
    "min_quote_chars": MIN_QUOTE_CHARS,
    "min_span_chars": MIN_SPAN_CHARS,
    "paraphrase_coverage": DEFAULT_PARAPHRASE_COVERAGE,
    "paraphrase_min_tokens": DEFAULT_PARAPHRASE_MIN_TOKENS,
    "collapse_min_lines": COLLAPSE_MIN_LINES,
    "collapse_line_chars": COLLAPSE_LINE_CHARS,
}
_GOVERNANCE_ONLY: Final = ("answer_mode", "prompt_max_evidence", "prompt_max_span_chars")
_SHARES: Final = ("min_citation_coverage", "lazy_anchor_demote_threshold")
_SWITCHES: Final = (
    "cover_unquoted",
    "local_paraphrase",
    "warrant_check_enabled",
    "deflection_check_enabled",
    "format_collapse_check_enabled",
)
_COUNTS: Final = {
    "proximity_n": 1,
    "proximity_window": 0,
    "max_pointers_per_claim": 1,
    "min_claim_content_tokens": 0,
    "lazy_anchor_demote_min_pairs": 1,
    "max_claims_per_answer": 1,
    "subject_tokens_absent_threshold": 0,
    "prompt_max_evidence": 1,
    "prompt_max_span_chars": 1,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPolicy:
    """Thresholds and switches of an audit; equal policies share their hashes."""

    answer_mode: str = DEFAULT_ANSWER_MODE
    entity_policy: str = DEFAULT_ENTITY_POLICY
    proximity_n: int = DEFAULT_PROXIMITY_N
    proximity_window: int = DEFAULT_PROXIMITY_WINDOW
    cover_unquoted: bool = False
    local_paraphrase: bool = False
    allowed_source_roles: tuple[str, ...] = DEFAULT_ALLOWED_SOURCE_ROLES
    max_pointers_per_claim: int = DEFAULT_MAX_POINTERS_PER_CLAIM
    min_citation_coverage: float = DEFAULT_MIN_CITATION_COVERAGE
    min_claim_content_tokens: int = DEFAULT_MIN_CLAIM_CONTENT_TOKENS
    lazy_anchor_demote_threshold: float = DEFAULT_LAZY_ANCHOR_DEMOTE_THRESHOLD
    lazy_anchor_demote_min_pairs: int = DEFAULT_LAZY_ANCHOR_DEMOTE_MIN_PAIRS
    max_claims_per_answer: int = DEFAULT_MAX_CLAIMS_PER_ANSWER
    subject_tokens_absent_threshold: int = DEFAULT_SUBJECT_TOKENS_ABSENT_THRESHOLD
    warrant_check_enabled: bool = True
    deflection_check_enabled: bool = True
    format_collapse_check_enabled: bool = True
    warrant_chain_roots: tuple[str, ...] = ()
    prompt_max_evidence: int = 30
    prompt_max_span_chars: int = 1_200

    def __post_init__(self) -> None:
        _require_choice("answer_mode", self.answer_mode, ANSWER_MODES)
        _require_choice("entity_policy", self.entity_policy, ENTITY_POLICIES)
        for name, least in _COUNTS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise PolicyError(f"{name} is {value!r}.", fix=f"give a whole number from {least} up")
        for name in _SHARES:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
                raise PolicyError(f"{name} is {value!r}.", fix="give a number from 0 to 1")
        for name in _SWITCHES:
            if not isinstance(getattr(self, name), bool):
                raise PolicyError(f"{name} is {getattr(self, name)!r}.", fix="use true or false")
        for name in ("allowed_source_roles", "warrant_chain_roots"):
            value = getattr(self, name)
            if isinstance(value, str) or not all(isinstance(item, str) for item in value):
                raise PolicyError(f"{name} is {value!r}.", fix="give a list of texts")
            # Their order means nothing, so that it must not change the hash.
            object.__setattr__(self, name, tuple(sorted(set(value))))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON types."""
        values = asdict(self)
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build a policy from a mapping and refuse fields it does not know."""
        refuse_unknown_fields(values, [item.name for item in fields(cls)])
        return cls(**values)

    @classmethod
    def from_yaml(cls, path: str | Path) -> Self:
        """Load a policy from a YAML file."""
        return cls.from_dict(read_policy_file(path))


def verifier_policy_hash(policy: AuditPolicy) -> str:
    """Hash every threshold and switch of the verifier."""
    values = {name: value for name, value in policy.to_dict().items() if name not in _GOVERNANCE_ONLY}
    return hash_json({**values, **_FIXED})


def governance_policy_hash(policy: AuditPolicy) -> str:
    """Hash the full policy, answer mode and prompt limits included."""
    return hash_json({**policy.to_dict(), **_FIXED})


def _require_choice(name: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise PolicyError(f"{name} is {value!r}.", fix=f"choose from {', '.join(known)}")
