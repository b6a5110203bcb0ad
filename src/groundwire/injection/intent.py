"""Stage 2: does each claim of a response belong to what the user asked for?"""

from collections.abc import Sequence
from dataclasses import dataclass

from groundwire.evidence import Evidence, SourceIndex
from groundwire.injection.stage1 import families, read
from groundwire.nli import NLI, DivergenceScorer
from groundwire.signals import Signals, measure
from groundwire.signals.claim import ClaimView
from groundwire.text.claims import split_claims
from groundwire.text.coverage import share
from groundwire.text.entities import capitals_in
from groundwire.types import InjectedClaim, IntentVerdict, Policy, Source

MAX_CLAIMS = 2_000
_TRACED = 0.5
_UNTRACED = 0.15
# Only these say that the text itself gives orders or carries data away.
_ORDERS = frozenset({"instruction", "extraction", "jailbreak", "exfiltration", "encoded", "hidden"})


@dataclass(frozen=True, slots=True)
class Grounding:
    """The claims of a response against the intent, and what was not compared."""

    claims: list[InjectedClaim]
    notes: tuple[str, ...]


def ground(
    response: str,
    intent: Sequence[str],
    documents: Sequence[str],
    nli: NLI | DivergenceScorer | None,
    drift_threshold: float,
    injection_threshold: float,
) -> Grounding:
    """Compare every claim with the intent; what the given documents say is no stray claim either."""
    notes: list[str] = []
    claims = split_claims(response, atomic=True)
    silent = sum(bool(claim.unchecked) for claim in claims)
    if silent:
        notes.append(f"{silent} sentence(s) of the response state nothing and were not compared with the intent")
    claims = [claim for claim in claims if not claim.unchecked]
    if len(claims) > MAX_CLAIMS:
        notes.append(f"only the first {MAX_CLAIMS:,} claims of the response were compared with the intent")
        claims = claims[:MAX_CLAIMS]
    wanted = _index("intent", intent)
    if claims and not len(wanted):
        notes.append("no intent was given: claims could not be compared with it and count as drifted")
    policy = Policy()
    known = wanted.capitals | capitals_in(response)
    views = [ClaimView(claim, known) for claim in claims]
    forward = measure(views, wanted, nli, policy, 1)
    backward = _reverse(views, forward, nli)
    stated = _traces(views, _index("document", documents))
    judged = [
        _judge(number, view, signals, reverse, trace, drift_threshold, injection_threshold)
        for number, (view, signals, reverse, trace) in enumerate(zip(views, forward, backward, stated, strict=True))
    ]
    return Grounding(judged, tuple(notes))


def _judge(
    number: int, view: ClaimView, signals: Signals, reverse: float, stated: float,
    drift_threshold: float, injection_threshold: float,
) -> InjectedClaim:  # fmt: skip
    divergence = _divergence(signals)
    both = min(divergence, reverse)
    trace = signals.traceability if signals.traceability is not None else 0.0
    entities = signals.entity_match
    ordering = trace < _TRACED and gives_orders(view.claim.text)
    if ordering:
        verdict, confidence = IntentVerdict.INJECTED, 0.5 + 0.5 * (1.0 - trace)
    elif both < drift_threshold or (trace >= _TRACED and entities >= _TRACED) or stated >= _TRACED:
        verdict, confidence = IntentVerdict.GROUNDED, max(1.0 - both, trace, stated)
    elif signals.matched is not None and trace < _UNTRACED and both >= injection_threshold:
        verdict, confidence = IntentVerdict.INJECTED, both
    else:
        verdict, confidence = IntentVerdict.DRIFTED, 0.5
    return InjectedClaim(
        view.claim.text, number, divergence, reverse, both, trace, entities, str(verdict), min(confidence, 1.0)
    )


def gives_orders(text: str) -> bool:
    """Tell whether a text reads like an order to a model or carries data away."""
    reading = read(text, silent=("learned",))
    return any(item.weight >= 0.5 and families()[item.rule] in _ORDERS for item in reading.findings)


def _divergence(signals: Signals) -> float:
    if signals.divergence is None:
        return 1.0
    # Without a model the signal is held down, since missing words do not contradict. Here they show a stray claim.
    return max(signals.divergence, 1.0 - signals.coverage)


def _reverse(views: Sequence[ClaimView], forward: Sequence[Signals], nli: NLI | DivergenceScorer | None) -> list[float]:
    """Measure how little of the matching sentence of the intent each claim holds."""
    pairs = [
        (number, signals.matched, view.claim.text)
        for number, (view, signals) in enumerate(zip(views, forward, strict=True))
        if signals.matched is not None
    ]
    values = [1.0] * len(views)
    if nli is None:
        for number, matched, _ in pairs:
            values[number] = _uncovered(matched, views[number])
    elif isinstance(nli, NLI):
        scored = nli.probabilities([(text, matched.text) for _, matched, text in pairs]) if pairs else []
        for (number, _, _), entry in zip(pairs, scored, strict=True):
            values[number] = _unit(entry.divergence)
    else:
        for number, matched, text in pairs:
            values[number] = _unit(nli.score(text, matched.text))
    return values


def _uncovered(matched: Evidence, view: ClaimView) -> float:
    asked = sorted(matched.analysis.stems)
    return 1.0 - share(asked, frozenset(view.stems)) if asked else 1.0


def _traces(views: Sequence[ClaimView], index: SourceIndex) -> list[float]:
    if not len(index):
        return [0.0] * len(views)
    return [index.traceability(view.stems) or 0.0 for view in views]


def _index(name: str, texts: Sequence[str]) -> SourceIndex:
    return SourceIndex([Source(f"{name}-{number}", text) for number, text in enumerate(texts) if text.strip()])


def _unit(value: float) -> float:
    # A scorer that answers NaN has said nothing.
    return min(1.0, max(0.0, float(value))) if value == value else 0.5
