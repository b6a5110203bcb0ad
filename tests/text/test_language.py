"""Telling languages apart, and what follows for a claim in another one."""

import pytest

from groundwire import VerifiedScorer
from groundwire.text.language import tell_languages


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The contract does not end before the third of May.", "en"),
        ("Der Vertrag endet nicht vor dem dritten Mai und ist gültig.", "de"),
        ("Le contrat est signé par les deux parties et ne finit pas.", "fr"),
        ("El contrato no es válido en los días de fiesta.", "es"),
        ("这家公司有三百名员工。", "zh"),
        ("この会社には三百人の社員がいます。", "ja"),
        ("تضم الشركة ثلاثمئة موظف.", "ar"),
        ("कंपनी में तीन सौ कर्मचारी हैं।", "hi"),
    ],
)
def test_a_sentence_tells_its_language(text: str, language: str) -> None:
    assert language in tell_languages(text)


def test_nothing_tells_the_language_of_a_number() -> None:
    assert tell_languages("42") == frozenset()


@pytest.mark.parametrize(
    "response",
    [
        "Der Vertrag endet nicht vor dem dritten Mai.",
        "Le contrat ne finit pas avant le trois mai.",
        "合同在五月三日结束。",
    ],
)
def test_a_claim_in_another_language_is_unverifiable_with_the_reason(response: str) -> None:
    result = VerifiedScorer().verify(response, "The contract does not end before the third of May, and it is renewed.")
    assert [str(claim.verdict) for claim in result.claims] == ["unverifiable"]
    assert result.claims[0].reasons == ["other_language"]
    assert result.approved
