import pytest

from training.claims import claims_in, is_carried

NAMES = ("nli-lite", "embedded model", "with the model")


def figures(text: str) -> list[str]:
    return [claim.figure for claim in claims_in(text, "page.md", NAMES)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The embedded model has an AUC of 0.834.", ["0.834"]),
        ("`nli-lite` reaches 72.5 % balanced accuracy in 15 ms.", ["72.5 %", "15 ms"]),
        ("The Embedded Model is small.\nIts accuracy is 80%.", ["80%"]),
        ("With the model it gets 63 of 67 golden cases right.", ["63 of 67"]),
        ("- The embedded model is 2.5× faster than its teacher.", ["2.5×"]),
        ("The embedded model needs 380 MB of memory.", ["380 MB"]),
        ("# The embedded model\n\nThe median latency is 12.5 ms.", ["12.5 ms"]),
        ("# The embedded model\n\n| set | AUC |\n|---|---|\n| wice | 0.85 |", ["0.85"]),
        ("| AUC | no model | embedded model |\n|---|---|---|\n| wice | 0.79 | 0.85 |", ["0.85"]),
        ("| tier | AUC |\n|---|---|\n| words | 0.79 |\n| embedded model | 0.85 |", ["0.85"]),
        ("```text\nThe embedded model has an AUC of 0.9.\n```", ["0.9"]),
    ],
)
def test_a_figure_for_the_model_is_found(text: str, found: list[str]) -> None:
    assert figures(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Without a model it has a mean AUC of 0.795.",
        "The embedded model is described elsewhere. Without a model the mean AUC is 0.795.",
        "The linear model has an AUC of 0.95.",
        "The embedded model reads windows of 128 tokens; accuracy is measured on 2 cores with 1,000 rows.",
        "The accuracy of the embedded model is measured at the threshold 0.5.",
        "The latency of the embedded model was measured with Python 3.11 and onnxruntime 1.20.",
        "The embedded model takes 23 MB on disk; its accuracy is on another page.",
        "With the model a conflict raises the divergence to at least 0.66.",
        "```python\nprint('embedded model AUC 0.9')\n```\n\n```text\nembedded model AUC 0.9\n```",
        "```console\n$ groundwire eval x.jsonl\nembedded model AUC 0.9\n```",
        "<!-- embedded model: AUC 0.9 -->",
    ],
)
def test_other_numbers_are_no_claims(text: str) -> None:
    assert figures(text) == []


def test_a_claim_knows_its_line() -> None:
    text = "# Page\n\nWords.\n\n| AUC | nli-lite |\n|---|---|\n| a | 0.81 |\n| b | 0.82 |\n"
    assert [(claim.line, claim.figure) for claim in claims_in(text, "x", NAMES)] == [(7, "0.81"), (8, "0.82")]


@pytest.mark.parametrize(
    ("figure", "values", "carried"),
    [
        ("0.83", [0.8341], True),
        ("0.834", [0.8341], True),
        ("0.84", [0.8341], False),
        ("83.4 %", [0.8341], True),
        ("83 %", [83.2], True),
        ("84 %", [0.8341], False),
        ("11 ms", [11.4], True),
        ("12 ms", [11.4], False),
        ("1.5 s", [1500.0], True),
        ("63 of 67", [63.0, 67.0], True),
        ("64 of 67", [63.0, 67.0], False),
        ("1,024.5 ms", [1024.52], True),
        ("0.5", [], False),
    ],
)
def test_a_figure_is_carried_by_a_value_that_rounds_to_it(figure: str, values: list[float], carried: bool) -> None:
    assert is_carried(figure, values) is carried
