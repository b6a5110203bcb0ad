"""A verification whose claims come one after the other; a whole response is the shortest of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from groundwire import __version__
from groundwire.evidence import SourceIndex
from groundwire.nli import NLI, DivergenceScorer
from groundwire.signals import measure
from groundwire.signals.claim import ClaimView
from groundwire.text.claims import Claim
from groundwire.types import ClaimVerdict, ModelInfo, Policy, Status, Unchecked, VerificationResult
from groundwire.verify.assemble import judge, summarise, unchecked_verdict
from groundwire.verify.calibrate import model_blend
from groundwire.verify.decide import is_rejected
from groundwire.verify.features import ClaimFacts, claim_facts


@dataclass(frozen=True, slots=True)
class PreparedSource:
    """Sources that were indexed once; never changed, so it may be shared between threads."""

    index: SourceIndex
    truncated: bool = False


class RunningVerification:
    """Judge claims as they come and put them together when asked."""

    def __init__(
        self,
        prepared: PreparedSource,
        nli: NLI | DivergenceScorer | None,
        policy: Policy,
        policy_hash: str,
        top_k: int,
    ) -> None:
        self.verdicts: list[ClaimVerdict] = []
        self._prepared = prepared
        self._nli = nli
        self._policy = policy
        self._policy_hash = policy_hash
        self._top_k = top_k
        self._unchecked: list[Unchecked] = []
        self._facts: list[ClaimFacts] = []
        self._capitals: frozenset[str] = frozenset()

    def check(self, claims: Sequence[Claim], capitals: frozenset[str] = frozenset()) -> list[ClaimVerdict]:
        """Judge the next claims; `capitals` are words that their text writes with a capital inside sentences."""
        index, policy = self._prepared.index, self._policy
        self._capitals |= capitals
        known = index.capitals | self._capitals
        views = [ClaimView(claim, known) for claim in claims]
        checkable = [view for view in views if not view.claim.unchecked]
        signals = measure(checkable, index, self._nli, policy, self._top_k)
        calibrated = is_calibrated(self._nli)
        facts = [
            claim_facts(view, signal, index, calibrated=calibrated)
            for view, signal in zip(checkable, signals, strict=True)
        ]
        measured = iter(zip(signals, facts, strict=True))
        first = len(self.verdicts)
        verdicts = [
            unchecked_verdict(number, view.claim)
            if view.claim.unchecked
            else judge(number, view, *next(measured), policy, has_source=len(index) > 0)
            for number, view in enumerate(views, start=first)
        ]
        # Kept only when all went well: a model that fails must leave nothing half done.
        self.verdicts += verdicts
        self._facts += facts
        self._unchecked += [
            Unchecked(claim.text, claim.start, claim.end, claim.unchecked) for claim in claims if claim.unchecked
        ]
        return verdicts

    def is_rejected(self, verdict: ClaimVerdict) -> bool:
        """Tell whether the policy refuses a response with this claim."""
        return is_rejected(verdict, self._policy)

    def result(self, *, truncated: bool = False) -> VerificationResult:
        """Put all claims so far together."""
        return summarise(
            self.verdicts,
            self._unchecked,
            self._facts,
            status=_status(len(self._facts), len(self._prepared.index), truncated or self._prepared.truncated),
            model=model_info(self._nli),
            policy=self._policy,
            policy_hash=self._policy_hash,
            version=__version__,
        )


def _status(checkable: int, sentences: int, truncated: bool) -> Status:
    if truncated:
        return Status.TRUNCATED
    if checkable == 0:
        return Status.NOTHING_TO_CHECK
    return Status.NO_SOURCE if sentences == 0 else Status.CHECKED


def model_info(nli: object) -> ModelInfo | None:
    """Name a scorer, by its own account where it gives one."""
    if nli is None:
        return None
    info = getattr(nli, "model_info", None)
    return info if isinstance(info, ModelInfo) else ModelInfo(type(nli).__name__, "")


def is_calibrated(nli: object) -> bool:
    """Tell whether the combiner was fitted with this very model."""
    info = model_info(nli)
    return info is not None and info.id == model_blend().model
