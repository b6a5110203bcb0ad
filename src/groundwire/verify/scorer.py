"""`VerifiedScorer`: the pipeline from response and source to verdicts."""

from collections.abc import Iterable, Iterator, Sequence

from groundwire import __version__
from groundwire.errors import InputError, InputTypeError
from groundwire.evidence import SourceIndex
from groundwire.nli import NLI, DivergenceScorer
from groundwire.signals import measure
from groundwire.signals.claim import ClaimView
from groundwire.text.claims import split_claims
from groundwire.text.entities import capitals_in
from groundwire.text.sentences import split_sentences
from groundwire.types import ModelInfo, Policy, Source, Status, Unchecked, VerificationResult
from groundwire.verify.assemble import judge, summarise, unchecked_verdict
from groundwire.verify.features import claim_facts

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
        return _model_info(self.nli_scorer)

    def verify(
        self,
        response: str,
        source: Sources,
        atomic: bool = False,
        evidence_top_k: int = 3,
        *,
        question: str | None = None,
        policy: Policy | None = None,
    ) -> VerificationResult:
        """Check every claim of the response against the source."""
        policy = policy or self.policy
        _check_arguments(response, question, evidence_top_k)
        sources = as_sources(source)
        response, response_cut = _within(response, policy.max_response_chars)
        sources, source_cut = _sources_within(sources, policy.max_source_chars)
        index = SourceIndex(sources)
        return self._verify(response, index, atomic, evidence_top_k, question, policy, response_cut or source_cut)

    def verify_many(
        self,
        pairs: Iterable[tuple[str, Sources]],
        atomic: bool = False,
        evidence_top_k: int = 3,
        *,
        policy: Policy | None = None,
    ) -> Iterator[VerificationResult]:
        """Verify (response, source) pairs one after the other; an unchanged source is indexed once."""
        policy = policy or self.policy
        last: Sources | None = None
        index, source_cut = SourceIndex([]), False
        for response, source in pairs:
            _check_arguments(response, None, evidence_top_k)
            if last is None or source != last:
                sources, source_cut = _sources_within(as_sources(source), policy.max_source_chars)
                index, last = SourceIndex(sources), source
            short, response_cut = _within(response, policy.max_response_chars)
            yield self._verify(short, index, atomic, evidence_top_k, None, policy, response_cut or source_cut)

    async def averify(
        self,
        response: str,
        source: Sources,
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

    def _verify(
        self, response: str, index: SourceIndex, atomic: bool, top_k: int, question: str | None,
        policy: Policy, truncated: bool,
    ) -> VerificationResult:  # fmt: skip
        claims = split_claims(response, atomic, question)
        known = index.capitals | capitals_in(response)
        views = [ClaimView(claim, known) for claim in claims]
        checkable = [view for view in views if not view.claim.unchecked]
        signals = measure(checkable, index, self.nli_scorer, policy, top_k)
        facts = [claim_facts(view, signal, index) for view, signal in zip(checkable, signals, strict=True)]
        measured = iter(zip(signals, facts, strict=True))
        verdicts = [
            unchecked_verdict(number, view.claim)
            if view.claim.unchecked
            else judge(number, view, *next(measured), policy, has_source=len(index) > 0)
            for number, view in enumerate(views)
        ]
        unchecked = [
            Unchecked(view.claim.text, view.claim.start, view.claim.end, view.claim.unchecked)
            for view in views
            if view.claim.unchecked
        ]
        return summarise(
            verdicts,
            unchecked,
            facts,
            status=_status(len(checkable), len(index), truncated),
            model=self.model,
            policy=policy,
            policy_hash=self._policy_hash if policy is self.policy else policy.hash,
            version=__version__,
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


def _status(checkable: int, sentences: int, truncated: bool) -> Status:
    if truncated:
        return Status.TRUNCATED
    if checkable == 0:
        return Status.NOTHING_TO_CHECK
    return Status.NO_SOURCE if sentences == 0 else Status.CHECKED


def _model_info(nli: object) -> ModelInfo | None:
    if nli is None:
        return None
    info = getattr(nli, "model_info", None)
    return info if isinstance(info, ModelInfo) else ModelInfo(type(nli).__name__, "")
