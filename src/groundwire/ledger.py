"""Canonical JSON, hash chain and Merkle proofs: the only home of hashing."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundwire.errors import InputError, IntegrityError

if TYPE_CHECKING:
    from pathlib import Path

GENESIS = "0" * 64
# Leaves and inner nodes are hashed under different prefixes, so that an inner
# node can never be passed off as a leaf.
_LEAF = b"\x00"
_NODE = b"\x01"


def canonical_json(value: Any) -> str:
    """Write a value as the one JSON text that equal values share."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            "The value has no canonical JSON form.",
            why=str(error),
            fix="use only dict with string keys, list, str, int, finite float, bool and None",
        ) from error


def sha256_hex(data: bytes) -> str:
    """Hash bytes with SHA-256 and return lower-case hex."""
    return hashlib.sha256(data).hexdigest()


def hash_json(value: Any) -> str:
    """Hash the canonical JSON of a value."""
    return sha256_hex(canonical_json(value).encode("ascii"))


def hash_text(text: str) -> str:
    """Hash a text, unpaired surrogates included."""
    return sha256_hex(text.encode("utf-8", "surrogatepass"))


def hash_file(path: "Path") -> str:
    """Hash the content of a file, however large."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class Record:
    """One link of a hash chain."""

    index: int
    payload: Any
    previous: str
    hash: str


def append_record(chain: Sequence[Record], payload: Any) -> Record:
    """Make the record that follows the chain."""
    previous = chain[-1].hash if chain else GENESIS
    index = len(chain)
    return Record(index, payload, previous, record_hash(index, payload, previous))


def record_hash(index: int, payload: Any, previous: str) -> str:
    """Hash a record's place, content and predecessor together."""
    return hash_json({"index": index, "payload": payload, "previous": previous})


def verify_chain(chain: Iterable[Record]) -> int:
    """Check every link and return the number of records."""
    previous = GENESIS
    count = 0
    for position, record in enumerate(chain):
        if record.index != position:
            raise IntegrityError(
                f"Record {position} of the chain carries index {record.index}.",
                why="a record was dropped, inserted or reordered",
                fix="restore the chain from a copy that verifies",
            )
        if record.previous != previous:
            raise IntegrityError(
                f"Record {position} does not follow the record before it.",
                why="its predecessor was changed or replaced",
                fix="restore the chain from a copy that verifies",
            )
        if record.hash != record_hash(record.index, record.payload, record.previous):
            raise IntegrityError(
                f"The content of record {position} does not match its hash.",
                why="the record was changed after it was written",
                fix="restore the record from a copy that verifies",
            )
        previous = record.hash
        count += 1
    return count


@dataclass(frozen=True, slots=True)
class MerkleProof:
    """The sibling hashes that lead from one leaf to the root."""

    index: int
    count: int
    siblings: tuple[str, ...]


def leaf_hash(value: Any) -> str:
    """Hash a value as a leaf of a Merkle tree."""
    return sha256_hex(_LEAF + canonical_json(value).encode("ascii"))


def merkle_root(leaves: Sequence[str]) -> str:
    """Fold leaf hashes into one root; an odd node moves up unchanged."""
    if not leaves:
        return sha256_hex(b"")
    level = list(leaves)
    while len(level) > 1:
        level = _next_level(level)
    return level[0]


def merkle_proof(leaves: Sequence[str], index: int) -> MerkleProof:
    """Collect the siblings that prove one leaf."""
    if not 0 <= index < len(leaves):
        raise InputError(
            f"There is no leaf {index} in a tree of {len(leaves)}.",
            fix="give an index from 0 to the number of leaves minus one",
        )
    return proof_from(merkle_levels(leaves), index)


def merkle_levels(leaves: Sequence[str]) -> list[list[str]]:
    """Return every level of the tree, leaves first, so that many proofs cost one tree."""
    levels = [list(leaves)]
    while len(levels[-1]) > 1:
        levels.append(_next_level(levels[-1]))
    return levels


def proof_from(levels: Sequence[Sequence[str]], index: int) -> MerkleProof:
    """Collect the siblings of one leaf out of a tree's levels."""
    siblings: list[str] = []
    place = index
    for level in levels[:-1]:
        partner = place ^ 1
        if partner < len(level):
            siblings.append(level[partner])
        place //= 2
    return MerkleProof(index, len(levels[0]), tuple(siblings))


def verify_proof(leaf: str, proof: MerkleProof, root: str) -> bool:
    """Tell whether a leaf with its proof leads to the root."""
    if not 0 <= proof.index < proof.count:
        return False
    node, place, width = leaf, proof.index, proof.count
    rest = list(proof.siblings)
    while width > 1:
        partner = place ^ 1
        if partner < width:
            if not rest:
                return False
            sibling = rest.pop(0)
            node = _node_hash(sibling, node) if partner < place else _node_hash(node, sibling)
        place, width = place // 2, (width + 1) // 2
    return not rest and node == root


def _next_level(level: Sequence[str]) -> list[str]:
    pairs = [_node_hash(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
    return pairs + ([level[-1]] if len(level) % 2 else [])


def _node_hash(left: str, right: str) -> str:
    try:
        return sha256_hex(_NODE + bytes.fromhex(left) + bytes.fromhex(right))
    except ValueError as error:
        raise InputError(
            "A Merkle node is not a hexadecimal hash.", why=str(error), fix="pass hashes made by leaf_hash"
        ) from error
