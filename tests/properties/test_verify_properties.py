"""What must hold for any two texts."""

import json
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire import VerifiedScorer
from groundwire.text.quantities import find_quantities
from groundwire.text.sentences import split_sentences
from groundwire.text.tokens import find_words

ANY_TEXT = st.text(alphabet=st.characters(), max_size=300)
ODD_PIECES = st.sampled_from(
    ["10^400", "0/0", "99:99", "31 February", "1,2,3,4", "½", "𝟏𝟐", "１２", "-", "not not", "n't", "$", "5 kg/m", "۴۵",
     "\u202e", "\u200b", "\x00", "\ud800", "a|b|c", "1.", "e.g.", "?", "!", "。", "\n", "v1.2.3.4", "minus", "to"]
)  # fmt: skip
ODD_TEXT = st.lists(ODD_PIECES | st.text(max_size=5), max_size=30).map(" ".join)


@given(response=ANY_TEXT | ODD_TEXT, source=ANY_TEXT | ODD_TEXT, atomic=st.booleans())
@settings(max_examples=250, deadline=None)
def test_any_two_strings_verify_and_claims_are_slices(response: str, source: str, atomic: bool) -> None:
    result = VerifiedScorer().verify(response, source, atomic=atomic)
    for claim in result.claims:
        assert response[claim.start : claim.end] == claim.claim
        assert 0.0 <= claim.confidence <= 1.0
        assert 0.0 <= claim.traceability <= 1.0
        for span in claim.evidence_spans:
            assert source[span.start : span.end] == span.text
        for conflict in claim.conflicts:
            assert response[conflict.claim_start : conflict.claim_end] == conflict.claim_text
            if conflict.source_start >= 0:
                assert source[conflict.source_start : conflict.source_end] == conflict.source_text
    counts = result.supported_count + result.contradicted_count + result.fabricated_count + result.unverifiable_count
    assert counts == len(result.claims)
    json.dumps(result.to_dict())
    assert VerifiedScorer().verify(response, source, atomic=atomic) == result


@given(text=ANY_TEXT | ODD_TEXT)
@settings(max_examples=250, deadline=None)
def test_sentence_units_are_ordered_slices_and_keep_every_word(text: str) -> None:
    units = split_sentences(text)
    last = 0
    for unit in units:
        assert text[unit.start : unit.end] == unit.text
        assert unit.start >= last
        last = unit.end
    outside = text
    for unit in reversed(units):
        outside = outside[: unit.start] + outside[unit.end :]
    # Only list markers (short) may stand outside the units.
    assert all(len(piece) <= 5 for piece in "".join(c if c.isalnum() else " " for c in outside).split())


@given(text=ANY_TEXT | ODD_TEXT)
@settings(max_examples=250, deadline=None)
def test_quantities_are_ordered_slices(text: str) -> None:
    last = 0
    for quantity in find_quantities(text, find_words(text)):
        assert text[quantity.start : quantity.end] == quantity.text
        assert quantity.start >= last
        last = quantity.end


@given(claim=st.sampled_from(["The pump weighs 12 kg.", "Dogs are not allowed.", "Müller leitet das Büro."]))
@settings(deadline=None)
def test_a_verbatim_sentence_is_supported(claim: str) -> None:
    result = VerifiedScorer().verify(claim, f"Something else comes first. {claim} And more follows.")
    assert [str(item.verdict) for item in result.claims] == ["supported"]


def test_another_process_gives_the_same_bytes() -> None:
    code = (
        "import json; from groundwire import VerifiedScorer;"
        "r = VerifiedScorer().verify('Anna sold 12 boats. Prices fell.', 'Anna bought 15 boats. Prices rose.');"
        "print(json.dumps(r.to_dict(), sort_keys=True))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(runs) == 1
