"""Keep scores for a while, so that the same question is not measured twice."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from groundwire.errors import InputError, InputTypeError
from groundwire.ledger import hash_json
from groundwire.types import CoherenceScore

MAX_ENTRIES = 10_000_000


class ScoreCache:
    """Keep the newest scores for `ttl` seconds; safe to share between threads.

    `scope` names everything else a score depends on: the configuration of the
    scorer, the policy, and the revision of the knowledge.
    """

    def __init__(
        self, max_size: int = 1024, ttl: float = 300.0, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        if isinstance(max_size, bool) or not isinstance(max_size, int):
            raise InputTypeError(f"max_size is a {type(max_size).__name__}.", fix="pass a whole number")
        if not 1 <= max_size <= MAX_ENTRIES:
            raise InputError(f"max_size is {max_size}.", fix=f"pass 1 to {MAX_ENTRIES:,}")
        if isinstance(ttl, bool) or not isinstance(ttl, int | float):
            raise InputTypeError(f"ttl is a {type(ttl).__name__}.", fix="pass seconds as a number")
        if math.isnan(ttl) or ttl <= 0:
            raise InputError(f"ttl is {ttl}.", why="an entry must live for some time", fix="pass seconds above 0")
        self.max_size = max_size
        self.ttl = float(ttl)
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, tuple[float, CoherenceScore]] = OrderedDict()
        self._hits = 0
        self._misses = 0

    @property
    def hit_rate(self) -> float:
        """Tell the share of lookups that found a score; 0.0 before the first."""
        with self._lock:
            asked = self._hits + self._misses
            return self._hits / asked if asked else 0.0

    @property
    def size(self) -> int:
        """Count the scores that are still alive."""
        with self._lock:
            now = self._clock()
            return sum(expiry > now for expiry, _ in self._entries.values())

    def get(self, prompt: str, response: str, *, tenant_id: str = "", scope: str = "") -> CoherenceScore | None:
        """Return the score kept for this input, None when there is none."""
        key = _key(prompt, response, tenant_id, scope)
        with self._lock:
            found = self._entries.get(key)
            if found is None or found[0] <= self._clock():
                self._entries.pop(key, None)
                self._misses += 1
                return None
            self._entries.move_to_end(key)
            self._hits += 1
            return found[1]

    def put(
        self, prompt: str, response: str, score: CoherenceScore, *, tenant_id: str = "", scope: str = ""
    ) -> None:  # fmt: skip
        """Keep a score; the one unused for longest makes room."""
        key = _key(prompt, response, tenant_id, scope)
        with self._lock:
            self._entries[key] = (self._clock() + self.ttl, score)
            self._entries.move_to_end(key)
            while len(self._entries) > self.max_size:
                self._entries.popitem(last=False)

    def clear(self) -> None:
        """Forget all scores and the counts of hits and misses."""
        with self._lock:
            self._entries.clear()
            self._hits = self._misses = 0


def _key(prompt: str, response: str, tenant_id: str, scope: str) -> str:
    # A list keeps the four apart: no text can slip from one into the next.
    return hash_json([prompt, response, tenant_id, scope])
