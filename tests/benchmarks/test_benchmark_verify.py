from typing import Any

import pytest

from benchmarks.verify import is_right

CASE: dict[str, Any] = {"expect": {"verdicts": [["contradicted", "unverifiable"], ["supported"]], "approved": False}}


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ({"verdicts": [["contradicted"], ["supported"]], "approved": False}, True),
        ({"verdicts": [["fabricated", "unverifiable"], ["supported"]], "approved": False}, True),
        ({"verdicts": [["supported"], ["supported"]], "approved": False}, False),
        ({"verdicts": [["contradicted"]], "approved": False}, False),
        ({"verdicts": [["contradicted"], ["supported"]], "approved": True}, False),
        ({"error": "ValueError: no"}, False),
    ],
)
def test_a_case_is_right_when_every_claim_and_the_approval_are(answer: dict[str, Any], right: bool) -> None:
    assert is_right(CASE, answer) is right
