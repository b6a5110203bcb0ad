"""`CoherenceScorer`: one number for a whole answer, with the evidence behind it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from groundwire.coherence import assemble
from groundwire.coherence.arguments import (
    HEURISTIC,
    checked_detector,
    checked_share,
    checked_store,
    choose_nli,
    has_model,
    warn,
)
from groundwire.coherence.cache import ScoreCache
from groundwire.coherence.compare import CONFLICT, compare, name_sources
from groundwire.coherence.judging import Bench, blend
from groundwire.coherence.model import Pair, ask
from groundwire.coherence.reading import (
    Answers,
    FactStore,
    Item,
    Reading,
    Setting,
    factual_pairs,
    fold,
    logical_pairs,
    read,
    turn_pairs,
)
from groundwire.coherence.session import ConversationSession
from groundwire.coherence.weights import W_FACT, W_LOGIC, Weights, combine, effective, preset
from groundwire.errors import InputError, InputTypeError
from groundwire.ledger import hash_json
from groundwire.nli import NLI, DivergenceScorer, Judge
from groundwire.types import ClaimVerdict, CoherenceScore, Policy, ScoringEvidence
from groundwire.verify import VerifiedScorer

if TYPE_CHECKING:
    from groundwire.injection import InjectionDetector

_SOFT_MARGIN = 0.1
_MAX_TOP_K = 100
_MAX_BATCH = 100_000


class CoherenceScorer:
    """Score answers against their prompts and a store of facts; safe to share between threads."""

    def __init__(
        self,
        threshold: float = 0.5,
        soft_limit: float | None = None,
        w_logic: float = W_LOGIC,
        w_fact: float = W_FACT,
        ground_truth_store: FactStore | None = None,
        use_nli: bool | None = None,
        nli_model: str | None = None,
        scorer_backend: str = HEURISTIC,
        strict_mode: bool = False,
        cache_size: int = 0,
        cache_ttl: float = 300.0,
        llm_judge: Judge | None = None,
        judge_mode: str = "off",
        *,
        nli_scorer: NLI | DivergenceScorer | None = None,
        injection_detector: "InjectionDetector | None" = None,
        policy: Policy | None = None,
        top_k: int = 3,
        prompt_is_premise: bool = False,
        parallel: bool = True,
    ) -> None:
        self.threshold = checked_share("threshold", threshold)
        self.soft_limit = (
            min(1.0, round(self.threshold + _SOFT_MARGIN, 12))
            if soft_limit is None
            else checked_share("soft_limit", soft_limit)
        )
        if self.soft_limit < self.threshold:
            raise InputError(
                f"soft_limit {self.soft_limit} is below threshold {self.threshold}.",
                why="the warning zone lies above the threshold",
                fix="pass a soft_limit at or above the threshold",
            )
        self.weights = Weights(w_logic, w_fact)
        self.store = checked_store(ground_truth_store)
        self.strict_mode = strict_mode
        self.nli_scorer = choose_nli(nli_scorer, use_nli, nli_model, scorer_backend, strict_mode)
        if isinstance(cache_size, bool) or not isinstance(cache_size, int) or cache_size < 0:
            raise InputError(f"cache_size is {cache_size!r}.", fix="pass 0 for no cache, or how many scores to keep")
        self.cache = ScoreCache(cache_size, cache_ttl) if cache_size else None
        self.bench = Bench(llm_judge, judge_mode)
        self.injection_detector = checked_detector(injection_detector)
        self.policy = policy or Policy()
        if isinstance(top_k, bool) or not isinstance(top_k, int) or not 1 <= top_k <= _MAX_TOP_K:
            raise InputError(f"top_k is {top_k!r}.", fix=f"pass a whole number from 1 to {_MAX_TOP_K}")
        self.top_k = top_k
        self.prompt_is_premise = prompt_is_premise
        self.parallel = parallel
        self._verifier = VerifiedScorer()
        self._configuration = self._describe() if self.cache is not None else ""

    @classmethod
    def from_preset(cls, name: str, **options: Any) -> Self:
        """Build a scorer with the weights of a name: default, knowledge-heavy, reasoning-heavy, summarisation."""
        weights = preset(name)
        return cls(w_logic=weights.logic, w_fact=weights.fact, **options)

    @property
    def judge_failures(self) -> list[str]:
        """List why the judge gave no usable answer, the last hundred times."""
        return self.bench.failures

    def review(
        self, prompt: str, response: str, session: ConversationSession | None = None, tenant_id: str = ""
    ) -> tuple[bool, CoherenceScore]:
        """Decide whether a response may pass, and say why."""
        score = self._review([Item(prompt, response, tenant_id, session)])[0]
        return score.approved, score

    def score(self, prompt: str, response: str, *, tenant_id: str = "") -> CoherenceScore:
        """Score one response."""
        return self._review([Item(prompt, response, tenant_id)])[0]

    def review_batch(
        self, items: Sequence[tuple[str, str]], *, tenant_id: str = ""
    ) -> list[tuple[bool, CoherenceScore]]:
        """Review (prompt, response) pairs with at most two passes of the model for all of them."""
        given: object = items
        if isinstance(given, str | bytes) or not isinstance(given, Sequence):
            raise InputTypeError(f"items is a {type(given).__name__}.", fix="pass a list of (prompt, response)")
        if len(items) > _MAX_BATCH:
            raise InputError(f"items has {len(items):,} entries.", fix=f"pass at most {_MAX_BATCH:,} at a time")
        wanted = []
        for number, item in enumerate(items):
            if not isinstance(item, tuple | list) or len(item) != 2:
                raise InputTypeError(f"Item {number} is no pair.", fix="pass a list of (prompt, response)")
            wanted.append(Item(item[0], item[1], tenant_id))
        return [(score.approved, score) for score in self._review(wanted)]

    def explain(self, prompt: str, score: CoherenceScore) -> list[ClaimVerdict]:
        """Say of each claim of a score how the exact checks see it beside the evidence, with reasons and places."""
        if score.evidence is None:
            return []
        chunks = score.evidence.chunks
        compared = compare(
            self._verifier, score.evidence.nli_hypothesis, [chunk.text for chunk in chunks], prompt, self.policy
        )
        return [name_sources(claim, [chunk.source for chunk in chunks]) for claim in compared.claims]

    def _review(self, items: Sequence[Item]) -> list[CoherenceScore]:
        for item in items:
            self._check(item)
        if self.strict_mode and not has_model(self.nli_scorer):
            return [_strictly_rejected()] * len(items)
        scope = self._scope()
        found = [self._cached(item, scope) for item in items]
        missing = [place for place, score in enumerate(found) if score is None]
        for place, score in zip(missing, self._measure([items[place] for place in missing]), strict=True):
            item = items[place]
            found[place] = score
            if self.cache is not None and item.session is None and not score.strict_mode_rejected:
                self.cache.put(item.prompt, item.response, score, tenant_id=item.tenant_id, scope=scope)
            if item.session is not None and score.approved:
                item.session.add_turn(item.prompt, item.response, score.cross_turn_divergence or 0.0)
        return [score for score in found if score is not None]

    def _measure(self, items: Sequence[Item]) -> list[CoherenceScore]:
        if not items:
            return []
        nli = self.nli_scorer
        readings = self._read(items, has_model=nli is not None)
        if nli is None:
            return [self._finish(reading, None) for reading in readings]
        try:
            answers = _ask_model(nli, readings)
        except Exception as error:  # a scorer of the user's own may raise anything
            if self.strict_mode:
                return [_strictly_rejected()] * len(items)
            warn(f"The entailment model failed ({type(error).__name__}); the exact checks were used alone")
            return [self._finish(reading, None) for reading in self._read(items, has_model=False)]
        return [self._finish(reading, answer) for reading, answer in zip(readings, answers, strict=True)]

    def _read(self, items: Sequence[Item], *, has_model: bool) -> list[Reading]:
        setting = Setting(
            self._verifier, self.policy, self.store, self.top_k, self.weights, has_model, self.prompt_is_premise,
            self.parallel and not has_model,
        )  # fmt: skip
        return [read(item, setting) for item in items]

    def _finish(self, reading: Reading, answers: Answers | None) -> CoherenceScore:
        values = assemble.evaluate(reading, answers, self.policy)
        sure = assemble.model_confidence(values.deciding)
        weights = effective(self.weights, values.h_factual, has_evidence=bool(reading.chunks), route=reading.route)
        evidence = assemble.gather(reading, values, answers, self.policy)
        escalated = None
        if self.bench.judge is not None:
            h_logical, h_factual, escalated, evidence = self._judge(reading, values, weights, sure, evidence)
            values = values._replace(h_logical=h_logical, h_factual=h_factual)
        score = combine(values.h_logical, values.h_factual, weights)
        agreed = assemble.agreement(reading, values)
        classes = values.deciding.classes if values.deciding is not None else None
        session = reading.item.session
        indices = [values.cross_turn, session.contradiction_index if session is not None else None]
        return CoherenceScore(
            score=score,
            approved=score >= self.threshold,
            h_logical=values.h_logical,
            h_factual=values.h_factual,
            evidence=evidence,
            warning=self.threshold <= score < self.soft_limit,
            cross_turn_divergence=values.cross_turn,
            verdict_confidence=(
                assemble.verdict_confidence(score, self.threshold, (sure, agreed)) if values.compared else None
            ),
            nli_model_confidence=sure,
            signal_agreement=agreed,
            contradiction_index=max((index for index in indices if index is not None), default=None),
            detected_task_type=None if reading.task is None else str(reading.task),
            escalated_to_judge=escalated,
            nli_probs=None if classes is None else dict(classes._asdict()),
            retrieval_confidence=assemble.retrieval_confidence(reading),
            injection_risk=self._injection_risk(reading),
        )

    def _judge(
        self, reading: Reading, values: assemble.Values, weights: Weights, sure: float | None,
        evidence: ScoringEvidence | None,
    ) -> tuple[float, float, bool, ScoringEvidence | None]:  # fmt: skip
        """Ask the judge when it is wanted; return both divergences, whether it was heard, and the evidence."""
        h_logical, h_factual = values.h_logical, values.h_factual
        confidence = sure
        if confidence is None and values.compared:
            score = combine(h_logical, h_factual, weights)
            confidence = assemble.verdict_confidence(score, self.threshold, ())
        elif values.deciding is not None and self._undecided(values.deciding.divergence):
            confidence = 0.0  # a model may be quite sure that a text settles nothing
        if not self.bench.wanted(confidence):
            return h_logical, h_factual, False, evidence
        facts = "\n".join(chunk.text for chunk in reading.chunks)
        answer = self.bench.ask(reading.item.prompt, reading.item.response, facts)
        if answer is None:
            return h_logical, h_factual, False, evidence
        # The judge speaks of the facts where there are any. It cannot talk an exact conflict away.
        if weights.fact > 0.0:
            h_factual = blend(h_factual, answer.agrees)
            h_factual = max(h_factual, CONFLICT) if values.conflict else h_factual
        else:
            h_logical = blend(h_logical, answer.agrees)
        if evidence is not None and answer.cost_usd is not None:
            evidence = replace(evidence, estimated_cost_usd=answer.cost_usd)
        return h_logical, h_factual, True, evidence

    def _undecided(self, divergence: float) -> bool:
        return self.policy.support_threshold <= divergence <= self.policy.nli_threshold

    def _injection_risk(self, reading: Reading) -> float | None:
        if self.injection_detector is None:
            return None
        item = reading.item
        documents = [chunk.text for chunk in reading.chunks]
        result = self.injection_detector.detect(item.response, user_query=item.prompt, documents=documents)
        return result.combined_score

    def _check(self, item: Item) -> None:
        for name, value in (("prompt", item.prompt), ("response", item.response), ("tenant_id", item.tenant_id)):
            if not isinstance(value, str):
                raise InputTypeError(f"{name} is a {type(value).__name__}.", fix="pass it as a str")
        if item.session is not None and not isinstance(item.session, ConversationSession):
            raise InputTypeError(
                f"session is a {type(item.session).__name__}.", fix="pass a ConversationSession, or None"
            )
        limits = (
            ("response", item.response, self.policy.max_response_chars),
            ("prompt", item.prompt, self.policy.max_source_chars),
        )
        for name, text, limit in limits:
            if len(text) > limit:
                # A number for the whole must not rest on a part of it.
                raise InputError(
                    f"The {name} has {len(text):,} characters.", why=f"the policy allows {limit:,}", fix="shorten it"
                )

    def _cached(self, item: Item, scope: str) -> CoherenceScore | None:
        # With a session the score depends on what was said before.
        if self.cache is None or item.session is not None:
            return None
        return self.cache.get(item.prompt, item.response, tenant_id=item.tenant_id, scope=scope)

    def _scope(self) -> str:
        # Read before the facts are: a write in between can only make an entry that nobody asks for again.
        return f"{self._configuration} {getattr(self.store, 'revision', 0)}"

    def _describe(self) -> str:
        """Hash everything that a score depends on beside texts and facts."""
        info = getattr(self.nli_scorer, "model_info", None)
        return hash_json(
            {
                "gate": [self.threshold, self.soft_limit, self.strict_mode],
                "weights": [self.weights.logic, self.weights.fact],
                "model": None if self.nli_scorer is None else [type(self.nli_scorer).__name__, str(info)],
                "judge": str(self.bench.mode),
                "policy": self.policy.hash,
                "retrieval": [self.top_k, self.prompt_is_premise],
                "injection": self.injection_detector is not None,
            }
        )


def _ask_model(nli: NLI | DivergenceScorer, readings: Sequence[Reading]) -> list[Answers]:
    """Ask the model twice for all readings: once about prompts and turns, once about facts."""
    logical = [logical_pairs(reading) for reading in readings]
    turns = [turn_pairs(reading) for reading in readings]
    factual = [factual_pairs(reading) for reading in readings]
    first = iter(ask(nli, _flat([*logical, *turns])))
    second = iter(ask(nli, _flat(factual)))
    of_prompts = [fold(pairs, first) for pairs in logical]
    of_turns = [fold(pairs, first) for pairs in turns]
    of_facts = [fold(pairs, second) for pairs in factual]
    return [Answers(*three) for three in zip(of_prompts, of_turns, of_facts, strict=True)]


def _flat(groups: Sequence[list[tuple[int, Pair]]]) -> list[Pair]:
    return [pair for group in groups for _, pair in group]


def _strictly_rejected() -> CoherenceScore:
    return CoherenceScore(0.0, False, 1.0, 1.0, strict_mode_rejected=True)
