"""What must hold for every answer and context."""

import re
import time
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from groundwire.audit import index_context, parse_pointer_claims, verify_claim_lattice, verify_quotes
from groundwire.text.lexical import content_tokens, strip_trailing_citation
from groundwire.text.lexicon import load_rows
from groundwire.text.normal_form import normal_form, normal_text
from groundwire.text.wikitext import to_base
from groundwire.types import EvidenceObject

LETTERS = "abcdefghijklmnopqrstuvwxyzéøß"
NEGATIONS = {cue for cue, *_ in load_rows("negators")}
WORDS = st.text(LETTERS, min_size=2, max_size=10).filter(lambda word: str(word) not in NEGATIONS)
NUMBERS = st.integers(0, 99_999).map(str)


@st.composite
def sentences(draw: st.DrawFn) -> str:
    words = draw(st.lists(WORDS, min_size=6, max_size=12))
    # Enough words of four letters for every gate, so that a refusal can only come from the change.
    words += draw(st.lists(st.text(LETTERS[:26], min_size=5, max_size=9), min_size=6, max_size=8, unique=True))
    words.insert(draw(st.integers(1, len(words))), draw(NUMBERS))
    return " ".join(words).capitalize() + "."


CONTEXTS = st.lists(sentences(), min_size=1, max_size=7, unique=True)


def mode(answer: str, context: str, **options: Any) -> str:
    return str(verify_quotes(answer, context, **options)["audit_mode"])


@given(CONTEXTS, st.data())
def test_an_answer_of_verbatim_sentences_is_strict(context: list[str], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(context), min_size=1, max_size=4))
    joint = data.draw(st.sampled_from([" ", "\n", "\n- "]))
    for local in (False, True):
        assert mode(joint.join(chosen), " ".join(context), local_paraphrase=local) == "STRICT"


@given(CONTEXTS, st.data())
def test_a_changed_number_never_stays_strict_under_local_paraphrase(context: list[str], data: st.DataObject) -> None:
    sentence = data.draw(st.sampled_from(context))
    (number,) = set(re.findall(r"\d+", sentence))
    other = data.draw(NUMBERS)
    changed = re.sub(r"\d+", other, sentence)
    assume(other != number and normal_form(changed) not in normal_form(" ".join(context)))
    answer = [sentence for sentence in context if data.draw(st.booleans())]
    answer.insert(data.draw(st.integers(0, len(answer))), changed)
    assert mode("\n".join(answer), " ".join(context), local_paraphrase=True) != "STRICT"


@given(CONTEXTS, st.sampled_from(["not", "never", "no"]), st.data())
def test_a_negation_never_stays_strict_under_local_paraphrase(
    context: list[str], negation: str, data: st.DataObject
) -> None:
    words = data.draw(st.sampled_from(context)).split(" ")
    words.insert(data.draw(st.integers(1, len(words) - 1)), negation)
    assert mode(" ".join(words), " ".join(context), local_paraphrase=True) != "STRICT"


@given(CONTEXTS, st.text(LETTERS[:26], min_size=4, max_size=9), st.booleans(), st.data())
def test_a_capitalised_word_absent_from_the_window_never_stays_strict(
    context: list[str], word: str, replaced: bool, data: st.DataObject
) -> None:
    name = word.capitalize()
    assume(normal_form(name) not in normal_form(" ".join(context)))
    assume(not any(other.startswith(word[:4]) for other in normal_form(" ".join(context)).split()))
    words = data.draw(st.sampled_from(context)).split(" ")
    place = data.draw(st.integers(1, len(words) - 1))
    words[place : place + replaced] = [name]
    assert mode(" ".join(words), " ".join(context), local_paraphrase=True) != "STRICT"


def test_names_cannot_vouch_for_a_negated_sentence_under_local_paraphrase() -> None:
    context = "Mira Halloran, Tomas Verhoeven and Adaeze Okonkwo signed the harbour treaty yesterday."
    answer = context.replace("signed", "never signed")
    assert mode(answer, context) == "STRICT"
    assert mode(answer, context, local_paraphrase=True) != "STRICT"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Mira Halloran, Tomas Verhoeven, Adaeze Okonkwo", "STRICT"),
        ("Mira Halloran, Tomas Verhoeven, not Adaeze Okonkwo", "HYBRID"),
        ("Mira Halloran, Tomas Verhoeven, Adaeze Okonkwo, 12", "HYBRID"),
        ("Mira Halloran, Tomas Verhoeven, Adaeze Okonkwo, Zan", "HYBRID"),
        ("(See Mira Halloran, Tomas Verhoeven and Adaeze Okonkwo, who never sailed home again)", "HYBRID"),
    ],
)
def test_names_vouch_for_a_list_of_names_only_under_local_paraphrase(answer: str, expected: str) -> None:
    context = "Crew: Adaeze Okonkwo, Tomas Verhoeven and Mira Halloran sailed home again."
    assert mode(answer, context, local_paraphrase=True) == expected


@pytest.mark.parametrize("answer", ["Up 9 %.", "It is 7."])
def test_short_sentences_count_under_local_paraphrase(answer: str) -> None:
    context = "Rent is due on the fifth day of each month. Up 8 %. It is 6."
    assert mode(f"Rent is due on the fifth day of each month.\n{answer}", context, local_paraphrase=True) == "HYBRID"


@given(st.text(), st.text())
def test_any_answer_and_context_are_audited_and_every_unit_is_a_slice(answer: str, context: str) -> None:
    result = verify_quotes(answer, context, cover_unquoted=True)
    for unit in result.claim_statuses:
        assert answer[unit.start : unit.end] == unit.text
        for pieces in unit.occurrences:
            assert all(0 <= piece.start < piece.end <= len(context) for piece in pieces)
    assert result["n_verified"] <= result["n_quotes"]


MARKS = ["[[", "]]", "{{", "}}", "|", "''", "'''", "<ref>", "</ref>", "<!--", "-->", "<b>", "==", "[http://x", "File:"]
MARKUP = st.lists(st.sampled_from([*MARKS, " ", "\n", "]", "a b"]), max_size=30).map("".join)


@given(MARKUP)
def test_markup_of_any_shape_is_only_deleted(text: str) -> None:
    base = iter(text)
    assert all(character in base for character in to_base(text))


@given(st.text("abc déf. !?,;\n-", max_size=200))
def test_a_text_without_markup_is_unchanged(text: str) -> None:
    assert to_base(text) == text


@given(st.text())
def test_the_normal_form_knows_where_it_came_from(text: str) -> None:
    normal = normal_text(text)
    assert normal.text == normal_form(text) == normal_form(normal.text)
    for place, character in enumerate(normal.text):
        if character != " ":
            start, end = normal.original(place, place + 1)
            assert character in normal_form(text[start:end])


@given(st.text("E[]0123,;. \nabcXYZ#-`:", max_size=200))
def test_any_pointer_line_is_audited(answer: str) -> None:
    evidence = [EvidenceObject("E1", "Ea", "abc abcd"), EvidenceObject("E12", "Eb", "XYZX abcabc", "abcd")]
    result = verify_claim_lattice(answer, evidence, question="Which abcd XYZX?")
    assert len(result["evidence_id_pairs"]) == len(result["claim_statuses"]) == len(parse_pointer_claims(answer))
    assert not set(result["partially_verified_quotes"]) & set(result["unverified_quotes"]) or "abc" in answer
    for claim in result.claim_statuses:
        assert claim.start is not None
        assert claim.end is not None
        assert 0 <= claim.start <= claim.end <= len(answer)


@given(st.text())
def test_helpers_take_any_text(text: str) -> None:
    assert text.startswith(strip_trailing_citation(text))
    tokens = content_tokens(text)
    assert len(tokens) == len(set(tokens))


def slow(*units: str) -> list[Any]:
    return [pytest.param(unit, marks=pytest.mark.extras) for unit in units]


@pytest.mark.parametrize(
    "unit",
    [
        *("a", "(", "a [E1] ", "Rent is due on the day. "),
        *slow(" ", '"', "[E1] ", "Anna ", "Rent is due. [E1] ", "(Bell, 2019) ", "[[", "{{", "'"),
        *slow("A. ", ". ", "\n", "1,", "not ", "<ref>", "“x” "),
    ],
)
def test_five_megabyte_answers_take_linear_time(unit: str) -> None:
    context = index_context("Rent is due on the fifth day of each month. Anna Bell paid 1,450 euros. " * 20)
    evidence = [EvidenceObject("E1", "Ea", "Rent is due on the fifth day.")]
    durations = []
    for size in (500_000, 5_000_000):
        answer = unit * (size // len(unit))
        started = time.perf_counter()
        verify_quotes(answer, context)
        verify_claim_lattice(answer, evidence)
        durations.append(time.perf_counter() - started)
    assert durations[1] < max(30 * durations[0], 4.0)


@pytest.mark.parametrize("unit", ["[[", "{{", "<ref>", "'''", "[http://a ", "<!--", "<b", "=\n", "[[a|"])
def test_megabytes_of_open_markup_take_linear_time(unit: str) -> None:
    started = time.perf_counter()
    to_base(unit * 250_000)
    assert time.perf_counter() - started < 3
