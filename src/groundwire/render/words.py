"""Say every verdict, reason and status in plain words."""

from typing import NamedTuple

from groundwire.types import ClaimVerdict, Conflict, Reason, Status, Verdict, VerificationResult


class VerdictWords(NamedTuple):
    """A sign that is readable without colour, and what the verdict means."""

    sign: str
    ascii_sign: str
    label: str
    meaning: str


class ReasonWords(NamedTuple):
    """A short label, a sentence that always fits, and one that names the two spans that clash."""

    label: str
    sentence: str
    clash: str


VERDICT_WORDS: dict[Verdict, VerdictWords] = {
    Verdict.SUPPORTED: VerdictWords("✓", "+", "Supported", "The sources say this."),
    Verdict.CONTRADICTED: VerdictWords("✗", "x", "Contradicted", "The sources say something else."),
    Verdict.FABRICATED: VerdictWords("!", "!", "Fabricated", "Nothing in the sources says this."),
    Verdict.UNVERIFIABLE: VerdictWords("?", "?", "Unverifiable", "The sources do not settle this."),
}

_DIFFERS = "The response says “{claim}”, the source says “{source}”."

REASON_WORDS: dict[Reason, ReasonWords] = {
    Reason.NUMBER_MISMATCH: ReasonWords(
        "number differs", "A number differs from the one in the source.", f"The number differs. {_DIFFERS}"
    ),
    Reason.NUMBER_ABSENT: ReasonWords(
        "number not in the source",
        "A number has no counterpart in the sources.",
        "The sources give no such number as “{claim}”.",
    ),
    Reason.UNIT_MISMATCH: ReasonWords(
        "unit differs", "A unit or currency differs from the source.", f"The unit differs. {_DIFFERS}"
    ),
    Reason.DATE_MISMATCH: ReasonWords(
        "date differs", "A date or time differs from the source.", f"The date differs. {_DIFFERS}"
    ),
    Reason.ENTITY_SUBSTITUTION: ReasonWords(
        "other name", "The source names someone or something else in this place.", f"The name differs. {_DIFFERS}"
    ),
    Reason.ENTITY_ABSENT: ReasonWords(
        "name not in the source",
        "A name does not occur in the sources.",
        "The name “{claim}” does not occur in the sources.",
    ),
    Reason.SUBSTITUTION: ReasonWords(
        "other word", "The source has another word in this place.", f"A word was replaced. {_DIFFERS}"
    ),
    Reason.NEGATION_FLIP: ReasonWords(
        "negation turned round",
        "One side says it is so, the other that it is not.",
        "One side says it is so, the other that it is not: “{claim}” in the response, “{source}” in the source.",
    ),
    Reason.ANTONYM: ReasonWords(
        "opposite word", "A word means the opposite of the one in the source.", f"The words are opposites. {_DIFFERS}"
    ),
    Reason.ROLE_SWAP: ReasonWords(
        "roles exchanged",
        "Who does what to whom is exchanged.",
        "Who does what to whom is exchanged: “{claim}” in the response, “{source}” in the source.",
    ),
    Reason.COMPARATIVE: ReasonWords(
        "comparison differs",
        "The comparison runs the other way, or further, than in the source.",
        f"The comparison differs. {_DIFFERS}",
    ),
    Reason.ORDER: ReasonWords(
        "order differs",
        "The order of events differs from the source.",
        f"The order of events differs. {_DIFFERS}",
    ),
    Reason.QUANTIFIER: ReasonWords(
        "scope differs",
        "The claim covers more, or fewer, cases than the source.",
        f"The claim covers other cases than the source. {_DIFFERS}",
    ),
    Reason.MODALITY: ReasonWords(
        "certainty differs",
        "The source is more, or less, certain or binding.",
        f"One is more certain or binding than the other. {_DIFFERS}",
    ),
    Reason.CONDITION: ReasonWords(
        "condition differs",
        "A condition of the source is missing or turned round.",
        f"The condition differs. {_DIFFERS}",
    ),
    Reason.OTHER_LANGUAGE: ReasonWords(
        "other language",
        "The claim is written in another language than the sources, which words alone cannot compare.",
        "“{claim}” is written in another language than the sources.",
    ),
    Reason.DERIVED: ReasonWords(
        "computed number",
        "A number is not in the sources but follows from two that are.",
        "“{claim}” follows from two numbers of the source.",
    ),
    Reason.LOW_TRACEABILITY: ReasonWords(
        "words not in the source",
        "Hardly any word of this claim occurs in the sources.",
        "“{claim}” does not occur in the sources.",
    ),
    Reason.WEAK_EVIDENCE: ReasonWords(
        "evidence too thin",
        "The nearest source sentence covers only part of this claim.",
        "The sources do not cover “{claim}”.",
    ),
    Reason.NO_SOURCE: ReasonWords(
        "no source", "There is no source text to support this.", "There is no source text to support “{claim}”."
    ),
    Reason.NOT_CHECKABLE: ReasonWords(
        "nothing to check", "This states nothing that a source could settle.", "“{claim}” states nothing to check."
    ),
    Reason.MODEL_CONTRADICTION: ReasonWords(
        "model sees a conflict",
        "The language model reads this as contradicting the source.",
        f"The language model reads these as contradicting. {_DIFFERS}",
    ),
}

STATUS_NOTES: dict[Status, str] = {
    Status.CHECKED: "",
    Status.NOTHING_TO_CHECK: "The response makes no claim, so nothing was checked.",
    Status.NO_SOURCE: "The sources hold no text, so nothing can support the response.",
    Status.TRUNCATED: "The input is longer than the limit: it was cut at a sentence end, and the rest was not checked.",
}


def verdict_words(verdict: str) -> VerdictWords:
    """Return the words of a verdict, also of one this version does not know."""
    if verdict in VERDICT_WORDS:
        return VERDICT_WORDS[Verdict(verdict)]
    return VerdictWords("?", "?", verdict.replace("_", " ").capitalize(), "")


def reason_label(reason: str) -> str:
    """Name a reason in a few words."""
    return REASON_WORDS[Reason(reason)].label if reason in REASON_WORDS else reason.replace("_", " ")


def explain(claim: ClaimVerdict) -> list[str]:
    """Give the reasons of a verdict as sentences, the clashing spans named."""
    sentences: list[str] = []
    for reason in claim.reasons:
        clashes = [_clash(conflict) for conflict in claim.conflicts if conflict.reason == reason]
        told = [sentence for sentence in clashes if sentence] or [_sentence(reason)]
        sentences.extend(sentence for sentence in told if sentence not in sentences)
    return sentences or [verdict_words(claim.verdict).meaning]


def status_note(status: str) -> str:
    """Say what a reader must know about how much was checked."""
    return STATUS_NOTES[Status(status)] if status in STATUS_NOTES else status.replace("_", " ")


def headline(result: VerificationResult) -> str:
    """Say the decision and what it rests on in one sentence."""
    checked = [claim for claim in result.claims if Reason.NOT_CHECKABLE not in claim.reasons]
    total = f"{len(checked)} {'claim' if len(checked) == 1 else 'claims'}"
    contradicted, fabricated = result.contradicted_count, result.fabricated_count
    if not checked:
        found = "nothing to check"
    elif contradicted and fabricated:
        found = f"{contradicted} of {total} contradicted, {fabricated} fabricated"
    elif contradicted or fabricated:
        found = f"{contradicted or fabricated} of {total} {'contradicted' if contradicted else 'fabricated'}"
    else:
        found = f"{result.supported_count} of {total} supported, none contradicted"
    aside = f", {len(result.unchecked)} not checked" if checked and result.unchecked else ""
    by = ""
    if result.decided_by_probability and result.support_probability is not None:
        by = f"; decided by the support probability {result.support_probability:.2f}"
    return f"{'Approved' if result.approved else 'Not approved'}: {found}{aside}{by}."


def figures(result: VerificationResult) -> list[str]:
    """List the counts and scores of a result."""
    counts = (
        (result.supported_count, Verdict.SUPPORTED),
        (result.contradicted_count, Verdict.CONTRADICTED),
        (result.fabricated_count, Verdict.FABRICATED),
        (result.unverifiable_count, Verdict.UNVERIFIABLE),
    )
    return [
        *(f"{count} {name}" for count, name in counts),
        f"coverage {result.coverage:.0%}",
        f"score {result.overall_score:.2f}",
        f"confidence {result.confidence}",
    ]


def _sentence(reason: str) -> str:
    if reason in REASON_WORDS:
        return REASON_WORDS[Reason(reason)].sentence
    return reason.replace("_", " ").capitalize() + "."


def _clash(conflict: Conflict) -> str:
    if conflict.reason not in REASON_WORDS:
        return ""
    template = REASON_WORDS[Reason(conflict.reason)].clash
    if not conflict.claim_text or ("{source}" in template and not conflict.source_text):
        return ""
    # Exchanged roles may rest on one and the same word, which explains nothing.
    if conflict.claim_text.casefold() == conflict.source_text.casefold():
        return ""
    return template.format(claim=_short(conflict.claim_text), source=_short(conflict.source_text))


def _short(text: str, limit: int = 120) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"
