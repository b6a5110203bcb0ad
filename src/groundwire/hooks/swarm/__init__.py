"""Does a hand-off message say only what its sender had?"""

from groundwire.hooks.swarm.chain import Hop, extend_chain
from groundwire.hooks.swarm.checker import HandoffChecker

__all__ = ["HandoffChecker", "Hop", "extend_chain"]
