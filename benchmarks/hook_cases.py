"""Run the written cases of the hooks: tests hold every one, benchmarks/hooks.py counts and times them."""

import atexit
import json
import math
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from groundwire.hooks.attestation import Evidence, EvidencePacket, PassportVerifier, issue_passport, revoke
from groundwire.hooks.attestation.evidence import Opening
from groundwire.hooks.containment import Action, ContainmentGuard, NonceLog, issue_anchor
from groundwire.hooks.ontology import OntologyChecker
from groundwire.hooks.physical import PhysicalGrounding
from groundwire.hooks.signing import new_key, public_hex, seal
from groundwire.hooks.swarm import HandoffChecker, Hop, extend_chain
from groundwire.hooks.trajectory import Simulator, Step, TrajectoryPreflight, confirmation
from groundwire.ledger import Record
from groundwire.types import HookVerdict

DATA = Path(__file__).resolve().parent.parent / "tests" / "data" / "hooks"
HOOKS = ("containment", "attestation", "ontology", "trajectory", "physical", "swarm")
NOW = 1_800_000_000.0

Check = Callable[[], HookVerdict]


def cases(hook: str) -> list[dict[str, Any]]:
    """Read the cases of one hook."""
    return [json.loads(line) for line in (DATA / f"{hook}.jsonl").read_text(encoding="utf-8").splitlines()]


def prepare(hook: str, case: Mapping[str, Any]) -> Check:
    """Make everything ready, so that the call that comes back is the check alone."""
    return PREPARE[hook](case)


@cache
def key(name: str) -> Any:
    """Return the private key of a name, one per run."""
    return new_key()


@cache
def playground() -> str:
    """Lay out folders and links for the path cases, once per process."""
    root = os.path.realpath(tempfile.mkdtemp(prefix="groundwire-hooks-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    for folder in ("work/sub", "data", "secret", "workshop"):
        os.makedirs(f"{root}/{folder}")
    for file in ("work/notes.txt", "work/sub/deep.txt", "data/table.csv", "secret/key.txt", "workshop/plan.txt"):
        Path(f"{root}/{file}").write_text("x\n", encoding="utf-8")
    links = {"link_out": "secret", "link_in": "work/sub", "step": "secret", "dangling": "secret/none"}
    for name, target in links.items():
        os.symlink(f"{root}/{target}", f"{root}/work/{name}")
    os.symlink("step", f"{root}/work/chain")
    return root


def in_playground(text: str) -> str:
    """Fill in the folder and the long values that a case stands for."""
    nested = "SELECT " + "(SELECT " * 300 + "1" + ")" * 300 + " FROM orders"
    return text.replace("{R}", playground()).replace("{LONG}", "a/" * 5_000).replace("{DEEPSQL}", nested)


@cache
def containment_policy() -> dict[str, Any]:
    """Return the policy that the containment cases are held against."""
    text = in_playground((DATA / "containment.yaml").read_text(encoding="utf-8"))
    policy: dict[str, Any] = yaml.safe_load(text)
    return {**policy, "issuers": {"ops": public_hex(key("ops"))}}


def _anchor(wanted: Mapping[str, Any], scope: str) -> str | None:
    if "raw" in wanted:
        return str(wanted["raw"])
    if wanted.get("none"):
        return None
    issued = NOW - 100 + (wanted["issued_in"] + 100 if "issued_in" in wanted else 0)
    text = issue_anchor(
        key(wanted.get("key", "ops")),
        issuer=wanted.get("issuer", "ops"),
        scope=scope if wanted.get("scope") == "godmode" else wanted.get("scope", scope),
        now=issued,
        lifetime=NOW + wanted.get("expires_in", 3_600) - issued,
    )
    if wanted.get("scope") == "godmode":
        text = seal({**json.loads(text)["payload"], "scope": "godmode"}, key("ops"))
    if "tamper" in wanted:
        text = text.replace(*wanted["tamper"])
    if wanted.get("strip"):
        text = json.dumps({"payload": json.loads(text)["payload"]}, sort_keys=True, separators=(",", ":")) + "\n"
    if wanted.get("malleate"):
        outer = json.loads(text)
        text = text.replace(outer["signature"], outer["signature"].upper())
    return text


def _containment(case: Mapping[str, Any]) -> Check:
    wanted = case.get("anchor", {})
    anchor, log = _anchor(wanted, case.get("scope", "sandbox")), NonceLog()
    guard = ContainmentGuard(containment_policy(), anchor, nonces=log, clock=lambda: NOW)
    if wanted.get("replay"):
        guard = ContainmentGuard(containment_policy(), anchor, nonces=log, clock=lambda: NOW)
    arguments = {
        name: in_playground(value) if isinstance(value, str) else value
        for name, value in case.get("arguments", {}).items()
    }
    action = Action(case["kind"], in_playground(case["value"]), arguments)
    return lambda: guard.check(action)


def _rows_of(packet: str) -> list[dict[str, Any]]:
    def row(n: int) -> dict[str, Any]:
        return {"case": n, "right": int(n % 4 != 0), "score": round(0.5 + n / 100, 4), "errors": int(n % 8 == 0),
                "language": "en" if n % 2 else "de"}  # fmt: skip

    sizes = {"one": 1, "two": 2, "five": 5, "forty": 40, "thousand": 1_000}
    if packet in sizes:
        return [row(n + 1) for n in range(sizes[packet])]
    if packet == "unicode":
        return [{"right": 1, "text": "Größe ✓ 寸 \ud83d\ude00"}, {"right": 0, "text": "\u0000\u202e"}]
    if packet == "nested":
        return [{"right": 1, "detail": {"a": [1, {"b": None}]}}, {"right": 0, "detail": {}}]
    return [{"right": 1}, {"right": 1}, {"right": 1}]


def _change_rows(rows: list[dict[str, Any]], change: list[Any]) -> list[dict[str, Any]]:
    rows = [dict(row) for row in rows]
    match change[0]:
        case "set":
            rows[change[1]][change[2]] = change[3]
        case "drop":
            del rows[change[1]]
        case "add":
            rows.append(dict(rows[0], case=99))
        case "swap":
            rows[change[1]], rows[change[2]] = rows[change[2]], rows[change[1]]
        case "replace":
            rows = _rows_of(change[1])
        case "double_last":
            rows.append(rows[-1])
        case "empty":
            rows = []
    return rows


def _change_passport(text: str, change: list[Any]) -> str:
    outer = json.loads(text)

    def written(value: Any) -> str:
        return json.dumps(value, sort_keys=True, separators=(",", ":")) + "\n"

    match change[0]:
        case "text":
            return text.replace(change[1], change[2])
        case "append":
            return text + str(change[1])
        case "field":
            return written({**outer, "payload": {**outer["payload"], change[1]: change[2]}})
        case "outer":
            return written({**outer, change[1]: change[2]})
        case "drop":
            return written({name: value for name, value in outer.items() if name != change[1]})
        case "upper_signature":
            return written({**outer, "signature": outer["signature"].upper()})
        case "signature_of_other":
            other = seal({**outer["payload"], "serial": "other"}, key("ops"))
            return written({**outer, "signature": json.loads(other)["signature"]})
        case "signed_as_anchor":
            other = seal({**outer["payload"], "schema": "groundwire.anchor.v1"}, key("ops"))
            return written({**outer, "signature": json.loads(other)["signature"]})
        case "duplicate_key":
            return text.replace('"payload":{', '"payload":{},"payload":{')
    raise ValueError(change)


class _Opener:
    """Someone who holds the rows and may lie."""

    def __init__(self, packet: EvidencePacket, manner: str) -> None:
        self.packet, self.manner = packet, manner

    def open(self, index: int) -> Opening:
        row, proof = self.packet.open(index)
        match self.manner:
            case "swaps":
                return self.packet.open((index + 1) % len(self.packet.rows))
            case "changes":
                return Opening({**row, "right": 1, "case": -1}, proof)
            case "repeats":
                first = self.packet.open(0)
                return Opening(first.row, replace(first.proof, index=index))
            case "inner":
                return Opening({"node": self.packet.leaves[index]}, replace(proof, siblings=proof.siblings[1:]))
            case "raises":
                raise OSError("no rows today")
        return Opening(row, proof)


def _forge(payload: dict[str, Any], manner: str) -> dict[str, Any]:
    claim = payload["claims"][0]
    match manner:
        case "claim_without_rows":
            return {**payload, "claims": [claim, {**claim, "name": "safety", "rows": 0}]}
        case "no_claims":
            return {**payload, "claims": []}
        case "too_many_rows":
            return {**payload, "claims": [{**claim, "rows": 41}]}
        case "wrong_value":
            return {**payload, "claims": [{**claim, "value": 0.99}]}
    return {**payload, "schema": "groundwire.passport.v9"}


def _attestation(case: Mapping[str, Any]) -> Check:
    rows = _rows_of(case["packet"])
    issuer = case.get("issuer", "ops")
    made = {"now": NOW, "serial": "self", "lifetime": case.get("valid_seconds", 3_600)}
    text = issue_passport(
        EvidencePacket(rows),
        case.get("claims", [{"name": "accuracy", "metric": "mean", "field": "right"}]),
        key(case.get("key", "ops")),
        issuer=issuer,
        subject="demo-model 1.2",
        kind=case.get("subject_kind", "model"),
        **made,
    )
    if "forge" in case:
        text = seal(_forge(json.loads(text)["payload"], case["forge"]), key("ops"))
    if "change" in case:
        text = _change_passport(text, case["change"])
    text = case.get("raw", text)
    packet = EvidencePacket(_change_rows(rows, case.get("rows", [""])))
    evidence: Evidence | None = None if case.get("evidence") == "none" else packet
    if "opener" in case:
        evidence = _Opener(packet, case["opener"])
    verifier = PassportVerifier(
        {
            "kind": "attestation",
            "version": 1,
            "require": case.get("require", {}),
            "require_evidence": case.get("require_evidence", True),
            **({"revocations_max_age_seconds": case["list_max_age"]} if "list_max_age" in case else {}),
        },
        issuers={"ops": public_hex(key("ops")), "lab": public_hex(key("lab"))},
        revocations=_lists(case),
        clock=lambda: NOW + case.get("wait", 10),
    )
    return lambda: verifier.check(text, evidence, subject=case.get("expect_subject"), full=case.get("full", False))


def _lists(case: Mapping[str, Any]) -> list[str]:
    if "revoked" not in case:
        return []
    signer = key(case.get("list_key", "ops"))
    text = revoke(case["revoked"], signer, issuer="ops", now=NOW - case.get("list_age", 0))
    if case.get("list_change") == "emptied":
        text = text.replace('"self"', "")
    if case.get("list_change") == "unsigned":
        text = json.dumps({"payload": json.loads(text)["payload"]}, sort_keys=True, separators=(",", ":")) + "\n"
    return [text]


def _reach(limit: object) -> Callable[[tuple[float, float, float]], bool] | None:
    if limit is None:
        return None

    def reachable(point: tuple[float, float, float]) -> bool:
        if not isinstance(limit, int):
            raise TypeError("no kinematics today")
        return math.hypot(*point) <= limit / 1_000

    return reachable


def _physical(case: Mapping[str, Any]) -> Check:
    guard = PhysicalGrounding(DATA / "physical.yaml", reachable=_reach(case.get("reach_mm")))
    given = case.get("state", {})
    signals = {"door_closed": True, "coolant_on": True, **given.get("signals", {})}
    state = {**given, "signals": {} if case.get("no_signals") else signals}
    return lambda: guard.check(case["command"], state)


def _step(row: list[Any]) -> Step:
    tool, arguments, *rest = row
    more: dict[str, Any] = {
        name: float(v) if v == "nan" else v for name, v in (rest[1] if len(rest) > 1 else {}).items()
    }
    return Step(tool, arguments, rest[0] if rest else "", **more)


def _simulator(chance: object) -> Simulator | None:
    if chance is None:
        return None

    def simulate(plan: Sequence[Step], rng: random.Random) -> bool:
        if not isinstance(chance, float):
            raise TypeError("no physics today")
        return rng.random() < chance

    return simulate


def _trajectory(case: Mapping[str, Any]) -> Check:
    guard = TrajectoryPreflight(DATA / "trajectory.yaml", seed=7)
    plan = [_step(row) for row in case["plan"]]
    confirmed = [confirmation(plan[place]) for place in case.get("confirm", ())]
    confirmed += [confirmation(_step(row)) for row in case.get("confirm_other", ())]
    simulator = _simulator(case.get("simulator"))
    return lambda: guard.check(plan, sources=case["sources"], confirmations=confirmed, simulator=simulator)


def _swarm(case: Mapping[str, Any]) -> Check:
    checker = HandoffChecker(DATA / "swarm.yaml")
    chain: tuple[Record, ...] = ()
    for sender, receiver, message, had in case.get("hops", ()):
        chain = extend_chain(chain, Hop(sender, receiver, message, tuple(had)))
    match case.get("chain"):
        case "reorder":
            chain = (chain[1], chain[0])
        case "drop":
            chain = chain[1:]
        case "edit":
            payload = {**chain[0].payload, "message": "The dam is 222 m high."}
            chain = (replace(chain[0], payload=payload), *chain[1:])
    agents = {"from_agent": case.get("from", "researcher"), "to_agent": case.get("to", "planner")}
    return lambda: checker.check(case["message"], case["had"], **agents, chain=chain)


@cache
def ontology_checker() -> OntologyChecker:
    """Return the checker of the cases; its ontology is read once."""
    return OntologyChecker(turtle=(DATA / "ontology.ttl").read_text(encoding="utf-8"))


def _ontology(case: Mapping[str, Any]) -> Check:
    checker = ontology_checker()
    return lambda: checker.check(case["text"] if "text" in case else case["triples"])


PREPARE: dict[str, Callable[[Mapping[str, Any]], Check]] = {
    "ontology": _ontology,
    "trajectory": _trajectory,
    "swarm": _swarm,
    "containment": _containment,
    "attestation": _attestation,
    "physical": _physical,
}
