"""What a prompt asks for, and which way its review goes."""

import re
from enum import StrEnum
from functools import cache

from groundwire.text.lexicon import load_rows
from groundwire.text.sentences import split_sentences

# Tasks are named at the beginning or at the end of a prompt; a document may stand between.
_ENDS = 2_000
_TURNS = 2
_MARKS = ("?", "？", "؟")
_CLOSERS = "\"'”’»)]* \t\n"


class Task(StrEnum):
    """What a prompt asks for."""

    DIALOGUE = "dialogue"
    SUMMARISATION = "summarization"
    QUESTION = "qa"


class Route(StrEnum):
    """Which divergences are measured, and how."""

    DIALOGUE = "dialogue"
    SUMMARISATION = "summarisation"
    FACTUAL_ONLY = "factual-only"
    PARALLEL = "parallel"
    MODEL = "model"


def detect_task(prompt: str) -> Task | None:
    """Tell what a prompt asks for, None when its shape does not say."""
    if len(_speakers().findall(prompt)) >= _TURNS:
        return Task.DIALOGUE
    ends = _ends(prompt)
    if _opening("summarization").search(ends) or _anywhere("summarization").search(ends):
        return Task.SUMMARISATION
    if prompt.rstrip(_CLOSERS).endswith(_MARKS) or _opening("qa").search(ends):
        return Task.QUESTION
    return None


def choose_route(task: Task | None, *, counts_logic: bool, has_model: bool, prompt_is_premise: bool) -> Route:
    """Pick the way of a review."""
    if has_model and (prompt_is_premise or task is Task.SUMMARISATION):
        return Route.SUMMARISATION
    if has_model and task is Task.DIALOGUE:
        return Route.DIALOGUE
    if not counts_logic:
        return Route.FACTUAL_ONLY
    return Route.MODEL if has_model else Route.PARALLEL


def asks_for_a_computation(prompt: str) -> bool:
    """Tell whether the answer may hold numbers that the prompt does not."""
    return _anywhere("computation").search(_ends(prompt)) is not None


def asserts_something(prompt: str) -> bool:
    """Tell whether a prompt states anything beside questions and requests, which nothing can contradict."""
    for unit in split_sentences(statements(prompt)):
        lower = unit.text.lower()
        if not (_opening("request").match(lower) or _opening("summarization").match(lower)):
            return True
    return False


def statements(prompt: str) -> str:
    """Blank the questions of a prompt, which assert nothing; every other character keeps its place."""
    if not any(mark in prompt for mark in _MARKS):
        return prompt
    text = prompt
    for unit in split_sentences(prompt):
        if unit.text.rstrip(_CLOSERS).endswith(_MARKS):
            text = text[: unit.start] + " " * (unit.end - unit.start) + text[unit.end :]
    return text


def _ends(prompt: str) -> str:
    text = prompt if len(prompt) <= 2 * _ENDS else f"{prompt[:_ENDS]}\n{prompt[-_ENDS:]}"
    return text.lower().replace("’", "'")


def _phrases(task: str, where: str) -> str:
    found = sorted((row[0] for row in load_rows("tasks") if row[1:] == (task, where)), key=len, reverse=True)
    return "|".join(map(re.escape, found))


@cache
def _speakers() -> re.Pattern[str]:
    return re.compile(rf"^[ \t]{{0,8}}(?:{_phrases('dialogue', 'line')})[ \t]?:", re.IGNORECASE | re.MULTILINE)


@cache
def _opening(task: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|[.!?:]\s)\s{{0,8}}(?:{_phrases(task, 'start')})\b", re.MULTILINE)


@cache
def _anywhere(task: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_phrases(task, 'any')})(?!\w)")
