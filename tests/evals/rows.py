"""Judged rows made by hand."""

from groundwire.evals import Judged, Row


def judged(
    label: int,
    probability: float | None,
    *,
    kind: str = "",
    truth: tuple[tuple[int, int], ...] | None = None,
    found: tuple[tuple[int, int], ...] = (),
    milliseconds: float = 1.0,
    line: int = 1,
) -> Judged:
    row = Row("A source.", "A response of some words.", label, kind, None, truth, line)
    grounded = None if probability is None else probability >= 0.5
    return Judged(row, probability, grounded, grounded is not False, "checked", (), found, milliseconds)
