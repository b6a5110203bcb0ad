"""Claims in, verdicts out."""

from groundwire.verify.decide import combine_signals
from groundwire.verify.scorer import VerifiedScorer

__all__ = ["VerifiedScorer", "combine_signals"]
