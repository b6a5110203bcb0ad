"""Hand-offs one after the other, each bound to the one before."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from groundwire.errors import GroundwireError
from groundwire.ledger import Record, append_record, verify_chain


@dataclass(frozen=True, slots=True)
class Hop:
    """One hand-off: who told whom what, and what the sender had."""

    from_agent: str
    to_agent: str
    message: str
    had: tuple[str, ...]


def extend_chain(chain: Sequence[Record], hop: Hop) -> tuple[Record, ...]:
    """Return the chain with one more hop; keep the hash of its last record where the sender cannot change it."""
    payload = {"from": hop.from_agent, "to": hop.to_agent, "message": hop.message, "had": list(hop.had)}
    return (*chain, append_record(chain, payload))


def read_chain(chain: Sequence[Record], head: str | None) -> tuple[Hop, ...] | None:
    """Return the hops of a chain, or None when a hop was changed, dropped, moved or not received by the next sender."""
    try:
        verify_chain(chain)
    except GroundwireError:
        return None
    if head is not None and (not chain or chain[-1].hash != head):
        return None
    hops = tuple(
        Hop(item.payload["from"], item.payload["to"], item.payload["message"], tuple(item.payload["had"]))
        for item in chain
    )
    joined = all(one.to_agent == two.from_agent for one, two in pairwise(hops))
    return hops if joined else None
