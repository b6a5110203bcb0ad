"""`PassportVerifier`: signature, validity, revocation, and rows that hold the claims."""

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path as FilePath
from time import perf_counter
from typing import Any

from groundwire.errors import GroundwireError, InputError
from groundwire.hooks.attestation.evidence import Evidence, EvidencePacket, count_claim
from groundwire.hooks.attestation.passport import REVOCATIONS, SCHEMA
from groundwire.hooks.outcome import failed, settle
from groundwire.hooks.policy import HookPolicy, load_policy
from groundwire.hooks.signing import read_issuers, unseal
from groundwire.ledger import leaf_hash, verify_proof
from groundwire.types import HookFinding, HookScope, PassportVerdict

HOOK_ID = "attestation.passport"
DEFAULTS = {"kind": "attestation", "version": 1}
_TOLERANCE = 1e-9


class PassportVerifier:
    """Check passports against known issuers; safe to share between threads."""

    def __init__(
        self,
        policy: HookPolicy | Mapping[str, Any] | str | FilePath | None = None,
        *,
        issuers: Mapping[str, str] | None = None,
        revocations: Sequence[str] = (),
        seed: int | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.policy = load_policy(DEFAULTS if policy is None else policy, "attestation")
        values = self.policy.values
        self._issuers = read_issuers({**values.get("issuers", {}), **(issuers or {})})
        if not self._issuers:
            raise InputError(
                "No issuer is known.", fix="give issuers={name: public key as hex} or list them in the policy"
            )
        if isinstance(revocations, str):
            raise InputError("revocations is one text.", fix="give a list of signed revocation lists")
        self.clock = clock
        self._lists = tuple(revocations)
        self._skew = float(values.get("clock_skew_seconds", 30))
        self._samples = int(values.get("spot_checks", 8))
        self._seed = seed
        self._policy_hash = self.policy.hash

    def check(
        self,
        passport: str,
        evidence: Evidence | None = None,
        *,
        subject: str | None = None,
        full: bool = False,
    ) -> PassportVerdict:
        """Verify a passport and spot-check its rows; `full` counts every claim anew. Never raises."""
        started = perf_counter()
        payload: Mapping[str, Any] = {}
        signed = expired = False
        try:
            opened = unseal(passport, SCHEMA, self._issuers)
            payload, signed = opened.payload, not opened.problem
            if signed:
                now = self.clock()
                expired = not now <= _number(payload.get("expires_at")) + self._skew
                finding = self._judge(payload, now, expired, evidence, subject, full)
            else:
                finding = HookFinding(f"passport_{opened.problem}", "passport", opened.detail)
        except Exception as error:  # the edge of the guard: what breaks, blocks
            finding = failed(error)
        shared = settle(
            HOOK_ID,
            HookScope.ATTESTATION,
            started,
            [finding] if finding else [],
            attributes={"policy": self._policy_hash[:16], "counted": "all" if full else "sample"},
        )
        name = payload.get("subject")
        return PassportVerdict(
            **shared, subject=name if isinstance(name, str) else "", expired=expired, signature_valid=signed
        )

    def _judge(
        self,
        payload: Mapping[str, Any],
        now: float,
        expired: bool,
        evidence: Evidence | None,
        subject: str | None,
        full: bool,
    ) -> HookFinding | None:
        if expired:
            return HookFinding("passport_expired", "passport", "Its time is over.")
        if not now >= _number(payload.get("issued_at")) - self._skew:
            return HookFinding("passport_not_yet_valid", "passport", "It was issued in the future.")
        if subject is not None and payload.get("subject") != subject:
            return HookFinding("passport_other_subject", "subject", "It is the passport of another model or agent.")
        return (
            self._revoked(payload, now)
            or _claims_without_rows(payload)
            or self._requirements(payload)
            or self._rows(payload, evidence, full)
        )

    def _revoked(self, payload: Mapping[str, Any], now: float) -> HookFinding | None:
        oldest = self.policy.values.get("revocations_max_age_seconds")
        covered = False
        for number, text in enumerate(self._lists):
            opened = unseal(text, REVOCATIONS, self._issuers)
            if opened.problem:
                return HookFinding("revocations_unusable", f"list {number + 1}", opened.detail)
            if opened.payload["issuer"] != payload["issuer"]:
                continue
            fresh = oldest is None or now - _number(opened.payload.get("issued_at")) <= oldest
            covered = covered or fresh
            if payload["serial"] in opened.payload["serials"]:
                return HookFinding("passport_revoked", "serial", "Its issuer took it back.")
        if oldest is not None and not covered:
            return HookFinding("revocations_stale", "revocations", "No fresh revocation list of the issuer was given.")
        return None

    def _requirements(self, payload: Mapping[str, Any]) -> HookFinding | None:
        claims = {claim["name"]: claim["value"] for claim in payload["claims"]}
        for name, limits in self.policy.values.get("require", {}).items():
            if name not in claims:
                return HookFinding("claim_absent", f"claim {name}", "The policy requires it.")
            value = _number(claims[name])
            if not limits.get("min", -math.inf) <= value <= limits.get("max", math.inf):
                return HookFinding("claim_below_requirement", f"claim {name}", f"Its value is {value:g}.")
        return None

    def _rows(self, payload: Mapping[str, Any], evidence: Evidence | None, full: bool) -> HookFinding | None:
        if evidence is None:
            if self.policy.values.get("require_evidence", True) or full:
                return HookFinding("evidence_missing", "evidence", "No rows were brought.")
            return None
        count, root = payload["rows"], payload["root"]
        if isinstance(evidence, EvidencePacket) and (len(evidence.rows) != count or evidence.root != root):
            return HookFinding("evidence_tampered", "evidence", "The rows are not those that were signed.")
        # Nobody may know beforehand which rows will be asked for.
        chooser = random.SystemRandom() if self._seed is None else random.Random(self._seed)  # noqa: S311
        for index in chooser.sample(range(count), min(self._samples, count)):
            row, proof = evidence.open(index)
            right = proof.index == index and proof.count == count
            if not right or not verify_proof(leaf_hash(dict(row)), proof, root):
                return HookFinding("evidence_tampered", f"row {index}", "The row is not the one that was signed.")
        return _count_again(payload, evidence) if full else None


def _claims_without_rows(payload: Mapping[str, Any]) -> HookFinding | None:
    claims, count = payload.get("claims"), payload.get("rows")
    if not isinstance(claims, list) or not claims or not isinstance(count, int) or count < 1:
        return HookFinding("claim_without_rows", "claims", "It claims nothing, or has no rows at all.")
    for claim in claims:
        rows = claim.get("rows")
        if isinstance(rows, bool) or not isinstance(rows, int) or not 0 < rows <= count:
            return HookFinding(
                "claim_without_rows", f"claim {claim.get('name')}", "It rests on no row of the evidence."
            )
    return None


def _count_again(payload: Mapping[str, Any], evidence: Evidence) -> HookFinding | None:
    if not isinstance(evidence, EvidencePacket):
        return HookFinding("evidence_missing", "evidence", "A full count needs all rows.")
    for claim in payload["claims"]:
        try:
            value, rows = count_claim(claim, evidence.rows)
        except GroundwireError:
            value, rows = None, 0
        if rows != claim["rows"] or value is None or not math.isclose(value, claim["value"], rel_tol=_TOLERANCE):
            return HookFinding("claim_not_counted", f"claim {claim['name']}", "The rows do not give its value.")
    return None


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
