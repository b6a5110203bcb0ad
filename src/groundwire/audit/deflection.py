"""Does an answer talk about what was asked?"""

from dataclasses import dataclass
from typing import Any

from groundwire.text.lexical import content_tokens, word_set
from groundwire.text.lexicon import load_words
from groundwire.text.normal_form import normal_form


@dataclass(frozen=True, slots=True)
class Deflection:
    """How an answer relates to the subject of its question."""

    kind: str
    subject_anchor: str | None
    overlap_ratio: float


def diagnose_deflection(question: str, answer: str) -> dict[str, Any]:
    """Tell whether the subject of a question is missing from its answer."""
    found = deflection(question, answer)
    return {"kind": found.kind, "subject_anchor": found.subject_anchor, "overlap_ratio": found.overlap_ratio}


def deflection(question: str, answer: str) -> Deflection:
    """Compare a question's subject and words with its answer."""
    tokens = content_tokens(question)
    words = word_set(answer)
    ratio = round(sum(words.has(token) for token in tokens) / len(tokens), 4) if tokens else 0.0
    anchor = _anchor(question, tokens)
    if anchor is None:
        return Deflection("no_anchor", None, ratio)
    return Deflection("ok" if words.has(anchor) else "deflection", anchor, ratio)


def _anchor(question: str, tokens: list[str]) -> str | None:
    idle = load_words("audit_answer_types")
    words = [word.strip("\"'.,;:!?()[]") for word in normal_form(question).split(" ")]
    for place, word in enumerate(words[:-1]):
        if word in load_words("audit_wh_noun"):
            asked = content_tokens(words[place + 1])[:1]
            if asked and asked[0] not in idle | load_words("audit_question_verbs"):
                return asked[0]
            break
    left = [token for token in tokens if token not in idle]
    return left[-1] if left else None
