"""Bad input, broken parts and missing libraries: refused with a clear message, or blocked, never waved through."""

import builtins
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.hook_cases import NOW, containment_policy, key, ontology_checker
from groundwire.errors import InputError, MissingExtraError, PolicyError
from groundwire.hooks import (
    Action,
    ContainmentGuard,
    EvidencePacket,
    HandoffChecker,
    NonceLog,
    OntologyChecker,
    PassportVerifier,
    PhysicalGrounding,
    Step,
    TrajectoryPreflight,
    issue_anchor,
    issue_passport,
    public_hex,
)
from groundwire.hooks.containment.statements import SqlRules, check_sql

PHYSICAL = {"kind": "physical", "version": 1, "actions": ["do"], "limits": {"force": {"max": "5 N"}}}
PLANS = {"kind": "trajectory", "version": 1, "tools": {"search": {}}}


def anchored(**changes: Any) -> ContainmentGuard:
    anchor = issue_anchor(key("ops"), issuer="ops", scope="sandbox", now=NOW)
    return ContainmentGuard(containment_policy(), anchor, **{"nonces": NonceLog(), "clock": lambda: NOW, **changes})


GUARDS: dict[str, Callable[[], Callable[[Any], Any]]] = {
    "containment": lambda: anchored().check,
    "attestation": lambda: PassportVerifier(issuers={"ops": public_hex(key("ops"))}).check,
    "ontology": lambda: ontology_checker().check,
    "trajectory": lambda: TrajectoryPreflight(PLANS).check,
    "physical": lambda: PhysicalGrounding(PHYSICAL).check,
    "swarm": lambda: HandoffChecker().check,
}
ODD: list[Any] = [None, 7, b"bytes", {"a": object()}, [1, 2], object(), ["a", None], {"action": None}, float("nan")]


@pytest.mark.parametrize("hook", GUARDS)
@pytest.mark.parametrize("odd", ODD, ids=lambda value: type(value).__name__)
def test_odd_input_blocks_and_never_raises(hook: str, odd: Any) -> None:
    verdict = GUARDS[hook]()(odd)
    assert verdict.allowed is False
    assert verdict.safety_event.policy_decision == "block"


class Broken:
    """An object that fails at every touch."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("secret detail")


@pytest.mark.parametrize("hook", GUARDS)
def test_a_hook_that_fails_inside_blocks_and_says_so_without_the_detail(hook: str) -> None:
    verdict = GUARDS[hook]()([Broken()] if hook in ("ontology", "trajectory") else Broken())
    assert verdict.allowed is False
    assert verdict.reason in ("hook_error", "passport_malformed", "malformed")
    assert "secret" not in str(verdict)


def test_a_clock_that_fails_blocks() -> None:
    def broken() -> float:
        raise OSError("no clock")

    assert anchored(clock=broken).check(Action("tool", "search")).reason == "hook_error"
    assert anchored(clock=lambda: float("nan")).check(Action("tool", "search")).reason == "anchor_expired"


@pytest.mark.parametrize(
    ("library", "make"),
    [
        ("sqlglot", lambda: anchored()),
        ("cryptography", lambda: PassportVerifier(issuers={"a": "00" * 32})),
        ("rdflib", lambda: OntologyChecker(turtle="x")),
        ("pyshacl", lambda: OntologyChecker(turtle="x")),
        ("pint", lambda: PhysicalGrounding(PHYSICAL)),
    ],
)
def test_a_missing_library_is_said_at_construction(
    library: str, make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.setitem(sys.modules, name, None)

    def absent(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == library:
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingExtraError, match=r"groundwire\[hooks\]"):
        make()


def test_the_hooks_can_be_imported_without_their_libraries() -> None:
    code = (
        "import sys\n"
        "for name in ('cryptography', 'sqlglot', 'rdflib', 'pyshacl', 'pint', 'agents'): sys.modules[name] = None\n"
        "import groundwire.hooks as hooks\n"
        "print(len([getattr(hooks, name) for name in hooks.__all__]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_an_unknown_scope_is_refused() -> None:
    with pytest.raises(InputError, match="sandbox, simulator, shadow, production"):
        issue_anchor(key("ops"), issuer="ops", scope="godmode")
    with pytest.raises(PolicyError, match="no scope"):
        ContainmentGuard({"kind": "containment", "version": 1, "scopes": {"moon": {}}}, None)


def test_an_unsigned_anchor_and_passport_are_refused() -> None:
    guard = ContainmentGuard(containment_policy(), '{"payload":{"scope":"production"}}\n', nonces=NonceLog())
    assert guard.check(Action("tool", "search")).reason == "anchor_unsigned"
    verifier = PassportVerifier(issuers={"ops": public_hex(key("ops"))})
    assert verifier.check('{"payload":{"subject":"x"}}\n').reason == "passport_unsigned"


def test_a_huge_or_broken_ontology_is_refused() -> None:
    with pytest.raises(InputError, match="too large"):
        OntologyChecker(turtle="# " + "x" * 8_000_001)
    triples = "".join(f"<urn:a{n}> <urn:b> <urn:c> .\n" for n in range(50))
    with pytest.raises(InputError, match="50 triples"):
        OntologyChecker({"kind": "ontology", "version": 1, "max_triples": 10}, turtle=triples)
    with pytest.raises(InputError, match="not valid Turtle"):
        OntologyChecker(turtle="<urn:a> <urn:b")
    with pytest.raises(InputError, match="No ontology"):
        OntologyChecker()


def test_a_passport_without_rows_behind_a_claim_is_not_issued() -> None:
    packet = EvidencePacket([{"right": 1, "language": "en"}])
    for claim, words in (
        ({"name": "a", "metric": "mean", "field": "right", "where": {"language": "fr"}}, "rests on no row"),
        ({"name": "a", "metric": "mean", "field": "wrong"}, "without a number"),
        ({"name": "a", "metric": "median", "field": "right"}, "choose from count"),
        ({"metric": "count"}, "no name"),
    ):
        with pytest.raises(InputError, match=words):
            issue_passport(packet, [claim], key("ops"), issuer="ops", subject="x")
    with pytest.raises(InputError, match="claim nothing"):
        issue_passport(packet, [], key("ops"), issuer="ops", subject="x")


def test_a_nonce_log_on_disk_notices_a_replay_in_another_guard(tmp_path: Path) -> None:
    path = str(tmp_path / "nonces.db")
    anchor = issue_anchor(key("ops"), issuer="ops", scope="sandbox", now=NOW)
    action = Action("tool", "search", {"query": "x"})
    first = ContainmentGuard(containment_policy(), anchor, nonces=NonceLog(path), clock=lambda: NOW)
    second = ContainmentGuard(containment_policy(), anchor, nonces=NonceLog(path), clock=lambda: NOW)
    assert first.check(action).allowed
    assert first.check(action).allowed  # one session may act often
    assert second.check(action).reason == "anchor_replayed"


def test_a_nonce_log_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nonce log"):
        NonceLog(str(tmp_path / "no" / "folder" / "nonces.db"))


def test_a_chain_that_is_none_blocks() -> None:
    verdict = HandoffChecker().check("The lamp is on.", "The lamp is on.", chain=None)  # type: ignore[arg-type]
    assert verdict.reason == "hook_error"


@pytest.mark.parametrize(
    "text",
    ["is a " * 40_000, "bypass" + " " * 190_000, "x is" + " " * 150_000 + "a dog", "sandbox bypass it " * 10_000],
    ids=["copulas", "spaces", "gap", "pleas"],
)
def test_long_and_repetitive_texts_do_not_hang(text: str) -> None:
    started = time.process_time()
    anchored().check(text)
    ontology_checker().check(text)
    TrajectoryPreflight(PLANS).check([Step("search", {"a": "is"})], sources=text)
    assert time.process_time() - started < 8


def test_without_a_log_a_replay_within_the_process_is_noticed() -> None:
    anchor = issue_anchor(key("ops"), issuer="ops", scope="sandbox", now=NOW)
    first = ContainmentGuard(containment_policy(), anchor, clock=lambda: NOW)
    second = ContainmentGuard(containment_policy(), anchor, clock=lambda: NOW)
    assert first.check("All is well.").allowed
    assert second.check("All is well.").reason == "anchor_replayed"


def test_one_nonce_opens_one_session_under_threads() -> None:
    log = NonceLog()
    won: list[bool] = []
    threads = [threading.Thread(target=lambda: won.append(log.use("n", 1.0))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(won) == 1


def test_a_session_ends_while_the_guard_lives() -> None:
    now = [NOW]
    guard = anchored(clock=lambda: now[0])
    assert guard.check("All is well.").allowed
    now[0] += 3_631
    assert guard.check("All is well.").reason == "anchor_expired"


@pytest.mark.parametrize(
    ("dialect", "statement"),
    [
        ("duckdb", "SELECT * FROM read_csv('/etc/passwd')"),
        ("duckdb", "FROM '/etc/passwd'"),
        ("duckdb", "SELECT * FROM query('select * from users')"),
        ("duckdb", "PIVOT users ON a USING sum(b)"),
        ("snowflake", "SELECT * FROM IDENTIFIER('users')"),
        ("snowflake", "SELECT * FROM TABLE('users')"),
        ("snowflake", "SELECT * FROM @stage/file"),
        ("tsql", "SELECT * FROM OPENROWSET(BULK '/etc/passwd', SINGLE_CLOB) x"),
        ("tsql", "EXEC xp_cmdshell 'id'"),
        ("clickhouse", "SELECT * FROM url('http://evil.test', 'CSV')"),
        ("bigquery", "SELECT * FROM ML.PREDICT(MODEL m, TABLE users)"),
        ("mysql", "SELECT * FROM orders INTO DUMPFILE '/tmp/x'"),
        ("sqlite", "SELECT * FROM pragma_table_info('users')"),
        ("oracle", "SELECT UTL_HTTP.REQUEST('http://evil.test') FROM orders"),
        ("spark", "SELECT reflect('java.lang.Runtime', 'getRuntime')"),
        ("postgres", "SELECT * FROM orders WHERE id IN (TABLE users)"),
    ],
)
def test_the_ways_out_of_other_databases_are_closed(dialect: str, statement: str) -> None:
    assert check_sql(statement, SqlRules(dialect, ("select",), ("orders",))) is not None


@pytest.mark.parametrize(
    ("dialect", "statement"),
    [
        ("duckdb", "FROM orders"),
        ("postgres", "SELECT * FROM orders, LATERAL (SELECT 1) x, (VALUES (1)) v(a)"),
        ("postgres", "SELECT * FROM generate_series(1, 3), unnest(ARRAY[1])"),
        ("bigquery", "SELECT * FROM orders, UNNEST(items) i"),
        ("snowflake", "SELECT * FROM orders QUALIFY row_number() OVER (ORDER BY id) = 1"),
    ],
)
def test_ordinary_statements_of_other_databases_pass(dialect: str, statement: str) -> None:
    assert check_sql(statement, SqlRules(dialect, ("select",), ("orders",))) is None


def test_no_statement_or_value_reaches_a_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    anchored().check(Action("sql", "CALL steal_everything()"))
    ontology_checker().check([["ex:Bob", "a", "ex:Person"], ["ex:Bob", "ex:age", "forty-secret^^xsd:integer"]])
    assert "steal_everything" not in caplog.text
    assert "forty-secret" not in caplog.text


def test_risk_is_the_same_for_the_same_seed_and_lies_in_its_interval() -> None:
    guard = TrajectoryPreflight({**PLANS, "max_risk": 0.5, "samples": 500}, seed=3)
    plan = [Step("search", {})]
    one, two = (guard.check(plan, simulator=lambda _, rng: rng.random() < 0.2) for _ in range(2))
    assert one.predicted_risk == two.predicted_risk
    assert one.risk_interval is not None
    assert one.risk_interval[0] < 0.2 < one.risk_interval[1]
    assert guard.check(plan).predicted_risk is None


def test_margins_are_told_in_the_unit_of_the_policy() -> None:
    verdict = PhysicalGrounding(PHYSICAL).check({"action": "do", "values": {"force": "0.007 kN"}})
    assert verdict.violated_limits == ("force.max",)
    assert verdict.margins["force.max"] == pytest.approx(-2.0)


def test_ontology_names_shape_subject_expected_and_found() -> None:
    verdict = ontology_checker().check([["ex:Bob", "a", "ex:Person"], ["ex:Bob", "ex:age", 400]])
    assert (verdict.rule_id, verdict.subject, verdict.expected, verdict.found) == (
        "PersonShape age", "Bob", "MaxInclusive 130", "400",
    )  # fmt: skip
