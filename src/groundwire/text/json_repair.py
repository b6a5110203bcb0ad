"""JSON from a language model: parsed strictly, or after named repairs that never invent anything."""

import json
import re
from array import array
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from groundwire.errors import InputError

MAX_DEPTH: Final = 200

# A string, closed or cut off, or one structural character.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+("|\\?\Z)|[\[\]{}:,]|[^\s"\[\]{}:,]++', re.DOTALL)
_FENCE_LEAD = re.compile(r"[ \t]*+(?:json)?[ \t]*+\r?\n?", re.IGNORECASE)
_CURLY: Final = str.maketrans({**dict.fromkeys("“”„‟", '"'), **dict.fromkeys("‘’‚‛", "'")})
_CLOSERS: Final = {"{": "}", "[": "]"}
_CLOSE_NAMES: Final = {"{": "close_brace", "[": "close_bracket"}


def lenient_json_parse(raw: str) -> tuple[Any, list[str]]:
    """Parse JSON and name every repair that was needed; raise InputError when nothing helps."""
    fixups: list[str] = []
    text = raw.strip()
    for name, peel in ((None, None), ("fence", _peel_fence), ("prose_trim", _trim_prose)):
        if peel is not None:
            peeled = peel(text)
            if peeled == text:
                continue
            text = peeled
            fixups.append(str(name))
        done, value = _strict(text)
        if done:
            return value, fixups
    straight = text.translate(_CURLY)
    names = [*fixups, "curly_quotes"] if straight != text else fixups
    attempt = _repair_commas_and_end(straight, names)
    if attempt is None and straight != text:
        # Straightened marks may have broken a string that holds them.
        attempt = _repair_commas_and_end(text, fixups)
    if attempt is None:
        _refuse("no repair makes it valid")
    return attempt


def repair_truncated_json(text: str) -> tuple[str, list[str]]:
    """Close what a cut left open and drop the fragment at its end."""
    # First characters and places in flat arrays: megabytes of tokens must not become objects.
    marks: list[str] = []
    starts = array("q")
    stack: list[str] = []
    last: re.Match[str] | None = None
    for last in _TOKEN.finditer(text):
        mark = text[last.start()]
        marks.append(mark)
        starts.append(last.start())
        if mark in _CLOSERS:
            stack.append(mark)
        elif mark in "}]" and stack:
            stack.pop()
    ends_in_string = last is not None and marks[-1] == '"' and last.group(1) != '"'
    if not text.strip() or (not stack and not ends_in_string):
        return text, []
    fixups: list[str] = []
    kept = text
    if ends_in_string:
        kept = text[: _without_dangling_escape(text, starts[-1])] + '"'
        fixups.append("close_string")
    dropped_to = _drop_fragments(marks, starts, fixups)
    if dropped_to is not None:
        kept = text[:dropped_to]
        if text[dropped_to] == '"':
            kept = kept.rstrip()
    fixups += [_CLOSE_NAMES[opener] for opener in reversed(stack)]
    return kept + "".join(_CLOSERS[opener] for opener in reversed(stack)), fixups


def _repair_commas_and_end(text: str, fixups: list[str]) -> tuple[Any, list[str]] | None:
    names = list(fixups)
    without = _drop_trailing_commas(text)
    if without != text:
        names.append("trailing_comma")
    done, value = _strict(without)
    if done:
        return value, names
    repaired, more = repair_truncated_json(without)
    done, value = _strict(repaired) if more else (False, None)
    return (value, names + more) if done else None


def _strict(text: str) -> tuple[bool, Any]:
    if _depth(text) > MAX_DEPTH:
        _refuse(f"it nests deeper than {MAX_DEPTH} levels")
    try:
        return True, json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return False, None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _refuse(why: str) -> NoReturn:
    raise InputError("The text is not JSON.", why=why, fix="ask for one JSON object, or pass the schema to the decoder")


def _depth(text: str) -> int:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    for match in _TOKEN.finditer(text):
        mark = match.group()
        if mark in ("[", "{"):
            depth += 1
            deepest = max(deepest, depth)
        elif mark in ("]", "}"):
            depth -= 1
    return deepest


def _peel_fence(text: str) -> str:
    if len(text) < 6 or not (text.startswith("```") and text.endswith("```")):
        return text
    lead = _FENCE_LEAD.match(text, 3)
    return text[3 if lead is None else lead.end() : -3].strip()


def _trim_prose(text: str) -> str:
    openers = [place for place in (text.find("{"), text.find("[")) if place >= 0]
    last = max(text.rfind("}"), text.rfind("]"))
    if not openers or last < min(openers):
        return text
    return text[min(openers) : last + 1]


def _drop_trailing_commas(text: str) -> str:
    parts: list[str] = []
    place = 0
    comma = -1
    for match in _TOKEN.finditer(text):
        mark = match.group()
        if mark in ("}", "]") and comma >= 0:
            parts += [text[place:comma]]
            place = match.start()
        comma = match.start() if mark == "," else -1
    return "".join([*parts, text[place:]]) if parts else text


def _without_dangling_escape(text: str, start: int) -> int:
    """Return where a cut string ends without the half of an escape sequence."""
    tail = re.search(r"(?<!\\)(?:\\\\)*+((?:\\u[dD][89abAB][0-9a-fA-F]{2})?\\(?:u[0-9a-fA-F]{0,3})?)\Z", text[-80:])
    lone = re.search(r"(?<!\\)(?:\\\\)*+(\\u[dD][89abAB][0-9a-fA-F]{2})\Z", text[-80:])
    cut = tail or lone
    return len(text) if cut is None else max(start + 1, len(text) - len(cut.group(1)))


def _drop_fragments(marks: list[str], starts: Sequence[int], fixups: list[str]) -> int | None:
    """Drop half-written keys and commas from the end; return where the kept text ends, None for all of it."""
    end: int | None = None
    while True:
        tail = "".join(marks[-3:])
        if tail.endswith('":'):
            count, name = (3 if tail == ',":' else 2), "drop_partial_key"
        elif tail.endswith(',"'):
            count, name = 2, "drop_partial_key"
        elif tail.endswith(","):
            count, name = 1, "strip_trailing_comma"
        else:
            return end
        del marks[-count:]
        end = starts[len(marks)]
        if name not in fixups:
            fixups.append(name)
