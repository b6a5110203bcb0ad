"""Claims in, verdicts out."""

from groundwire.verify.decide import combine_signals, is_rejected
from groundwire.verify.running import PreparedSource, RunningVerification
from groundwire.verify.scorer import Sources, VerifiedScorer

__all__ = ["PreparedSource", "RunningVerification", "Sources", "VerifiedScorer", "combine_signals", "is_rejected"]
