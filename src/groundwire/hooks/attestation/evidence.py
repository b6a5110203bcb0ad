"""The rows behind a passport, and the claims that are counted from them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from groundwire.errors import InputError
from groundwire.ledger import MerkleProof, leaf_hash, merkle_levels, merkle_root, proof_from

MAX_ROWS = 1_000_000
METRICS = ("count", "sum", "mean", "min", "max")

Row = Mapping[str, Any]


class Opening(NamedTuple):
    """One row with the proof of its place."""

    row: Row
    proof: MerkleProof


class Evidence(Protocol):
    """Whoever holds the rows: shows any one of them on request."""

    def open(self, index: int) -> Opening:
        """Show one row with its proof."""
        ...


class EvidencePacket:
    """All rows at hand; their root is computed once."""

    def __init__(self, rows: Sequence[Row]) -> None:
        if len(rows) > MAX_ROWS:
            raise InputError(f"There are {len(rows):,} rows.", why=f"the limit is {MAX_ROWS:,}", fix="split the packet")
        for number, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise InputError(f"Row {number} is no mapping.", fix="give one JSON object per row")
        self.rows = tuple(rows)
        self.leaves = tuple(leaf_hash(dict(row)) for row in rows)
        self.root = merkle_root(self.leaves)
        self._levels = merkle_levels(self.leaves)

    def open(self, index: int) -> Opening:
        """Show one row with its proof."""
        return Opening(self.rows[index], proof_from(self._levels, index))


def read_claim(claim: Any) -> dict[str, Any]:
    """Bring one wanted claim to its full form: name, metric, field, where."""
    if not isinstance(claim, Mapping) or not isinstance(claim.get("name"), str) or not claim["name"]:
        raise InputError("A claim has no name.", fix="give name, metric, and field unless the metric is count")
    unknown = sorted(set(claim) - {"name", "metric", "field", "where"})
    if unknown:
        raise InputError(f"The claim {claim['name']!r} has an unknown field {unknown[0]!r}.", fix="drop it")
    metric, field, where = claim.get("metric"), claim.get("field", ""), claim.get("where", {})
    if metric not in METRICS:
        raise InputError(
            f"The claim {claim['name']!r} has the metric {metric!r}.", fix=f"choose from {', '.join(METRICS)}"
        )
    if (metric != "count") != bool(field) or not isinstance(field, str) or not isinstance(where, Mapping):
        raise InputError(
            f"The claim {claim['name']!r} has no usable field or where.",
            fix="name the field that is counted (none for count), and give where as a mapping",
        )
    return {"name": claim["name"], "metric": metric, "field": field, "where": dict(where)}


def count_claim(claim: Mapping[str, Any], rows: Sequence[Row]) -> tuple[float | int | None, int]:
    """Return the value of a claim and the number of rows it rests on; None without rows."""
    where, field = claim["where"], claim["field"]
    chosen = [row for row in rows if all(_same(row.get(name), value) for name, value in where.items())]
    if claim["metric"] == "count":
        return (len(chosen) or None), len(chosen)
    values = [row[field] for row in chosen if _is_number(row.get(field))]
    if len(values) != len(chosen):
        raise InputError(
            f"The claim {claim['name']!r} rests on rows without a number in {field!r}.",
            fix="fill the field, or narrow the claim with where",
        )
    if not values:
        return None, 0
    match claim["metric"]:
        case "sum":
            return math.fsum(values), len(values)
        case "mean":
            return math.fsum(values) / len(values), len(values)
        case "min":
            return min(values), len(values)
    return max(values), len(values)


def _same(found: Any, wanted: Any) -> bool:
    return type(found) is type(wanted) and bool(found == wanted)


def _is_number(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, int | float) and math.isfinite(value))
