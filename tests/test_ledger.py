import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.errors import InputError, IntegrityError
from groundwire.ledger import (
    GENESIS,
    MerkleProof,
    Record,
    append_record,
    canonical_json,
    hash_json,
    hash_text,
    leaf_hash,
    merkle_proof,
    merkle_root,
    sha256_hex,
    verify_chain,
    verify_proof,
)

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda v: st.lists(v, max_size=4) | st.dictionaries(st.text(), v, max_size=4), max_leaves=12
)


def chain_of(payloads: list[object]) -> list[Record]:
    chain: list[Record] = []
    for payload in payloads:
        chain.append(append_record(chain, payload))
    return chain


def test_equal_values_share_one_canonical_text() -> None:
    assert canonical_json({"b": 1, "a": [1.5, None, True]}) == '{"a":[1.5,null,true],"b":1}'
    assert hash_json({"a": 1, "b": 2}) == hash_json({"b": 2, "a": 1})


def test_canonical_text_is_ascii_and_reads_back() -> None:
    value = {"text": "größer ✓ \ud800"}
    assert canonical_json(value).isascii()
    assert json.loads(canonical_json(value)) == value


@given(VALUES)
def test_any_json_value_reads_back_from_its_canonical_text(value: object) -> None:
    assert json.loads(canonical_json(value)) == value
    assert canonical_json(json.loads(canonical_json(value))) == canonical_json(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, b"bytes", object()])
def test_a_value_without_a_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="canonical JSON"):
        canonical_json(value)


def test_hashes_are_sha256() -> None:
    assert sha256_hex(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert hash_text("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert hash_text("\ud800") != hash_text("\ud801")


def test_an_empty_chain_verifies_and_the_first_record_follows_genesis() -> None:
    assert verify_chain([]) == 0
    assert append_record([], "x").previous == GENESIS


@given(st.lists(VALUES, max_size=6))
def test_an_untouched_chain_verifies(payloads: list[object]) -> None:
    assert verify_chain(chain_of(payloads)) == len(payloads)


@given(st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=6), st.data())
def test_any_one_byte_change_of_a_payload_is_found(payloads: list[bytes], data: st.DataObject) -> None:
    chain = chain_of([payload.hex() for payload in payloads])
    place = data.draw(st.integers(0, len(chain) - 1))
    at = data.draw(st.integers(0, len(payloads[place]) - 1))
    bit = data.draw(st.integers(1, 255))
    changed = bytearray(payloads[place])
    changed[at] ^= bit
    record = chain[place]
    chain[place] = Record(record.index, bytes(changed).hex(), record.previous, record.hash)
    with pytest.raises(IntegrityError, match=f"record {place}"):
        verify_chain(chain)


@given(st.integers(2, 6), st.data())
def test_a_dropped_swapped_or_repeated_record_is_found(count: int, data: st.DataObject) -> None:
    chain = chain_of(list(range(count)))
    place = data.draw(st.integers(0, count - 2))
    swapped = [*chain[:place], chain[place + 1], chain[place], *chain[place + 2 :]]
    for broken in (chain[:place] + chain[place + 1 :], swapped, [*chain[: place + 1], *chain[place:]]):
        with pytest.raises(IntegrityError):
            verify_chain(broken)


def test_a_record_rewritten_with_a_fitting_hash_breaks_its_successor() -> None:
    chain = chain_of(["a", "b", "c"])
    chain[1] = append_record(chain[:1], "forged")
    with pytest.raises(IntegrityError, match="Record 2 does not follow"):
        verify_chain(chain)


@given(st.lists(VALUES, min_size=1, max_size=17), st.data())
def test_every_leaf_proves_itself_and_nothing_else(values: list[object], data: st.DataObject) -> None:
    leaves = [leaf_hash([place, value]) for place, value in enumerate(values)]
    root = merkle_root(leaves)
    index = data.draw(st.integers(0, len(leaves) - 1))
    proof = merkle_proof(leaves, index)
    assert verify_proof(leaves[index], proof, root)
    assert not verify_proof(leaf_hash("something else"), proof, root)
    assert not verify_proof(leaves[index], proof, merkle_root([*leaves, leaf_hash("more")]))
    longer = MerkleProof(proof.index, proof.count, (*proof.siblings, GENESIS))
    assert not verify_proof(leaves[index], longer, root)
    if proof.siblings:
        shorter = MerkleProof(proof.index, proof.count, proof.siblings[:-1])
        assert not verify_proof(leaves[index], shorter, root)
        flipped = format(int(proof.siblings[0][0], 16) ^ 1, "x") + proof.siblings[0][1:]
        forged = MerkleProof(proof.index, proof.count, (flipped, *proof.siblings[1:]))
        assert not verify_proof(leaves[index], forged, root)


def test_no_content_can_pose_as_an_inner_node() -> None:
    left, right = leaf_hash("a"), leaf_hash("b")
    posing = bytes.fromhex(left) + bytes.fromhex(right)
    assert merkle_root([left, right]) != sha256_hex(posing)
    assert merkle_root([left, right]) != sha256_hex(b"\x00" + posing)
    assert leaf_hash("a") != hash_json("a")


def test_a_proof_for_no_leaf_is_refused() -> None:
    leaves = [leaf_hash(value) for value in "abc"]
    for index in (-1, 3):
        with pytest.raises(InputError, match="no leaf"):
            merkle_proof(leaves, index)
    assert not verify_proof(leaves[0], MerkleProof(5, 3, ()), merkle_root(leaves))
    assert merkle_root([]) == sha256_hex(b"")


def test_a_node_that_is_no_hash_is_refused() -> None:
    with pytest.raises(InputError, match="not a hexadecimal"):
        merkle_root(["zz", "zz"])
