"""The checklist of the specification, one test per number."""

import json
import subprocess
import sys
import time
from dataclasses import fields, replace
from typing import Any

import pytest

from groundwire.audit import (
    AuditPolicy,
    EvidenceDocument,
    audit_run,
    build_evidence_map,
    extract_claim_spans,
    extract_quotes,
    governance_policy_hash,
    ladder_rung,
    lenient_json_parse,
    run_dag_root,
    verifier_policy_hash,
    verify_claim_lattice,
    verify_claim_lattice_json,
    verify_quotes,
)
from groundwire.types import EvidenceObject

LEASE = "The tenant shall pay a monthly rent of 1,450 euros. Rent is due on the fifth day of each month."
OTHER_WORDS = "The monthly rent that the tenant shall pay is 1,450 euros."
CAST = "Cast: Mira Halloran as the pilot, Tomas Verhoeven as the engineer, Adaeze Okonkwo as the doctor."
E1 = EvidenceObject("E1", "E7b86985d", "Mount Tavira last erupted in 1887 and buried two villages under ash.", "Tavira")
E2 = EvidenceObject(
    "E2", "E1806085e", "The observatory records forty small earthquakes each week.", "Tavira observatory"
)
E3 = EvidenceObject("E3", "E6c3a7c14", "Permits for the Tavira trail are issued by the ranger office.", "Tavira trail")
BLOCKED = EvidenceObject("E4", "Ec2e09421", "Tavira trail ghosts were seen.", "Tavira", "noisy_background_source")
MAP = [E1, E2, E3, BLOCKED]
GOOD = "Mount Tavira last erupted in 1887. [E1]"


def claims(*items: tuple[str, list[Any]]) -> str:
    return json.dumps({"claims": [{"text": text, "evidence_ids": ids} for text, ids in items]})


def kinds(result: Any) -> list[str]:
    return [item["kind"] for item in result["violations"]]


def statuses(result: Any) -> list[str]:
    return [item["status"] for item in result["claim_statuses"]]


def test_a01_quotes_pair_by_position_and_short_or_unpaired_ones_are_ignored() -> None:
    assert extract_quotes('a "first quoted" b “second quoted" c "short" d "') == ["first quoted", "second quoted"]


def test_a02_case_white_space_and_nfc_do_not_matter_but_punctuation_does() -> None:
    context = "Le Cafe\u0301 Central is open, daily."
    assert verify_quotes('"LE CAFÉ   central is open, daily"', context)["audit_mode"] == "STRICT"
    assert verify_quotes('"le café central is open daily"', context)["audit_mode"] == "UNGROUNDED"
    assert verify_quotes('"a monthly rent of 1450 euros"', LEASE)["n_verified"] == 0


def test_a03_markup_of_the_context_does_not_prevent_a_match() -> None:
    context = (
        "'''Clouds''' form{{cn|date=May}} when [[water|water vapour]] cools.<ref>Book, p. 3</ref> [[File:x.png|a]]"
    )
    assert verify_quotes('"Clouds form when water vapour cools."', context)["audit_mode"] == "STRICT"


def test_a04_the_first_deciding_strategy_ends_the_audit() -> None:
    quoted = verify_quotes('"nothing of the kind" and Rent is due on the fifth day of each month.', LEASE)
    assert (quoted["verifier_method"], quoted["n_quotes"], quoted["audit_mode"]) == ("quote", 1, "UNGROUNDED")
    named = verify_quotes("Mira Halloran wrote unrelated prose about medieval bakeries.", CAST)
    assert named["verifier_method"] == "entity"


def test_a05_all_some_none() -> None:
    good, bad = '"Rent is due on the fifth day"', '"Pets are welcome here"'
    modes = [verify_quotes(text, LEASE)["audit_mode"] for text in (good, good + bad, bad)]
    assert modes == ["STRICT", "HYBRID", "UNGROUNDED"]


def test_a06_markers_framing_citations_and_short_pieces() -> None:
    answer = (
        "Based on the provided sources:\n- First claim is here. (see page 4)\n"
        "12. Second claim is here! Third one follows.\n3) Short.\n"
        "The document does not say more.\nAccording to the source, a fourth claim stands."
    )
    assert extract_claim_spans(answer) == [
        "First claim is here.",
        "Second claim is here!",
        "Third one follows.",
        "a fourth claim stands.",
    ]


@pytest.mark.parametrize(
    ("answer", "verified"),
    [
        ("Every month the tenant shall pay euros as rent, namely 1450 euros.", 1),
        ("Every month the tenant shall pay euros as rent, namely 14500 euros.", 0),
        ("The tenant pays rent.", 0),
        ("Tenant Rent Month Euros Fifth Each Monthly", 0),
    ],
)
def test_a07_the_paraphrase_gate_needs_prose_tokens_coverage_and_numbers(answer: str, verified: int) -> None:
    assert verify_quotes(answer, LEASE + " Every month counts, namely this one.")["n_verified"] == verified


def test_a08_the_label_is_paraphrase_as_soon_as_one_is_among_them() -> None:
    answer = f"{OTHER_WORDS}\nBakers sang loudly yesterday.\nRent is due on the fifth day of each month."
    result = verify_quotes(answer, LEASE)
    assert result["verifier_method"] == "paraphrase"
    assert [item["status"] for item in result["claim_statuses"]] == [
        "VERIFIED_QUOTE",
        "SUPPORTED_PARAPHRASE",
        "UNSUPPORTED",
    ]


def test_a09_the_four_policies_for_names() -> None:
    answer = "Mira Halloran, Tomas Verhoeven"
    modes = {
        name: verify_quotes(answer, CAST, entity_policy=name)["audit_mode"] for name in ("strict", "hybrid", "drop")
    }
    assert modes == {"strict": "STRICT", "hybrid": "HYBRID", "drop": "UNGROUNDED"}
    with pytest.raises(ValueError, match="strict, hybrid, drop, proximity"):
        verify_quotes(answer, CAST, entity_policy="fuzzy")


def test_a10_a_cluster_needs_n_names_within_the_window() -> None:
    three = "Mira Halloran, Tomas Verhoeven, Adaeze Okonkwo"
    assert verify_quotes(three, CAST)["audit_mode"] == "STRICT"
    assert verify_quotes(three, CAST, proximity_window=20)["audit_mode"] == "HYBRID"
    assert verify_quotes("Mira Halloran, Tomas Verhoeven", CAST)["audit_mode"] == "HYBRID"


def test_a11_one_name_in_one_disagreeing_sentence_is_ungrounded() -> None:
    assert verify_quotes("Helmvik pumps came from Mira Halloran.", CAST)["audit_mode"] == "UNGROUNDED"
    assert verify_quotes("Helmvik came. It came from Mira Halloran.", CAST)["audit_mode"] == "HYBRID"
    assert verify_quotes("Helmvik from Mira Halloran.", CAST, entity_policy="strict")["audit_mode"] == "STRICT"


def test_a12_nothing_verified_gives_zero_counts_and_empty_lists() -> None:
    result = verify_quotes("Unrelated prose about Jonas Birkeland and his boats.", LEASE)
    assert {name: result[name] for name in ("n_quotes", "n_verified", "unverified_quotes", "claim_statuses")} == {
        "n_quotes": 0,
        "n_verified": 0,
        "unverified_quotes": [],
        "claim_statuses": [],
    }
    assert (result["audit_mode"], result["verifier_method"]) == ("UNGROUNDED", "none")


def test_a13_an_untagged_line_is_one_pair_a_violation_and_hybrid_at_best() -> None:
    result = verify_claim_lattice(GOOD + "\nShepherds call the mountain sacred.", MAP)
    assert (result["n_quotes"], result["audit_mode"], kinds(result)) == (2, "HYBRID", ["NO_EVIDENCE_POINTER"])


def test_a14_each_failing_pointer_is_recorded_and_the_priority_holds() -> None:
    result = verify_claim_lattice("Mount Tavira buried two villages under ash. [E9, E2]", MAP)
    assert statuses(result) == ["CITATION_MISMATCH"]
    assert kinds(result) == ["UNKNOWN_EVIDENCE_ID", "CITATION_MISMATCH"]
    assert result["violations"][0]["supported_by"] == ["E1"]
    blocked = verify_claim_lattice("Tavira trail ghosts were seen. [E9, E4]", MAP)
    assert statuses(blocked) == ["UNKNOWN_EVIDENCE_ID"]
    assert blocked["violations"][1]["source_role"] == "noisy_background_source"


def test_a15_over_citation_trims_counts_and_forbids_strict() -> None:
    result = verify_claim_lattice("Mount Tavira erupted near its observatory and trail office. [E1, E2, E3]", MAP)
    assert (result["n_quotes"], result["n_verified"], result["audit_mode"]) == (3, 1, "HYBRID")
    two = verify_claim_lattice("Mount Tavira villages and small earthquakes. [E1, E2, E3]", MAP)
    assert statuses(two) == ["EVIDENCE_LINKED"]
    assert two["audit_mode"] == "HYBRID"


def test_a16_bare_names_come_before_trimming_and_a_lone_tag_is_not_listed() -> None:
    bare = verify_claim_lattice("Tavira. [E1, E2, E3]", MAP)
    assert (bare["n_quotes"], statuses(bare), kinds(bare)) == (3, ["SCHEMA_INVALID"], ["SCHEMA_INVALID"])
    assert bare["unverified_quotes"] == ["Tavira."]
    assert verify_claim_lattice("[E1]", MAP)["unverified_quotes"] == []


def test_a17_lazy_anchor_needs_strict_three_pointers_and_half() -> None:
    lines = ["Mount Tavira erupted in 1887. [E1]", "Mount Tavira buried two villages. [E1]"]
    assert verify_claim_lattice("\n".join(lines), MAP)["audit_mode"] == "STRICT"
    lazy = verify_claim_lattice("\n".join([*lines, "Tavira buried villages under ash. [E1]"]), MAP)
    assert (lazy["audit_mode"], lazy["lazy_anchor_demoted"], kinds(lazy)) == ("HYBRID", True, ["LAZY_ANCHOR_DEMOTE"])


def test_a18_title_mismatch_for_some_caps_and_for_all_linked_claims_grounds_nothing() -> None:
    off = EvidenceObject("E5", "Eaaaaaaaa", "The reef bleaching index uses stress markers.", "Protein folding")
    claim = "The reef bleaching index uses stress markers. [E5]"
    assert verify_claim_lattice(f"{claim}\n{GOOD}", [*MAP, off])["audit_mode"] == "HYBRID"
    alone = verify_claim_lattice(f"{claim}\nUntagged prose stands here too.", [off])
    assert (alone["audit_mode"], alone["n_verified"]) == ("UNGROUNDED", 1)


def test_a19_parroted_words_absent_from_the_evidence() -> None:
    question = "How does a tinsmith anneal the ferrule near Tavira?"
    answer = "Near Tavira two villages saw a tinsmith anneal the ferrule. [E1]"
    found = verify_claim_lattice(answer, MAP, question=question, deflection_check_enabled=False)
    assert found["violations"][0]["absent_tokens"] == ["anneal", "ferrule", "near", "tinsmith"]
    assert kinds(verify_claim_lattice(answer, MAP)) == []
    off = verify_claim_lattice(
        answer, MAP, question=question, deflection_check_enabled=False, subject_tokens_absent_threshold=0
    )
    assert kinds(off) == []


def test_a20_the_warrant_check_is_for_relation_questions_and_proven_roots_suppress_it() -> None:
    voiced = EvidenceObject(
        "E1", "Ebbbbbbbb", "Harlan Pruitt is voiced by Denis Kolar.", "Harlan Pruitt", source_root="r"
    )
    answer = "Harlan Pruitt is voiced for Victor Ashgrove. [E1]"
    asked = verify_claim_lattice(answer, [voiced], question="Who voices Harlan Pruitt?")
    assert asked["warrant_missing_claim_idxs"] == [0]
    assert (
        verify_claim_lattice(answer, [voiced], question="Describe the voice of Harlan Pruitt.")["audit_mode"]
        == "STRICT"
    )
    proven = verify_claim_lattice(
        answer, [voiced], question="Who voices Harlan Pruitt?", warrant_chain_roots=frozenset({"r"})
    )
    assert (proven["warrant_proven_claim_idxs"], proven["audit_mode"]) == ([0], "STRICT")


def test_a21_five_untagged_lines_are_a_collapse_and_one_tag_prevents_it() -> None:
    lines = [f"Line number {number} tells a story of some length." for number in range(5)]
    assert verify_claim_lattice("\n".join(lines), MAP)["format_collapsed"] is True
    assert verify_claim_lattice("\n".join(lines[:4]), MAP)["format_collapsed"] is False
    assert verify_claim_lattice("\n".join(lines) + "\nSee. [E1]", MAP)["format_collapsed"] is False


def test_a22_more_than_twelve_claims_are_all_checked() -> None:
    answer = "\n".join(
        f"Mount Tavira erupted in 1887, account {chr(97 + n) * 4}. [E{n % 2 * 2 + 1}]" for n in range(13)
    )
    result = verify_claim_lattice(answer, MAP)
    assert len(result["claim_statuses"]) == 13
    assert result["violations"][0] == {"kind": "TOO_MANY_CLAIMS", "n_claims": 13, "max": 12}


def test_a23_fixups_have_names_and_an_order() -> None:
    raw = "Sure:\n{“claims”: [{“text”: “a”, “evidence_ids”: [“E1”,],},"
    assert lenient_json_parse(raw) == (
        {"claims": [{"text": "a", "evidence_ids": ["E1"]}]},
        ["prose_trim", "curly_quotes", "trailing_comma", "close_bracket", "close_brace"],
    )
    assert lenient_json_parse('{"a": 1}') == ({"a": 1}, [])


def test_a24_every_prefix_parses_to_a_part_or_raises_value_error() -> None:
    whole = claims((GOOD, ["E1", "E2"]), ("b \\ é 😀 \n", ["E3"]))
    texts = {item["text"] for item in json.loads(whole)["claims"]}
    for end in range(len(whole) + 1):
        try:
            value, _ = lenient_json_parse(whole[:end])
        except ValueError:
            continue
        for item in value.get("claims", []):
            assert any(text.startswith(item.get("text", "")) for text in texts)


def test_a25_manual_quotes_are_a_violation_and_count_their_ids() -> None:
    result = verify_claim_lattice_json(claims(('It "erupted" in 1887.', ["E1", "E2"]), ('"', [])), MAP)
    assert (result["n_quotes"], kinds(result)) == (3, ["MANUAL_QUOTE_VIOLATION"] * 2)


def test_a26_too_many_ids_are_all_verified_and_counted() -> None:
    text = "Tavira villages, small earthquakes and trail permits."
    result = verify_claim_lattice_json(claims((text, ["E1", "E2", "E3"])), MAP)
    assert (result["n_quotes"], result["n_verified"], result["audit_mode"]) == (3, 3, "HYBRID")


def test_a27_the_first_failing_id_names_the_status() -> None:
    result = verify_claim_lattice_json(claims(("Mount Tavira buried two villages under ash.", ["E9", "E2"])), MAP)
    assert statuses(result) == ["UNKNOWN_EVIDENCE_ID"]
    assert result["claim_statuses"][0]["reasons"] == ["UNKNOWN_EVIDENCE_ID", "CITATION_MISMATCH"]


def test_a28_json_knows_no_bare_name_lazy_anchor_or_collapse_check() -> None:
    result = verify_claim_lattice_json(claims(("Tavira.", ["E1"]), ("Tavira", ["E1"]), ("Tavira!", ["E1"])), MAP)
    assert result["audit_mode"] == "STRICT"
    assert not {"lazy_anchor_ratio", "pointer_id_distribution", "format_collapsed"} & set(result)


def test_a29_no_claim_is_both_partially_verified_and_unverified() -> None:
    answer = "Mount Tavira buried two villages under ash. [E1, E9]\nMount Tavira buried two villages under ash. [E9]"
    result = verify_claim_lattice(answer, MAP)
    assert len(result["partially_verified_quotes"]) == len(result["unverified_quotes"]) == 1


def test_a30_evidence_id_pairs_has_one_entry_per_claim() -> None:
    answer = f"{GOOD}\nUntagged prose stands here.\nMount Tavira buried villages. [E9]"
    assert verify_claim_lattice(answer, MAP)["evidence_id_pairs"] == [["E7b86985d"], [], []]
    in_json = verify_claim_lattice_json(claims(("Mount Tavira erupted.", ["E1"]), ("Sacred mountain.", [])), MAP)
    assert in_json["evidence_id_pairs"] == [["E7b86985d"], []]


def test_a31_any_threshold_changes_the_policy_hash() -> None:
    base = AuditPolicy()
    other: dict[str, Any] = {
        "answer_mode": "claim_lattice",
        "entity_policy": "drop",
        "allowed_source_roles": ("x",),
        "warrant_chain_roots": ("r",),
    }
    for item in fields(AuditPolicy):
        value = getattr(base, item.name)
        changed: Any = other.get(item.name, not value if isinstance(value, bool) else None)
        if changed is None:
            changed = value / 2 if isinstance(value, float) else value + 1
        policy = AuditPolicy.from_dict({item.name: changed})
        assert governance_policy_hash(policy) != governance_policy_hash(base), item.name
        prompt_side = item.name == "answer_mode" or item.name.startswith("prompt_")
        assert (verifier_policy_hash(policy) != verifier_policy_hash(base)) is not prompt_side, item.name


def test_a31_the_policy_hash_is_stable_across_processes() -> None:
    code = "from groundwire.audit import *; print(verifier_policy_hash(AuditPolicy()))"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert runs == {verifier_policy_hash(AuditPolicy())}


def test_a31_the_run_root_ignores_pointer_numbers_and_display_numbers() -> None:
    documents = [EvidenceDocument(str(n), entry.span, entry.title) for n, entry in enumerate((E1, E2, E3))]
    answer = "Mount Tavira erupted in 1887. [E{0}]\nThe observatory near Tavira records earthquakes. [E{1}, E9]"
    roots = set()
    for order in ((0, 1, 2), (2, 0, 1)):
        evidence = build_evidence_map([documents[place] for place in order])
        numbered = answer.format(order.index(0) + 1, order.index(1) + 1)
        run = audit_run(numbered, mode="claim_lattice_pointer", evidence_map=evidence)
        display = {"lazy_anchor_ratio": 0.1, "rendered_text": "other", "pointer_id_distribution": {}}
        roots |= {run_dag_root(run), run_dag_root(replace(run, result=dict(run.result) | display))}
    assert len(roots) == 1


@pytest.mark.parametrize(
    ("answer", "rung"),
    [
        (GOOD, "EVIDENCE-WARRANTED"),
        ("Mount Tavira villages and small earthquakes. [E1, E2, E3]", "ANCHOR-WARRANTED"),
        (f"{GOOD}\nUntagged prose stands here.", "POINTER-LINKED-PARTIAL"),
        ("Untagged prose stands here.", "UNGROUNDED"),
    ],
)
def test_a32_rungs_of_a_lattice(answer: str, rung: str) -> None:
    assert ladder_rung(verify_claim_lattice(answer, MAP)) == rung


@pytest.mark.parametrize(
    ("answer", "rung"),
    [
        ('"Rent is due on the fifth day"', "EVIDENCE-WARRANTED"),
        (OTHER_WORDS, "ANCHOR-WARRANTED"),
        ('"Rent is due on the fifth day" and "pets are welcome"', "POINTER-LINKED-PARTIAL"),
        ("nothing here", "UNGROUNDED"),
    ],
)
def test_a32_rungs_of_a_free_text(answer: str, rung: str) -> None:
    result = verify_quotes(answer, LEASE)
    assert ladder_rung(result) == ladder_rung(result.to_dict()) == rung


def test_a33_long_answers_and_deep_brackets_finish_quickly() -> None:
    started = time.perf_counter()
    long = "An unrelated imaginary machine is described in tedious detail. " * 1_600
    assert verify_quotes(long, LEASE)["audit_mode"] == "UNGROUNDED"
    assert verify_claim_lattice(long, MAP)["audit_mode"] == "UNGROUNDED"
    for deep in ("[" * 3_000, "{" * 3_000, '{"a":' * 3_000, "[" * 3_000 + "]" * 3_000):
        assert kinds(verify_claim_lattice_json(deep, MAP)) == ["SCHEMA_INVALID"]
        assert verify_claim_lattice(deep, MAP)["n_verified"] == 0
        assert verify_quotes(deep, deep)["audit_mode"] in ("STRICT", "UNGROUNDED")
    assert time.perf_counter() - started < 5
