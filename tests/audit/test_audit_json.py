"""Lenient JSON: only documented errors, nothing invented, parity with an independent repairer."""

import json
import random
import time
from typing import Any

import json_repair
import pytest

from groundwire.audit import CLAIM_LATTICE_JSON_SCHEMA, lenient_json_parse, verify_claim_lattice_json
from groundwire.text.json_repair import repair_truncated_json
from groundwire.types import EvidenceObject

MAP = [EvidenceObject("E1", "Eaaaaaaaa", "Mount Tavira erupted in 1887.", "Tavira")]
SLOW = [pytest.param(unit, marks=pytest.mark.extras) for unit in ('"', ',"x"', "“", ", ", "```\n ", "\n")]
PLAIN = ("Mount", "Tavira", "erupted", "1887", "ash", "é", "don't")
WORDS = (*PLAIN, "a “curly” word", "back\\slash", "tab\t", "😀", "[x]", "{y}")


def answers(count: int, seed: int = 7, words: tuple[str, ...] = WORDS) -> list[str]:
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        claims = [
            {
                "text": " ".join(rng.choices(words, k=rng.randint(1, 6))),
                "evidence_ids": [f"E{rng.randint(1, 9)}" for _ in range(rng.randint(0, 3))],
            }
            for _ in range(rng.randint(1, 4))
        ]
        made.append(json.dumps({"claims": claims}, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, 2))))
    return made


def parsed(raw: str) -> Any:
    try:
        return lenient_json_parse(raw)[0]
    except ValueError:
        return None


def test_each_prefix_of_200_valid_answers_is_a_part_of_the_answer_or_refused() -> None:
    for whole in answers(200):
        full = json.loads(whole)
        for end in range(0, len(whole) + 1, 1):
            value = parsed(whole[:end])
            if value is not None:
                assert is_part(value, full), (whole[:end], value)


def is_part(value: Any, full: Any) -> bool:
    """Tell whether a value only leaves out or cuts short what the full value has."""
    if isinstance(full, dict):
        return isinstance(value, dict) and all(key in full and is_part(item, full[key]) for key, item in value.items())
    if isinstance(full, list):
        return isinstance(value, list) and len(value) <= len(full) and all(map(is_part, value, full))
    return isinstance(value, str) and straight(full).startswith(straight(value))


def straight(text: str) -> str:
    return text.translate(str.maketrans("“”‘’", "\"\"''"))


def test_10000_mutated_texts_raise_only_value_errors_and_audit_without_any() -> None:
    rng = random.Random(11)
    pool = answers(50)
    alphabet = '{}[]",:\\ \n`“”’E1aé\x00\ud800'
    for number in range(10_000):
        characters = list(pool[number % len(pool)])
        for _ in range(rng.randint(1, 6)):
            place = rng.randrange(len(characters) + 1)
            characters[place : place + rng.randint(0, 3)] = rng.choices(alphabet, k=rng.randint(0, 3))
        raw = "".join(characters)
        parsed(raw)
        if number % 10 == 0:
            verify_claim_lattice_json(raw, MAP)


@pytest.mark.parametrize("whole", answers(40, seed=3))
@pytest.mark.parametrize(
    "wrap",
    [
        "{}",
        "```json\n{}\n```",
        "Here it is: {}",
        "{} Let me know!",
    ],
)
def test_parity_with_json_repair_on_complete_texts(wrap: str, whole: str) -> None:
    raw = wrap.replace("{}", whole)
    assert lenient_json_parse(raw)[0] == json.loads(whole)
    other = json_repair.loads(raw)
    if isinstance(other, dict) and other:
        assert other == json.loads(whole)


def test_parity_with_json_repair_on_trailing_commas() -> None:
    for whole in answers(40, seed=5, words=PLAIN):
        value = json.loads(whole)
        commas = json.dumps(value).replace("}]", "},]").replace('"]', '",]')
        ours, fixups = lenient_json_parse(commas)
        assert fixups == ["trailing_comma"]
        assert ours == json_repair.loads(commas) == value


def test_on_cut_texts_we_keep_no_more_than_json_repair_does() -> None:
    compared = 0
    for whole in answers(40, seed=9, words=PLAIN[:5]):
        for end in range(2, len(whole)):
            ours, theirs = parsed(whole[:end]), json_repair.loads(whole[:end])
            if isinstance(ours, dict) and isinstance(theirs, dict):
                # The two differ in what they make of nothing: an empty text, list or object.
                assert is_part(full_parts(ours), full_parts(theirs)), (whole[:end], ours, theirs)
                compared += 1
    assert compared > 1_000


def full_parts(value: Any) -> Any:
    """Leave out what is empty at any depth."""
    if isinstance(value, dict):
        return {key: full_parts(item) for key, item in value.items() if full_parts(item)}
    if isinstance(value, list):
        return [full_parts(item) for item in value if full_parts(item)]
    return value


@pytest.mark.parametrize(
    ("raw", "value", "fixups"),
    [
        ('{"a": "x\\', {"a": "x"}, ["close_string", "close_brace"]),
        ('{"a": "x\\\\', {"a": "x\\"}, ["close_string", "close_brace"]),
        ('{"a": "x\\u00', {"a": "x"}, ["close_string", "close_brace"]),
        ('{"a": "x\\ud83d', {"a": "x"}, ["close_string", "close_brace"]),
        ('{"a": "x\\ud83d\\ude', {"a": "x"}, ["close_string", "close_brace"]),
        ('{"a": "“b” c"', {"a": "“b” c"}, ["close_brace"]),
        (
            '{"a": ["x", "y", ',
            {"a": ["x"]},
            ["strip_trailing_comma", "drop_partial_key", "close_bracket", "close_brace"],
        ),
        ('{"a": "x, ]",}', {"a": "x, ]"}, ["trailing_comma"]),
    ],
)
def test_repairs_close_and_drop_but_never_invent(raw: str, value: Any, fixups: list[str]) -> None:
    assert lenient_json_parse(raw) == (value, fixups)


@pytest.mark.parametrize(
    "raw", ["", "   ", "no braces", "{" * 3_000, "[" * 3_000 + "]" * 3_000, '{"a": NaN}', "]{", '{"a']
)
def test_hopeless_texts_raise_the_documented_error(raw: str) -> None:
    with pytest.raises(ValueError, match="not JSON"):
        lenient_json_parse(raw)


def test_a_balanced_or_blank_text_comes_back_unchanged() -> None:
    for text in ('{"a": [1]}', " ", "", "plain"):
        assert repair_truncated_json(text) == (text, [])


@pytest.mark.parametrize(
    "unit",
    ['{"a":', "\\", '{"text":"x","evidence_ids":["E1"]},', *SLOW],
)
def test_five_megabytes_are_read_in_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        raw = ('{"claims":[' + unit * (size // len(unit) + 1))[:size]
        started = time.perf_counter()
        parsed(raw)
        return time.perf_counter() - started

    small, large = seconds(500_000), seconds(5_000_000)
    assert large < max(40 * small, 3.0)


def test_the_schema_is_json_and_names_both_fields() -> None:
    schema = json.loads(json.dumps(CLAIM_LATTICE_JSON_SCHEMA))
    item = schema["properties"]["claims"]["items"]
    assert item["required"] == ["text", "evidence_ids"]
    assert item["additionalProperties"] is False
