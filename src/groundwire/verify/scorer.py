"""`VerifiedScorer`: the pipeline from response and source to verdicts."""

from collections.abc import Iterable, Iterator, Sequence

from groundwire.errors import InputError, InputTypeError
from groundwire.evidence import SourceIndex
from groundwire.nli import NLI, DivergenceScorer
from groundwire.text.claims import split_claims
from groundwire.text.entities import capitals_in
from groundwire.text.sentences import split_sentences
from groundwire.types import ModelInfo, Policy, Source, VerificationResult
from groundwire.verify.running import PreparedSource, RunningVerification, model_info

Sources = str | Source | Sequence[str | Source]


class VerifiedScorer:
    """Give every claim of a response a verdict with evidence; safe to share between threads."""

    def __init__(
        self,
        nli_scorer: NLI | DivergenceScorer | None = None,
        nli_threshold: float = 0.65,
        support_threshold: float = 0.35,
        min_confidence: float = 0.4,
    ) -> None:
        if nli_scorer is not None and not isinstance(nli_scorer, NLI | DivergenceScorer):
            raise InputTypeError(
                f"nli_scorer is a {type(nli_scorer).__name__}.",
                fix="pass an object with score(premise, hypothesis) or probabilities(pairs), or None",
            )
        self.nli_scorer = nli_scorer
        self.policy = Policy(
            nli_threshold=nli_threshold, support_threshold=support_threshold, min_confidence=min_confidence
        )
        self._policy_hash = self.policy.hash

    @property
    def model(self) -> ModelInfo | None:
        """Name the model that takes part in the verdicts."""
        return model_info(self.nli_scorer)

    def prepare(self, source: Sources, *, policy: Policy | None = None) -> PreparedSource:
        """Index a source once, for many calls of `verify` or a stream."""
        sources, is_cut = _sources_within(as_sources(source), (policy or self.policy).max_source_chars)
        return PreparedSource(SourceIndex(sources), is_cut)

    def verify(
        self,
        response: str,
        source: Sources | PreparedSource,
        atomic: bool = False,
        evidence_top_k: int = 3,
        *,
        question: str | None = None,
        policy: Policy | None = None,
    ) -> VerificationResult:
        """Check every claim of the response against the source."""
        policy = policy or self.policy
        _check_arguments(response, question, evidence_top_k)
        prepared = source if isinstance(source, PreparedSource) else self.prepare(source, policy=policy)
        response, is_cut = _within(response, policy.max_response_chars)
        run = self.start(prepared, evidence_top_k, policy=policy)
        run.check(split_claims(response, atomic, question), capitals_in(response))
        return run.result(truncated=is_cut)

    def start(
        self, prepared: PreparedSource, evidence_top_k: int = 3, *, policy: Policy | None = None
    ) -> RunningVerification:
        """Begin a verification whose claims come one after the other."""
        policy = policy or self.policy
        known = self._policy_hash if policy is self.policy else policy.hash
        return RunningVerification(prepared, self.nli_scorer, policy, known, evidence_top_k)

    def verify_many(
        self,
        pairs: Iterable[tuple[str, Sources]],
        atomic: bool = False,
        evidence_top_k: int = 3,
        *,
        policy: Policy | None = None,
    ) -> Iterator[VerificationResult]:
        """Verify (response, source) pairs one after the other; an unchanged source is indexed once."""
        last: Sources | None = None
        prepared = PreparedSource(SourceIndex([]))
        for response, source in pairs:
            if last is None or source != last:
                prepared, last = self.prepare(source, policy=policy), source
            yield self.verify(response, prepared, atomic, evidence_top_k, policy=policy)

    async def averify(
        self,
        response: str,
        source: Sources | PreparedSource,
        atomic: bool = False,
        evidence_top_k: int = 3,
        *,
        question: str | None = None,
        policy: Policy | None = None,
    ) -> VerificationResult:
        """Do the same as `verify` in a worker thread."""
        import asyncio  # a third of the import time, for those who await

        return await asyncio.to_thread(
            self.verify, response, source, atomic, evidence_top_k, question=question, policy=policy
        )


def as_sources(source: object) -> list[Source]:
    """Bring every accepted form of a source to a list of `Source`."""
    if isinstance(source, str):
        return [Source("source", source)]
    if isinstance(source, Source):
        items: list[object] = [source]
    elif isinstance(source, Sequence) and not isinstance(source, bytes | bytearray):
        items = list(source)
    else:
        raise InputTypeError(f"source is a {type(source).__name__}.", fix="pass a str, a Source, or a list of them")
    sources: list[Source] = []
    for number, item in enumerate(items):
        if isinstance(item, str):
            item = Source(f"source-{number + 1}", item)
        if not isinstance(item, Source) or not isinstance(item.text, str):
            raise InputTypeError(
                f"source {number} is a {type(item).__name__}.", fix="pass a str, a Source, or a list of them"
            )
        sources.append(item)
    return sources


def _check_arguments(response: object, question: object, top_k: object) -> None:
    if not isinstance(response, str):
        raise InputTypeError(f"response is a {type(response).__name__}.", fix="pass the response as a str")
    if question is not None and not isinstance(question, str):
        raise InputTypeError(f"question is a {type(question).__name__}.", fix="pass the question as a str")
    if isinstance(top_k, bool) or not isinstance(top_k, int):
        raise InputTypeError(f"evidence_top_k is a {type(top_k).__name__}.", fix="pass a whole number")
    if top_k < 0:
        raise InputError(f"evidence_top_k is {top_k}.", fix="pass 0 or more")


def _within(text: str, limit: int) -> tuple[str, bool]:
    """Cut a text at the last sentence end within the limit."""
    if len(text) <= limit:
        return text, False
    cut = text[:limit]
    # Only the tail is split: the whole may be millions of characters.
    tail = max(0, limit - 5_000)
    units = split_sentences(cut[tail:])
    if len(units) > 1:
        return cut[: tail + units[-1].start].rstrip(), True
    return cut, True


def _sources_within(sources: list[Source], limit: int) -> tuple[list[Source], bool]:
    if sum(len(source.text) for source in sources) <= limit:
        return sources, False
    kept: list[Source] = []
    left = limit
    for source in sources:
        if left <= 0:
            break
        text, _ = _within(source.text, left)
        kept.append(Source(source.id, text, source.title, source.url))
        left -= len(text)
    return kept, True
