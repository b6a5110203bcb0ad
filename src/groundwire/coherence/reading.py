"""Read one response beside facts, prompt and earlier turns, and say which pairs a model should see."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from groundwire.coherence.compare import PASSAGES, Compared, compare
from groundwire.coherence.model import Answer, Pair, nearest
from groundwire.coherence.routes import (
    Route,
    Task,
    asks_for_a_computation,
    asserts_something,
    choose_route,
    detect_task,
    statements,
)
from groundwire.coherence.session import ConversationSession
from groundwire.coherence.weights import Weights
from groundwire.coherence.workers import side_by_side
from groundwire.text.claims import split_claims
from groundwire.types import EvidenceChunk, Policy
from groundwire.verify import VerifiedScorer

# A model reads so many claims of one response; the exact checks read them all.
_MODEL_CLAIMS = 100
_SHORT = 400
_PROMPT = "prompt"


class FactStore(Protocol):
    """The least a store of facts must offer."""

    def retrieve_context_with_chunks(
        self, query: str, top_k: int = 3, *, tenant_id: str | None = None
    ) -> list[EvidenceChunk]:
        """Return the best facts with distance and source label, nearest first."""
        ...


class Item(NamedTuple):
    """One response to be reviewed."""

    prompt: str
    response: str
    tenant_id: str = ""
    session: ConversationSession | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything a reading depends on beside the item."""

    verifier: VerifiedScorer
    policy: Policy
    store: FactStore | None
    top_k: int
    weights: Weights
    has_model: bool
    prompt_is_premise: bool
    parallel: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """One response with all it was compared with."""

    item: Item
    task: Task | None
    route: Route
    counts_logic: bool
    asserts: bool  # whether the prompt states anything that a response could contradict
    numbers_count: bool  # whether a number unlike the prompt's is a conflict, or may be a result
    chunks: list[EvidenceChunk]
    facts: Compared | None = None
    prompt: Compared | None = None
    turns: Compared | None = None
    turn_numbers: list[int] = field(default_factory=list)


class Answers(NamedTuple):
    """What a model says of every claim, beside prompt, earlier turns and facts."""

    logical: Mapping[int, Answer]
    turns: Mapping[int, Answer]
    factual: Mapping[int, Answer]


def read(item: Item, setting: Setting) -> Reading:
    """Compare a response with everything that is known."""
    task = detect_task(item.prompt)
    route = choose_route(
        task,
        counts_logic=setting.weights.counts_logic,
        has_model=setting.has_model,
        prompt_is_premise=setting.prompt_is_premise,
    )
    counts_logic = setting.weights.counts_logic and route is not Route.SUMMARISATION
    turns = item.session.turns if item.session is not None else []

    said = statements(item.prompt) if counts_logic else ""

    def logic() -> tuple[Compared | None, Compared | None]:
        prompt = _compare(item, [said], setting) if said.strip() else None
        earlier = _compare(item, [turn.response for turn in turns], setting) if turns else None
        return prompt, earlier

    def facts() -> tuple[list[EvidenceChunk], Compared | None]:
        chunks = retrieve(item, setting)
        if route is Route.SUMMARISATION and item.prompt.strip():
            chunks = [EvidenceChunk(item.prompt, 0.0, _PROMPT), *chunks]
        return chunks, _compare(item, [chunk.text for chunk in chunks], setting) if chunks else None

    # A prompt that is one question leaves the first half nothing to do.
    worthwhile = setting.parallel and (said.strip() or turns)
    (prompt, earlier), (chunks, known) = side_by_side(logic, facts) if worthwhile else (logic(), facts())
    return Reading(
        item, task, route, counts_logic, setting.has_model and asserts_something(item.prompt),
        not asks_for_a_computation(item.prompt), chunks, known, prompt, earlier, [turn.number for turn in turns],
    )  # fmt: skip


def retrieve(item: Item, setting: Setting) -> list[EvidenceChunk]:
    """Ask the store about the prompt, and about the response, whose claims may lie beside the question."""
    if setting.store is None:
        return []
    found: dict[tuple[str, str], EvidenceChunk] = {}
    for query in (item.prompt, item.response):
        if query.strip():
            for chunk in setting.store.retrieve_context_with_chunks(query, setting.top_k, tenant_id=item.tenant_id):
                found.setdefault((chunk.source, chunk.text), chunk)
    return list(found.values())


def logical_pairs(reading: Reading) -> list[tuple[int, Pair]]:
    """List what a model should read of prompt and response, under the claim's number."""
    prompt = reading.item.prompt
    if not reading.counts_logic or not prompt.strip():
        return []
    if len(prompt) > _SHORT and reading.prompt is not None:
        return list(_pairs(reading.prompt))
    claims = split_claims(reading.item.response, question=prompt)
    checked = [(number, claim.text) for number, claim in enumerate(claims) if not claim.unchecked]
    return [(number, (prompt[: 2 * _SHORT], text)) for number, text in checked[:_MODEL_CLAIMS]]


def turn_pairs(reading: Reading) -> list[tuple[int, Pair]]:
    """List what a model should read of earlier turns and response."""
    return list(_pairs(reading.turns)) if reading.turns is not None else []


def factual_pairs(reading: Reading) -> list[tuple[int, Pair]]:
    """List what a model should read of facts and response."""
    return list(_pairs(reading.facts)) if reading.facts is not None else []


def fold(pairs: list[tuple[int, Pair]], answers: Iterator[Answer]) -> dict[int, Answer]:
    """Let each claim keep the answer of the premise that fits it best."""
    grouped: dict[int, list[Answer]] = {}
    for number, _ in pairs:
        grouped.setdefault(number, []).append(next(answers))
    return {number: nearest(found) for number, found in grouped.items()}


def _compare(item: Item, texts: list[str], setting: Setting) -> Compared:
    passages = PASSAGES if setting.has_model else 1
    return compare(setting.verifier, item.response, texts, item.prompt, setting.policy, passages)


def _pairs(compared: Compared) -> Iterator[tuple[int, Pair]]:
    for claim in compared.claims[:_MODEL_CLAIMS]:
        for window in compared.windows(claim):
            yield claim.claim_index, (window, claim.claim)
