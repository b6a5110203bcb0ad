"""What was said so far in one conversation."""

import threading
from collections import deque
from typing import NamedTuple

from groundwire.errors import InputError, InputTypeError

MOST_TURNS = 1_000


class Turn(NamedTuple):
    """One question with its answer."""

    number: int
    prompt: str
    response: str


class ConversationSession:
    """Remember the last turns of a conversation and how much they contradict one another; safe for threads.

    `review` adds each answer it approves; what was not approved was not said.
    """

    def __init__(self, max_turns: int = 20) -> None:
        if isinstance(max_turns, bool) or not isinstance(max_turns, int):
            raise InputTypeError(f"max_turns is a {type(max_turns).__name__}.", fix="pass a whole number")
        if not 1 <= max_turns <= MOST_TURNS:
            raise InputError(f"max_turns is {max_turns}.", fix=f"pass 1 to {MOST_TURNS:,}")
        self._lock = threading.Lock()
        self._turns: deque[Turn] = deque(maxlen=max_turns)
        self._count = 0
        self._index = 0.0

    @property
    def turns(self) -> list[Turn]:
        """List the turns that are remembered, oldest first."""
        with self._lock:
            return list(self._turns)

    @property
    def contradiction_index(self) -> float | None:
        """Tell the largest contradiction between two turns so far; None with fewer than two."""
        with self._lock:
            return self._index if self._count > 1 else None

    def add_turn(self, prompt: str, response: str, contradiction: float = 0.0) -> None:
        """Remember a turn and how much it contradicts the turns before it."""
        for name, value in (("prompt", prompt), ("response", response)):
            if not isinstance(value, str):
                raise InputTypeError(f"{name} is a {type(value).__name__}.", fix="pass it as a str")
        with self._lock:
            self._count += 1
            self._turns.append(Turn(self._count, prompt, response))
            self._index = max(self._index, contradiction)
