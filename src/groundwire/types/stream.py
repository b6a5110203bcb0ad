"""What a guarded stream leaves behind."""

from dataclasses import dataclass, field

from groundwire.types.halt import HaltEvidence
from groundwire.types.safety import SafetyEvent


@dataclass(frozen=True, slots=True)
class TokenEvent:
    """One token and what was decided at it."""

    token: str
    index: int
    coherence: float | None
    timestamp: float
    halted: bool = False
    warning: bool = False
    safety_event: SafetyEvent | None = None


@dataclass(slots=True)
class StreamSession:
    """Everything one stream emitted; filled while it runs, so not frozen."""

    tokens: list[str] = field(default_factory=list)
    events: list[TokenEvent] = field(default_factory=list)
    coherence_history: list[float] = field(default_factory=list)
    halted: bool = False
    halt_index: int = -1
    halt_reason: str = ""
    halt_evidence: str = ""
    halt_evidence_structured: HaltEvidence | None = None
    safety_events: list[SafetyEvent] = field(default_factory=list)
    start_time: float = 0.0
    end_time: float = 0.0
    soft_halted: bool = False

    @property
    def output(self) -> str:
        """Join the tokens that were emitted."""
        return "".join(self.tokens)

    @property
    def token_count(self) -> int:
        """Count the tokens that were emitted."""
        return len(self.tokens)

    @property
    def avg_coherence(self) -> float | None:
        """Average the scores, None when nothing was scored."""
        if not self.coherence_history:
            return None
        return sum(self.coherence_history) / len(self.coherence_history)

    @property
    def min_coherence(self) -> float | None:
        """Return the lowest score, None when nothing was scored."""
        return min(self.coherence_history, default=None)

    @property
    def duration_ms(self) -> float:
        """Tell how long the stream ran."""
        return max(0.0, self.end_time - self.start_time) * 1000.0
