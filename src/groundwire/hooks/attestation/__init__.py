"""Is this passport valid, and does its evidence hold?"""

from groundwire.hooks.attestation.evidence import Evidence, EvidencePacket
from groundwire.hooks.attestation.passport import issue_passport, revoke
from groundwire.hooks.attestation.verifier import PassportVerifier

__all__ = ["Evidence", "EvidencePacket", "PassportVerifier", "issue_passport", "revoke"]
