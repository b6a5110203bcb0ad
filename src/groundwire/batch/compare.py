"""Compare two outputs of the same rows, and tell whether the second is worse."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from groundwire.errors import InputError
from groundwire.evals.paired import Difference, mcnemar, paired_difference

ALPHA = 0.05
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Changed:
    """A row that one run approved and the other did not."""

    key: str
    line: int
    approved: bool  # by the second run


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed from the first run to the second.

    `measure` is what the test is about: right approvals where the rows have labels, approvals where not.
    """

    measure: str
    rows: int
    only_in_first: int
    only_in_second: int
    first_rate: float
    second_rate: float
    lost: int
    gained: int
    p_value: float
    alpha: float
    probability: Difference | None
    changed: tuple[Changed, ...]
    changed_count: int

    @property
    def significant(self) -> bool:
        """Tell whether chance alone would rarely do this."""
        return self.p_value < self.alpha

    @property
    def worse(self) -> bool:
        """Tell whether the second run is worse, and not by chance."""
        return self.significant and self.lost > self.gained

    def to_dict(self) -> dict[str, Any]:
        """Return JSON types only."""
        plain = asdict(self)
        plain["probability"] = None if self.probability is None else self.probability._asdict()
        plain["changed"] = [asdict(item) for item in self.changed]
        return {**plain, "significant": self.significant, "worse": self.worse}


Known = tuple[bool, float | None, int | None, int]


def compare_runs(
    first: Iterable[Mapping[str, Any]], second: Iterable[Mapping[str, Any]], *, alpha: float = ALPHA
) -> Comparison:
    """Pair the rows of two outputs, by id where all rows have one and else by line, and test the difference."""
    if not 0 < alpha < 1:
        raise InputError(f"alpha is {alpha}.", fix="give a number between 0 and 1, like 0.05")
    one, two = _by_key(first, "first"), _by_key(second, "second")
    shared = [key for key in one if key in two]
    if not shared:
        raise InputError(
            "The two outputs have no row in common.",
            why="rows are paired by id, or by line where a row has no id",
            fix="compare two runs over the same input",
        )
    labelled = all(one[key][2] is not None and one[key][2] == two[key][2] for key in shared)
    good = [(_good(one[key], labelled), _good(two[key], labelled)) for key in shared]
    lost, gained = sum(a and not b for a, b in good), sum(b and not a for a, b in good)
    both = [(a, b) for key in shared if (a := one[key][1]) is not None and (b := two[key][1]) is not None]
    changed = [Changed(key, two[key][3], two[key][0]) for key in shared if one[key][0] != two[key][0]]
    return Comparison(
        measure="right approvals" if labelled else "approvals",
        rows=len(shared),
        only_in_first=len(one) - len(shared),
        only_in_second=len(two) - len(shared),
        first_rate=sum(a for a, _ in good) / len(good),
        second_rate=sum(b for _, b in good) / len(good),
        lost=lost,
        gained=gained,
        p_value=mcnemar(lost, gained),
        alpha=alpha,
        probability=paired_difference([a for a, _ in both], [b for _, b in both]),
        changed=tuple(changed[:_SHOWN]),
        changed_count=len(changed),
    )


def _by_key(rows: Iterable[Mapping[str, Any]], which: str) -> dict[str, Known]:
    known: dict[str, Known] = {}
    for row in rows:
        key = f"line {row['line']}" if row.get("id") is None else f"id {row['id']}"
        if key in known:
            raise InputError(
                f"The {which} output has the {key!r} twice.",
                why="rows could not be paired",
                fix="give each row an id of its own, or leave ids out with --columns id=",
            )
        known[key] = bool(row["approved"]), row["support_probability"], row.get("label"), row["line"]
    return known


def _good(known: Known, labelled: bool) -> bool:
    return known[0] == bool(known[2]) if labelled else known[0]
