import pytest

from groundwire.render.words import (
    REASON_WORDS,
    STATUS_NOTES,
    VERDICT_WORDS,
    explain,
    headline,
    reason_label,
    status_note,
    verdict_words,
)
from groundwire.types import Conflict, Reason, Status, Unchecked, Verdict
from tests.render.sample import claim, result_of, sample


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_label_a_sentence_and_a_clash(reason: Reason) -> None:
    words = REASON_WORDS[reason]
    assert words.label
    assert words.sentence.endswith(".")
    assert words.sentence[0].isupper()
    told = words.clash.format(claim="CLAIM", source="SOURCE")
    assert "CLAIM" in told
    assert told.endswith(".")


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_its_own_sign_in_both_alphabets(verdict: Verdict) -> None:
    words = VERDICT_WORDS[verdict]
    assert words.ascii_sign.isascii()
    assert len({item.sign for item in VERDICT_WORDS.values()}) == len(Verdict)
    assert len({item.ascii_sign for item in VERDICT_WORDS.values()}) == len(Verdict)
    assert words.meaning.endswith(".")


@pytest.mark.parametrize("status", Status)
def test_every_status_but_checked_has_a_note(status: Status) -> None:
    assert bool(STATUS_NOTES[status]) is (status is not Status.CHECKED)


def test_a_reason_names_the_two_spans_that_clash() -> None:
    result, _, _ = sample()
    assert explain(result.claims[2]) == [
        "The number differs. The response says “15 years”, the source says “10 years”."
    ]


def test_a_reason_without_spans_still_has_its_sentence() -> None:
    item = claim("A.", "A.", Verdict.FABRICATED, reasons=(Reason.NUMBER_ABSENT,))
    assert explain(item) == ["A number has no counterpart in the sources."]


def test_a_span_missing_on_the_source_side_falls_back_to_the_plain_sentence() -> None:
    item = claim("A.", "A.", Verdict.CONTRADICTED, reasons=(Reason.ANTONYM,))
    item.conflicts.append(Conflict(Reason.ANTONYM, 0, 1, "A", -1, -1, ""))
    assert explain(item) == [REASON_WORDS[Reason.ANTONYM].sentence]


def test_a_verdict_without_reasons_is_explained_by_its_meaning() -> None:
    assert explain(claim("A.", "A.", Verdict.SUPPORTED)) == ["The sources say this."]


def test_spellings_of_a_newer_version_are_shown_as_they_are() -> None:
    item = claim("A.", "A.", Verdict.UNVERIFIABLE)
    item.reasons.append("brand_new")
    item.conflicts.append(Conflict("brand_new", 0, 1, "A", 0, 1, "B"))
    assert explain(item) == ["Brand new."]
    assert reason_label("brand_new") == "brand new"
    assert verdict_words("brand_new").label == "Brand new"
    assert status_note("brand_new") == "brand new"


def test_the_text_of_a_conflict_is_never_a_template() -> None:
    item = claim("{source} {0}.", "{source} {0}.", Verdict.CONTRADICTED, reasons=(Reason.ANTONYM,))
    item.conflicts.append(Conflict(Reason.ANTONYM, 0, 8, "{source}", 0, 3, "{claim.__class__}"))
    assert "{claim.__class__}" in explain(item)[0]


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ([], "Approved: nothing to check."),
        ([Verdict.SUPPORTED], "Approved: 1 of 1 claim supported, none contradicted."),
        ([Verdict.SUPPORTED, Verdict.UNVERIFIABLE], "Approved: 1 of 2 claims supported, none contradicted."),
        ([Verdict.SUPPORTED, Verdict.CONTRADICTED], "Not approved: 1 of 2 claims contradicted."),
        ([Verdict.FABRICATED], "Not approved: 1 of 1 claim fabricated."),
        ([Verdict.FABRICATED, Verdict.CONTRADICTED], "Not approved: 1 of 2 claims contradicted, 1 fabricated."),
    ],
)
def test_the_headline_says_the_decision_and_what_it_rests_on(verdicts: list[Verdict], said: str) -> None:
    assert headline(result_of([claim("A.", "A.", verdict) for verdict in verdicts])) == said


def test_units_that_were_not_checked_do_not_count_as_claims() -> None:
    response = "Hello! It is red."
    greeting = claim(response, "Hello!", Verdict.UNVERIFIABLE, reasons=(Reason.NOT_CHECKABLE,))
    result = result_of([greeting, claim(response, "It is red.", Verdict.SUPPORTED)])
    result.unchecked.append(Unchecked("Hello!", 0, 6, "greeting"))
    assert headline(result) == "Approved: 1 of 1 claim supported, none contradicted, 1 not checked."
    assert headline(result_of([greeting])) == "Approved: nothing to check."


def test_exchanged_roles_on_one_word_are_told_without_quoting_it_twice() -> None:
    item = claim("A acquired B.", "A acquired B.", Verdict.CONTRADICTED, reasons=(Reason.ROLE_SWAP,))
    item.conflicts.append(Conflict(Reason.ROLE_SWAP, 2, 10, "acquired", 2, 10, "acquired"))
    assert explain(item) == ["Who does what to whom is exchanged."]
