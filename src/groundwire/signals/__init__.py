"""The five signals of a claim against its evidence."""

from groundwire.signals.measure import Signals, measure

__all__ = ["Signals", "measure"]
