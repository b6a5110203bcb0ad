"""What a rejected claim might have said."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement in a response; an empty text inserts or deletes."""

    start: int
    end: int
    before: str
    after: str
    reason: str
    source_id: str = ""


@dataclass(frozen=True, slots=True)
class Correction:
    """A suggestion, never applied by itself: the smallest change that the evidence asks for."""

    claim_index: int
    start: int
    end: int
    before: str
    after: str
    diff: str
    edits: tuple[Edit, ...]
    verdict: str  # what the verifier says of the changed claim
    is_suggestion: bool = True
