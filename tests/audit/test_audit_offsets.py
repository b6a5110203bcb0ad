"""Every unit points into the answer and into the original context."""

from typing import Any

import pytest

from groundwire.audit import (
    EvidenceDocument,
    build_evidence_map,
    index_context,
    locate_evidence,
    parse_pointer_claims,
    verify_claim_lattice,
    verify_claim_lattice_json,
    verify_quotes,
)
from groundwire.types import Source


def found_in(context: str, unit: dict[str, Any]) -> list[str]:
    return [" | ".join(context[piece["start"] : piece["end"]] for piece in pieces) for pieces in unit["occurrences"]]


def test_a_quote_points_into_answer_and_original_context() -> None:
    answer = "It reads “the  tenant's deposit” twice."
    context = "Then the\n\ttenant’s de\u00adposit is returned; the tenant's deposit stays."
    (unit,) = verify_quotes(answer, context)["claim_statuses"]
    assert answer[unit["start"] : unit["end"]] == unit["text"]
    assert found_in(context, unit) == ["the\n\ttenant’s de\u00adposit", "the tenant's deposit"]


def test_offsets_survive_decomposed_letters_and_characters_that_grow_in_lower_case() -> None:
    context = "İİ Cafe\u0301 Łódź: the bridge e\u0301tait open."
    (unit,) = verify_quotes('"Café Łódź: the bridge"', context)["claim_statuses"]
    assert found_in(context, unit) == ["Cafe\u0301 Łódź: the bridge"]


def test_offsets_count_the_markup_that_was_taken_out() -> None:
    context = "In [[Meteorology|weather science]], '''clouds''' form{{citation needed}} slowly."
    (unit,) = verify_quotes('"weather science, clouds form slowly"', context)["claim_statuses"]
    assert found_in(context, unit) == ["weather science]], '''clouds''' form{{citation needed}} slowly"]


def test_the_same_sentence_twice_gives_two_occurrences_on_each_side() -> None:
    context = "Press the red button. Wait. Press the red button."
    units = verify_quotes("Press the red button.\nPress the red button.", context)["claim_statuses"]
    assert [unit["start"] for unit in units] == [0, 22]
    assert [[pieces[0]["start"] for pieces in unit["occurrences"]] for unit in units] == [[0, 28]] * 2


def test_more_occurrences_than_are_listed_are_counted() -> None:
    (unit,) = verify_quotes('"ring the bell"', "ring the bell. " * 80)["claim_statuses"]
    assert (len(unit["occurrences"]), unit["n_occurrences"]) == (50, 80)


@pytest.mark.parametrize(
    "chunks",
    [
        ("The pump was replaced in", "March after the inspection."),
        ("The pump was replaced in March", "was replaced in March after the inspection."),
        ("The pump was replaced in Mar", "p was replaced in March after the inspection."),
    ],
    ids=["no overlap", "overlap at words", "overlap inside words"],
)
def test_a_quote_across_a_chunk_border_is_found_in_both_chunks(chunks: tuple[str, str]) -> None:
    sources = [Source(f"chunk {number}", text) for number, text in enumerate(chunks)]
    result = verify_quotes('"pump was replaced in March after the inspection"', sources)
    (pieces,) = result["claim_statuses"][0]["occurrences"]
    assert result["audit_mode"] == "STRICT"
    assert [piece["source_id"] for piece in pieces] == ["chunk 0", "chunk 1"]
    texts = [chunks[piece["source"]][piece["start"] : piece["end"]] for piece in pieces]
    assert texts[0].startswith("pump was replaced in")
    assert texts[1].endswith("after the inspection")


@pytest.mark.parametrize("dots", ["...", "…", "[...]", "(…)", ". . ."])
def test_a_quote_with_an_ellipsis_is_found_piece_by_piece_in_order(dots: str) -> None:
    context = "The tenant, who lives upstairs, shall pay the rent before the fifth day."
    (unit,) = verify_quotes(f'"The tenant {dots} shall pay the rent"', context)["claim_statuses"]
    expected = ["The tenant | shall pay the rent"] if dots != ". . ." else []
    assert found_in(context, unit) == expected


def test_an_ellipsis_does_not_join_pieces_in_the_wrong_order_or_far_apart() -> None:
    context = "First comes the lamp. " + "Nothing to see here. " * 100 + "Then comes the bell."
    for quote in ('"comes the bell ... comes the lamp"', '"comes the lamp ... comes the bell"'):
        assert verify_quotes(quote, context)["audit_mode"] == "UNGROUNDED"


def test_a_paraphrase_points_to_the_sentence_it_repeats() -> None:
    context = "It rained. The reactor vessel was inspected after engineers detected hairline cracks. It dried."
    answer = "Engineers detected hairline cracks, so the reactor vessel was inspected."
    (unit,) = verify_quotes(answer, context)["claim_statuses"]
    assert found_in(context, unit) == ["The reactor vessel was inspected after engineers detected hairline cracks."]
    assert unit["paraphrase_order_changed"] is True


def test_an_index_is_reused_across_answers_and_gives_the_same_result() -> None:
    context = "Rent is due on the fifth day. Pets are not allowed."
    index = index_context(context)
    for answer in ('"Rent is due"', "Pets are not allowed.", "nothing"):
        assert verify_quotes(answer, index).to_dict() == verify_quotes(answer, context).to_dict()


def test_pointer_claims_point_into_the_answer_and_the_evidence() -> None:
    text = "A preface. The dam was built in 1931 by the city. It holds water."
    document = EvidenceDocument("dam", text, "Dam")
    evidence = build_evidence_map([document])
    answer = "- The dam was built [E1] by the city in 1931. [e1]"
    (claim,) = verify_claim_lattice(answer, evidence)["claim_statuses"]
    assert claim["text"] == "The dam was built by the city in 1931."
    assert answer[claim["start"] : claim["end"]] == "The dam was built [E1] by the city in 1931."
    (support,) = claim["support"]
    assert evidence[0].span[support["start"] : support["end"]] == "The dam was built in 1931 by the city."
    assert locate_evidence(evidence[0], [document]) == ("dam", 0, len(text))


def test_json_claims_point_into_the_raw_text_even_with_escapes() -> None:
    evidence = build_evidence_map([EvidenceDocument("a", "The café opened in Łódź.", "Café")])
    raw = '{"claims": [{"text": "The caf\\u00e9 opened in \\u0141\\u00f3d\\u017a.", "evidence_ids": ["E1"]}]}'
    (claim,) = verify_claim_lattice_json(raw, evidence)["claim_statuses"]
    assert raw[claim["start"] : claim["end"]] == "The caf\\u00e9 opened in \\u0141\\u00f3d\\u017a."


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("It erupted. [E1] It slept. [E2]", [("It erupted.", ("E1",)), ("It slept.", ("E2",))]),
        ("It erupted [E1]. It slept [E2].", [("It erupted.", ("E1",)), ("It slept.", ("E2",))]),
        ("It erupted [E1], then slept [E2; E1].", [("It erupted, then slept.", ("E1", "E2"))]),
        ("It erupted. [E1][E2] ［e３］", [("It erupted.", ("E1", "E2", "E3"))]),
        ("It erupted. [E1] It slept.", [("It erupted.", ("E1",)), ("It slept.", ())]),
        ("[E1] It erupted.", [("It erupted.", ("E1",))]),
        ("It erupted. [E1].", [("It erupted.", ("E1",))]),
        ("# Heading [E1]", []),
        ("```json", []),
        ("---", []),
        ("The facts are:", []),
        ("#1 in the list is red. [E1]", [("#1 in the list is red.", ("E1",))]),
    ],
)
def test_pointer_lines_are_cut_at_their_tags(line: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(claim.claim_text, claim.pointer_ids) for claim in parse_pointer_claims(line)] == expected
