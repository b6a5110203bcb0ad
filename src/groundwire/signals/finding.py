"""A clash between a claim and a source sentence, in their own offsets."""

from typing import NamedTuple

from groundwire.evidence import Evidence
from groundwire.types import Reason


class Finding(NamedTuple):
    """Two clashing spans: offsets within the claim and within the evidence sentence."""

    reason: Reason
    claim_start: int
    claim_end: int
    evidence: Evidence | None
    start: int = 0
    end: int = 0
    hard: bool = True
