"""The improvements of the specification beyond the golden cases, and rules of their own right."""

from typing import Any

import pytest

from groundwire import audit
from groundwire.audit import (
    AuditPolicy,
    EvidenceDocument,
    audit_answer,
    build_evidence_map,
    content_tokens,
    diagnose_deflection,
    extract_proper_nouns,
    index_evidence,
    is_framing,
    ladder_rung,
    numeric_signature,
    strip_trailing_citation,
    verify_claim_lattice,
    verify_claim_lattice_json,
    verify_quotes,
    warrant_check,
)
from groundwire.errors import InputError, PolicyError
from groundwire.nli import FakeNLI
from groundwire.text.wikitext import to_base
from groundwire.types import EvidenceObject

LEASE = "The tenant shall pay a monthly rent of 1,450 euros. Rent is due on the fifth day of each month."


def mode(answer: str, context: str, **options: Any) -> str:
    return str(verify_quotes(answer, context, **options)["audit_mode"])


@pytest.mark.parametrize(
    ("quote", "context", "found"),
    [
        ("art is long", "smart is longer", False),
        ("a rent of 1", "a rent of 1,450 euros", False),
        ("450 euros", "a rent of 1,450 euros", False),
        ("rent of 14.5", "a rent of 14.50 euros", False),
        ("the year 1990", "in the year 1990.", True),
        ("state-of-the", "a state-of-the-art pump", True),
        ("流经布达佩斯和维也纳", "多瑙河流经布达佩斯和维也纳两座城市", True),
    ],
)
def test_a4_1_a_match_begins_and_ends_at_word_borders(quote: str, context: str, found: bool) -> None:
    assert (mode(f'"{quote}"', context) == "STRICT") is found


def test_a4_2_statuses_of_json_claims_are_complete() -> None:
    items = '"x", {"text": 3}, {"text": ""}, {"text": "Tavira erupted."}, {"text": "Tavira", "evidence_ids": [null]}'
    raw = f'{{"claims": [{items}]}}'
    result = verify_claim_lattice_json(raw, [EvidenceObject("E1", "E1", "Tavira erupted.")])
    assert [item["claim_idx"] for item in result["claim_statuses"]] == [0, 1, 2, 3, 4]
    assert [item["reasons"] for item in result["claim_statuses"]] == [
        ["not_object"],
        ["bad_field_types"],
        ["empty_text"],
        ["no_evidence_ids"],
        ["SCHEMA_INVALID"],
    ]
    assert result["n_quotes"] == 2


def test_a4_3_a_decimal_is_one_number() -> None:
    assert numeric_signature("3.14, 1,450.50 and 7.") == {"3.14", "1450.50", "7"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Émile Zátopek met Ludwig van der Berg.", ["Émile Zátopek", "Ludwig van der Berg"]),
        ("Harry S. Truman and A Mira Halloran film", ["Harry S. Truman", "Mira Halloran"]),
        ("It came from NASA. The Board met over Plan B.", ["The Board"]),
        ("Jean-Luc O'Neill\nParis", ["Jean-Luc O'Neill"]),
        ("Anna Bell\nCarl Dorn, ANNA BELL", ["Anna Bell", "Carl Dorn"]),
        ("Single words like Paris never count.", []),
        ("The sources do not mention Anna Bell.", []),
        ("According to the source, Anna Bell left.", ["Anna Bell"]),
        ("Anna de", []),
    ],
)
def test_a4_4_names_in_any_alphabet_with_particles_and_initials(text: str, names: list[str]) -> None:
    assert extract_proper_nouns(text) == names


def test_a_name_with_a_particle_that_the_context_lacks_is_taken_apart() -> None:
    context = "Anna Maria met Silva Costa."
    result = verify_quotes("of Anna Maria de Silva Costa", context, entity_policy="strict")
    assert [item["text"] for item in result["claim_statuses"]] == ["Anna Maria", "Silva Costa"]


def test_a_possessive_name_is_present_when_the_name_is() -> None:
    result = verify_quotes("Mira Halloran's films", "Mira Halloran directed.", entity_policy="strict")
    (pieces,) = result["claim_statuses"][0]["occurrences"]
    assert (pieces[0]["start"], pieces[0]["end"]) == (0, 13)


def test_a4_6_reversed_polarity_is_no_paraphrase() -> None:
    context = "The licence does not cover rented tools or borrowed ladders in the workshop."
    kept = "Rented tools or borrowed ladders in the workshop are not covered: the licence does not cover tools never."
    assert mode("In the workshop the licence cover rented tools or borrowed ladders.", context) == "UNGROUNDED"
    assert mode("In the workshop the licence does not cover rented tools or borrowed ladders.", context) == "STRICT"
    assert mode(kept.replace("covered", "cover"), context) == "STRICT"


@pytest.mark.parametrize(
    "quote", ["the tenant’s non‑paying guest", "the ten\u200bant's non-paying guest", "The tenantʼs non–paying guest"]
)
def test_a4_7_apostrophes_dashes_and_invisible_characters_compare_equal(quote: str) -> None:
    assert mode(f'"{quote}"', "Here the tenant's non-paying guest sleeps.") == "STRICT"


def test_a4_8_lone_framing_vanishes_and_refusals_stay_dropped() -> None:
    assert is_framing("Based on the provided sources, x")
    assert is_framing("The source does not say.")
    assert (
        mode("According to the sources:\nThe sources do not say.\nRent is due on the fifth day of each month.", LEASE)
        == "STRICT"
    )


def test_a4_11_unquoted_inventions_are_found_on_request() -> None:
    answer = 'It says "Rent is due on the fifth day". The moon is made of cheese and tenants may eat it.'
    assert mode(answer, LEASE) == "STRICT"
    covered = verify_quotes(answer, LEASE, cover_unquoted=True)
    assert covered["audit_mode"] == "HYBRID"
    assert covered["unquoted_unverified"] == ["The moon is made of cheese and tenants may eat it."]
    plain = 'The lease says "Rent is due on the fifth day". The tenant shall pay a monthly rent of 1,450 euros.'
    assert mode(plain, LEASE, cover_unquoted=True) == "STRICT"


def test_a4_12_words_from_unrelated_places_are_refused_on_request() -> None:
    filler = "Nothing of note happened in the harbour that day. " * 5
    context = (
        f"The reactor vessel cracked. {filler}Seven engineers resigned in 1999. {filler}The mayor married quietly."
    )
    answer = "The mayor married seven engineers, so the reactor vessel cracked."
    assert mode(answer, context) == "STRICT"
    assert mode(answer, context, local_paraphrase=True) == "UNGROUNDED"


def test_a4_13_exchanged_roles_are_reported_and_not_judged() -> None:
    context = "The striker tackled the goalkeeper beside the wooden bench."
    result = verify_quotes("The goalkeeper tackled the striker beside the wooden bench.", context)
    assert result["audit_mode"] == "STRICT"
    assert result["claim_statuses"][0]["paraphrase_order_changed"] is True


def test_a4_15_the_rationale_names_a_map_of_one_entry() -> None:
    entry = EvidenceObject("E1", "E1", "The dam holds water and fish and stones.")
    result = verify_claim_lattice(
        "The dam holds water. [E1]\nThe dam holds fish. [E1]\nThe dam holds stones. [E1]", [entry]
    )
    assert "one entry only" in result["violations"][0]["rationale"]


@pytest.mark.parametrize("tag", ["[e1]", "［E1］", "【e1】", "[ E1 ]", "[E1;]"])
def test_a4_16_tags_in_other_spellings_are_read(tag: str) -> None:
    entry = EvidenceObject("E1", "E1", "The dam holds water.")
    assert verify_claim_lattice(f"The dam holds water. {tag}", [entry])["audit_mode"] == "STRICT"


def test_a4_17_scripts_without_spaces_reach_quotes_and_lattices() -> None:
    entry = EvidenceObject("E1", "E1", "多瑙河流经布达佩斯和维也纳。")
    assert verify_claim_lattice("多瑙河流经维也纳。[E1]", [entry])["audit_mode"] == "STRICT"
    assert verify_claim_lattice("黄河是中国第二长河。[E1]", [entry])["audit_mode"] == "UNGROUNDED"
    assert content_tokens("多瑙河") == ["多瑙", "瑙河"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("It opened (Sources: a, b)", "It opened"),
        ("It opened (see-through glass)", "It opened (see-through glass)"),
        ("It opened (refers to none)", "It opened (refers to none)"),
        ("It opened (from the archive)", "It opened"),
        ("It opened (x (source: y))", "It opened (x (source: y))"),
        ("a (source: x) (source: y)", "a (source: x)"),
        ("(source: y)", ""),
    ],
)
def test_a4_20_a_cue_is_a_whole_word(text: str, kept: str) -> None:
    assert strip_trailing_citation(text) == kept


def test_sentences_that_begin_without_a_capital_are_found_one_by_one() -> None:
    context = "3 dogs ran by it. Cats sleep all day. 6 cats sat on it."
    result = verify_quotes("6 cats sat on it. 3 dogs ran by it.", context)
    assert (result["audit_mode"], result["verifier_method"]) == ("STRICT", "span")
    assert [piece["start"] for piece in result["claim_statuses"][0]["occurrences"][0]] == [38, 0]
    assert mode("6 cats sat on it. 3 dogs sat on it.", context) == "UNGROUNDED"


def test_a_line_break_tag_separates_words_and_keeps_the_places() -> None:
    context = "The first line<br />the second line</p><p>the third"
    (unit,) = verify_quotes('"first line the second line the third"', context)["claim_statuses"]
    (pieces,) = unit["occurrences"]
    assert context[pieces[0]["start"] : pieces[0]["end"]] == context.removeprefix("The ")


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("''Note'' and '''bold''' and '''''both'''''", "Note and bold and both"),
        ("'''Krakow''''s walls", "Krakow's walls"),
        ("[[File:a.png|thumb|a [[b]] c]]d [[:Category:E]] [[Category:F]]", "d Category:E "),
        ("{{a|{{b}}}}c{{open", "c{{open"),
        ("== Head ==\ntext [https://x.org the label] [https://x.org]", "Head\ntext the label [https://x.org]"),
        ("1 < 2 and a <b>bold</b> <ref name=x />move<!-- hidden -->", "1 < 2 and a bold move"),
    ],
)
def test_wiki_markup_is_reduced_to_prose(text: str, base: str) -> None:
    assert to_base(text) == base


def test_content_tokens_are_words_of_four_characters_each_once() -> None:
    assert content_tokens("Lynx in fog") == ["lynx"]
    assert content_tokens("The tenant's Tenant, 1887 and 42: the_roof don't with") == ["tenant", "1887", "roof"]


@pytest.mark.parametrize(
    ("claim", "spans", "question", "missing"),
    [
        ("Dr. Denis Kolar voices it.", ["by Denis Kolar"], "Who voices it?", []),
        ("Victor Ash voices it.", ["by Denis Kolar"], "Who voices it?", ["Victor Ash"]),
        ("Victor Ash voices it.", ["by Denis Kolar"], "Why is it voiced?", []),
        ("Victor Ash voices it.", ["by Denis Kolar"], None, []),
        ("It opened on 12 March 1994.", ["opened March 12, 1994"], "When did it open?", []),
        ("It opened on 13 March 1994.", ["opened March 12, 1994"], "In what year did it open?", ["3-13"]),
        ("It opened in 1995.", ["opened in 1994"], "When did it open after 1995?", []),
        ("Paris hosts it.", ["nothing"], "Where is it?", []),
        ("Anna Bell and Carl Dorn won.", ["Carl Dorn won"], "What is the name of the winner?", []),
    ],
)
def test_warrants_ask_for_names_and_dates_the_question_did_not_give(
    claim: str, spans: list[str], question: str | None, missing: list[str]
) -> None:
    assert warrant_check(claim, spans, question) == (not missing, missing)


@pytest.mark.parametrize(
    ("question", "answer", "kind", "anchor"),
    [
        ("Who burns the river?", "The forest is burnt by farmers.", "deflection", "river"),
        ("What culture built the towers?", "Farmers built the towers.", "deflection", "culture"),
        ("What culture built the towers?", "The Nuragic culture built them.", "ok", "culture"),
        ("Which country has the lynx?", "The lynx lives in Spain.", "ok", "lynx"),
        ("What does the festival celebrate?", "It celebrates spring.", "ok", "celebrate"),
        ("What causes tides?", "The tides come from the moon.", "ok", "tides"),
        ("Why?", "Because.", "no_anchor", None),
    ],
)
def test_deflection_looks_for_the_subject_of_the_question(
    question: str, answer: str, kind: str, anchor: str | None
) -> None:
    found = diagnose_deflection(question, answer)
    assert (found["kind"], found["subject_anchor"]) == (kind, anchor)


def test_deflection_caps_a_lattice() -> None:
    entry = EvidenceObject("E1", "E1", "The forest was burnt by farmers in spring.", "Forest")
    result = verify_claim_lattice(
        "The forest was burnt by farmers. [E1]", [entry], question="Why was the river poisoned?"
    )
    assert (result["audit_mode"], result["deflection_detected"]) == ("HYBRID", True)
    assert ladder_rung(result) == "ANCHOR-WARRANTED"


DOCUMENTS = [
    EvidenceDocument("a", "Mount Tavira last erupted in 1887.", "Tavira"),
    EvidenceDocument("b", "The observatory records earthquakes.", "Observatory"),
]
CITED = "Mount Tavira last erupted in 1887. [E1]\nThe observatory records earthquakes. [E2]"


@pytest.mark.parametrize(("year", "rung"), [("1887", "ENTAILMENT-VERIFIED"), ("1878", "EVIDENCE-WARRANTED")])
@pytest.mark.parametrize("answer_mode", ["claim_lattice_pointer", "claim_lattice"])
def test_the_semantic_column_never_changes_the_lexical_result(answer_mode: str, year: str, rung: str) -> None:
    evidence = build_evidence_map(DOCUMENTS)
    text = f"Mount Tavira last erupted in {year}."
    in_json = f'{{"claims": [{{"text": "{text}", "evidence_ids": ["E1"]}}]}}'
    answer = in_json if answer_mode == "claim_lattice" else f"{text} [E1]"
    plain = audit_answer(answer, mode=answer_mode, evidence_map=evidence)
    judged = audit_answer(answer, mode=answer_mode, evidence_map=evidence, nli_scorer=FakeNLI(default=0.0))
    assert judged.to_dict() | {"semantic": None} == plain.to_dict()
    assert (ladder_rung(plain), ladder_rung(judged)) == ("EVIDENCE-WARRANTED", rung)
    assert judged["semantic"][0]["verdict"] == ("supported" if year == "1887" else "contradicted")


def test_verified_quotes_get_a_verdict_too() -> None:
    answer = 'It says "Mount Tavira last erupted in 1887." and "nothing else at all".'
    judged = audit_answer(answer, context=DOCUMENTS[0].text, nli_scorer=FakeNLI(default=0.0))
    assert [(item["claim_idx"], item["verdict"]) for item in judged["semantic"]] == [(0, "supported")]
    assert judged["audit_mode"] == "HYBRID"


def test_one_door_leads_to_the_three_audits() -> None:
    evidence = build_evidence_map(DOCUMENTS)
    policy = AuditPolicy(answer_mode="claim_lattice_pointer")
    assert audit_answer(CITED, evidence_map=index_evidence(evidence), policy=policy)["audit_mode"] == "STRICT"
    assert audit_answer('"Mount Tavira last erupted"', evidence_map=evidence)["verifier_method"] == "quote"
    with pytest.raises(PolicyError):
        audit_answer("x", mode="poem", context="y")
    with pytest.raises(InputError):
        audit_answer("x", mode="claim_lattice", context="y")
    with pytest.raises(InputError):
        audit_answer("x")
    with pytest.raises(PolicyError):
        audit_answer("x", context="y", entity_policy="fuzzy")
    with pytest.raises(PolicyError):
        audit_answer("x", context="y", unknown=1)


@pytest.mark.parametrize("value", [None, 3, b"bytes"])
def test_what_is_no_text_is_refused(value: Any) -> None:
    for call in (verify_quotes, verify_claim_lattice, verify_claim_lattice_json):
        with pytest.raises(TypeError, match="give a text"):
            call(value, [])
    with pytest.raises(TypeError):
        verify_quotes("x", value)


def test_a_result_reads_like_its_dictionary_and_cannot_be_changed() -> None:
    result = verify_quotes('"Rent is due"', LEASE)
    assert dict(result) == result.to_dict()
    result["unverified_quotes"].append("x")
    assert result["unverified_quotes"] == []
    with pytest.raises(KeyError):
        result["missing"]
    with pytest.raises(AttributeError):
        result.n_quotes = 5  # type: ignore[misc]


PROMISED = """
verify_quotes verify_claim_lattice verify_claim_lattice_json lenient_json_parse repair_truncated_json
strip_trailing_citation numeric_signature is_single_sentence is_prose_span is_framing extract_quotes
extract_claim_spans extract_proper_nouns content_tokens parse_pointer_claims render_claim_lattice warrant_check
diagnose_deflection ladder_rung mine_emergent audit_answer EvidenceObject CLAIM_LATTICE_JSON_SCHEMA
evidence_map_by_pointer_id evidence_map_by_evidence_id
"""
DEFAULTS = {
    "ANSWER_MODES": ("quote", "claim_lattice_pointer", "claim_lattice"),
    "DEFAULT_ANSWER_MODE": "quote",
    "MIN_QUOTE_CHARS": 8,
    "MIN_SPAN_CHARS": 12,
    "DEFAULT_PARAPHRASE_COVERAGE": 0.85,
    "DEFAULT_PARAPHRASE_MIN_TOKENS": 4,
    "ENTITY_POLICIES": ("strict", "hybrid", "drop", "proximity"),
    "DEFAULT_ENTITY_POLICY": "proximity",
    "DEFAULT_PROXIMITY_N": 3,
    "DEFAULT_PROXIMITY_WINDOW": 300,
    "DEFAULT_ALLOWED_SOURCE_ROLES": (
        "primary_answer_source",
        "secondary_context_source",
        "background_source",
        "unclassified",
    ),
    "DEFAULT_MIN_CITATION_COVERAGE": 0.30,
    "DEFAULT_MAX_POINTERS_PER_CLAIM": 2,
    "DEFAULT_MIN_CLAIM_CONTENT_TOKENS": 2,
    "DEFAULT_LAZY_ANCHOR_DEMOTE_THRESHOLD": 0.5,
    "DEFAULT_LAZY_ANCHOR_DEMOTE_MIN_PAIRS": 3,
    "DEFAULT_MAX_CLAIMS_PER_ANSWER": 12,
    "DEFAULT_SUBJECT_TOKENS_ABSENT_THRESHOLD": 3,
}


def test_the_promised_names_and_defaults_are_there() -> None:
    assert {name: getattr(audit, name) for name in DEFAULTS} == DEFAULTS
    assert set(PROMISED.split()) | set(DEFAULTS) <= set(audit.__all__)
    assert all(getattr(audit, name) is not None for name in audit.__all__)
