"""`InjectionDetector`: stage 1 reads the texts, stage 2 compares the response with the intent."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from groundwire.errors import InputError, InputTypeError
from groundwire.injection import stage1
from groundwire.injection.intent import ground
from groundwire.injection.stage1 import families
from groundwire.nli import NLI, DivergenceScorer
from groundwire.types import InjectionFinding, InjectionResult, InjectionScan, IntentVerdict, Source

# Stage 2 takes responses apart, which costs more than reading them.
MAX_RESPONSE = 200_000
MAX_INTENT = 200_000

Documents = Sequence[str | Source]


class InjectionDetector:
    """Find instructions that the user never gave; safe to share between threads."""

    def __init__(
        self,
        threshold: float = 0.6,
        stage1_weight: float = 0.3,
        drift_threshold: float = 0.6,
        injection_threshold: float = 0.85,
        nli_scorer: NLI | DivergenceScorer | None = None,
        *,
        allow: Iterable[str] = (),
        silent_rules: Iterable[str] = (),
    ) -> None:
        self.threshold = _share("threshold", threshold)
        self.stage1_weight = _share("stage1_weight", stage1_weight)
        self.drift_threshold = _share("drift_threshold", drift_threshold)
        self.injection_threshold = _share("injection_threshold", injection_threshold)
        if nli_scorer is not None and not isinstance(nli_scorer, NLI | DivergenceScorer):
            raise InputTypeError(
                f"nli_scorer is a {type(nli_scorer).__name__}.",
                fix="pass an object with score(premise, hypothesis) or probabilities(pairs), or None",
            )
        self.nli_scorer = nli_scorer
        self.allow = tuple(_text("allow", phrase) for phrase in _listed("allow", allow))
        self.silent_rules = frozenset(_listed("silent_rules", silent_rules))
        unknown = sorted(self.silent_rules - families().keys())
        if unknown:
            raise InputError(f"There is no rule {unknown[0]!r}.", fix=f"choose from {', '.join(sorted(families()))}")

    def detect(
        self,
        response: str,
        intent: str = "",
        *,
        user_query: str = "",
        system_prompt: str = "",
        documents: Documents = (),
    ) -> InjectionResult:
        """Scan query, documents and response, and compare the response's claims with the intent."""
        named = {"intent": intent, "user_query": user_query, "system_prompt": system_prompt}
        wanted = [_text(name, text) for name, text in named.items()]
        read = _documents(documents)
        response = _text("response", response)
        texts = [("user_query", user_query), *read, ("response", response)]
        scans = [self._findings(name, text) for name, text in texts if text]
        sanitiser = max((score for score, _, _ in scans), default=0.0)
        notes = [note for _, _, found in scans for note in found]
        short, response = response, response[:MAX_RESPONSE]
        if len(short) > MAX_RESPONSE or any(len(text) > MAX_INTENT for text in wanted):
            notes.append(f"only the first {MAX_RESPONSE:,} characters were compared with the intent")
        grounding = ground(
            response,
            [text[:MAX_INTENT] for text in wanted],
            [text[:MAX_INTENT] for _, text in read],
            self.nli_scorer,
            self.drift_threshold,
            self.injection_threshold,
        )
        counts = {verdict: sum(claim.verdict == verdict for claim in grounding.claims) for verdict in IntentVerdict}
        total = len(grounding.claims)
        risk = (counts[IntentVerdict.INJECTED] + 0.5 * counts[IntentVerdict.DRIFTED]) / total if total else 0.0
        combined = max(sanitiser, self.stage1_weight * sanitiser + (1.0 - self.stage1_weight) * risk)
        return InjectionResult(
            injection_detected=combined >= self.threshold,
            injection_risk=risk,
            intent_coverage=counts[IntentVerdict.GROUNDED] / total if total else 1.0,
            total_claims=total,
            grounded_claims=counts[IntentVerdict.GROUNDED],
            drifted_claims=counts[IntentVerdict.DRIFTED],
            injected_claims=counts[IntentVerdict.INJECTED],
            claims=grounding.claims,
            input_sanitizer_score=sanitiser,
            combined_score=combined,
            findings=tuple(item for _, items, _ in scans for item in items),
            notes=tuple(dict.fromkeys([*notes, *grounding.notes])),
        )

    def scan(self, text: str | Source) -> InjectionScan:
        """Run stage 1 alone on one text: a prompt, a retrieved document, a tool's answer."""
        if isinstance(text, Source):
            text = text.text
        reading = stage1.read(_text("text", text), self.allow, self.silent_rules)
        return InjectionScan(
            reading.score >= self.threshold, reading.score, reading.probability, reading.findings, reading.notes
        )

    def scan_documents(self, documents: Documents) -> list[InjectionScan]:
        """Run stage 1 on every retrieved document."""
        return [
            replace(scan, findings=tuple(replace(item, origin=name) for item in scan.findings))
            for name, text in _documents(documents)
            for scan in (self.scan(text),)
        ]

    def explain(self, result: InjectionResult | InjectionScan) -> str:
        """Say for a person what was found and why it matters."""
        return result.explain()

    def _findings(self, origin: str, text: str) -> tuple[float, list[InjectionFinding], list[str]]:
        scan = self.scan(text)
        return (
            scan.score,
            [replace(item, origin=origin) for item in scan.findings],
            [f"{origin}: {note}" for note in scan.notes],
        )


def _documents(documents: Documents) -> list[tuple[str, str]]:
    if isinstance(documents, str | bytes | Source) or not isinstance(documents, Sequence):
        raise InputTypeError(f"documents is a {type(documents).__name__}.", fix="pass a list of str or Source")
    return [
        (f"document {item.id}", _text("a document", item.text))
        if isinstance(item, Source)
        else (f"document {number}", _text("a document", item))
        for number, item in enumerate(documents)
    ]


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise InputTypeError(f"{name} is a {type(value).__name__}.", fix="pass it as a str")
    return value


def _listed(name: str, values: Iterable[str]) -> list[str]:
    if isinstance(values, str | bytes):
        raise InputTypeError(f"{name} is one {type(values).__name__}.", fix="pass a list of str")
    return list(values)


def _share(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputTypeError(f"{name} is a {type(value).__name__}.", fix="pass a number from 0 to 1")
    if not 0.0 <= value <= 1.0 or math.isnan(value):
        raise InputError(f"{name} is {value}.", fix="pass a number from 0 to 1")
    return float(value)
