"""Each conflict names its reason and the two spans that clash."""

import pytest

from groundwire import Policy, VerifiedScorer


@pytest.mark.parametrize(
    ("response", "source", "reason", "mine", "theirs"),
    [
        ("The kit costs $35.", "The kit costs $25.", "number_mismatch", "$35", "$25"),
        ("The kit has 35 parts.", "The kit is new. It comes with a manual.", "number_absent", "35", ""),
        ("The tank holds 5 litres.", "The tank holds 5 gallons.", "number_mismatch", "5 litres", "5 gallons"),
        ("The fine is 300 francs.", "The fine is 300 euros.", "unit_mismatch", "300 francs", "300 euros"),
        ("It opened in 1972.", "It opened in 1927.", "date_mismatch", "1972", "1927"),
        ("The fair is held in Vienna.", "The fair is held in Graz.", "entity_substitution", "Vienna", "Graz"),
        ("The lid must be open.", "The lid must be closed.", "antonym", "open", "closed"),
        ("Pets are allowed inside.", "Pets are not allowed inside.", "negation_flip", "are", "not"),
        ("Orla sued Tarn.", "Tarn sued Orla.", "role_swap", "sued", "sued"),
        ("The old pump is faster than the new pump.", "The new pump is faster than the old pump.", "comparative",
         "faster than", "faster than"),
        ("Lock the door after you leave it.", "Lock the door before you leave it.", "order", "after", "before"),
        ("All lamps failed the test.", "Some lamps failed the test.", "quantifier", "All", "Some"),
        ("Guests must pay at the desk.", "Guests may pay at the desk.", "modality", "must", "may"),
        ("The drug contains ibuprofen.", "The drug contains aspirin.", "substitution", "ibuprofen", "aspirin"),
    ],
)  # fmt: skip
def test_a_conflict_names_its_spans(response: str, source: str, reason: str, mine: str, theirs: str) -> None:
    claim = VerifiedScorer().verify(response, source).claims[0]
    assert claim.verdict != "supported"
    conflict = next(item for item in claim.conflicts if item.reason == reason)
    assert (conflict.claim_text, conflict.source_text) == (mine, theirs)
    assert response[conflict.claim_start : conflict.claim_end] == mine
    if theirs:
        assert source[conflict.source_start : conflict.source_end] == theirs


def test_a_computed_number_is_marked_as_derived() -> None:
    source = "The east hall holds 300 people and the west hall holds 400 people."
    claim = VerifiedScorer().verify("The two halls together hold 700 people.", source).claims[0]
    assert "derived" in claim.reasons
    assert claim.verdict not in ("contradicted", "fabricated")


def test_an_alias_of_the_policy_is_the_same_name() -> None:
    scorer = VerifiedScorer()
    source = "Orban Logistics pays the invoice."
    policy = Policy(aliases={"Orban Logistics": ("Northway",)})
    plain = scorer.verify("The invoice is paid by Northway.", source).claims[0]
    known = scorer.verify("The invoice is paid by Northway.", source, policy=policy).claims[0]
    assert plain.verdict != "supported"
    assert known.verdict == "supported"


def test_a_policy_can_refuse_what_nobody_can_verify() -> None:
    scorer = VerifiedScorer()
    response, source = "The lamp lowers stress in hotel lobbies.", "The lamp is sold in hotel lobbies."
    assert scorer.verify(response, source).approved
    strict = Policy(fail_on=("contradicted", "fabricated", "unverifiable"))
    assert not scorer.verify(response, source, policy=strict).approved


def test_a_name_the_source_defines_is_the_same_name() -> None:
    source = 'This agreement is made with Orban Logistics Ltd. (the "Client"). The Client pays within 14 days.'
    scorer = VerifiedScorer()
    assert scorer.verify("Orban Logistics pays within 14 days.", source).claims[0].verdict == "supported"
    assert scorer.verify("Orban Logistics pays within 40 days.", source).claims[0].verdict == "contradicted"
    assert scorer.verify("Tarn Freight pays within 14 days.", source).claims[0].verdict != "supported"
