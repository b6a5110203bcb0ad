"""What must hold for every input, with an oracle of its own where there is one: bash, SQLite, pint, the disk."""

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from benchmarks.hook_cases import NOW, containment_policy, key, playground
from groundwire.hooks import (
    Action,
    ContainmentGuard,
    EvidencePacket,
    NonceLog,
    PassportVerifier,
    PhysicalGrounding,
    issue_anchor,
    issue_passport,
    public_hex,
    revoke,
)
from groundwire.types import HookVerdict

SETTINGS = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
ALLOWED_HOSTS = ("docs.example.com", "xn--bcher-kva.example", "192.0.2.10", "2001:db8::1", "api.example.com")


def guard(policy: dict[str, Any] | None = None) -> ContainmentGuard:
    anchor = issue_anchor(key("ops"), issuer="ops", scope="sandbox", now=NOW)
    return ContainmentGuard(policy or containment_policy(), anchor, nonces=NonceLog(), clock=lambda: NOW)


GUARD = guard()

URL_PARTS = st.sampled_from(
    ["https://", "http://", "//", "docs.example.com", "a.example.org", "evil.test", "@", ":", ":443", ":80", "/", "\\",
     "?", "#", ".", "%2e", "%40", "。", "／", "ｄ", "о", "\t", "\n", " ", "127.1", "0x7f", "2130706433", "[::1]",
     "[2001:db8::1]", "192.0.2.10", "xn--", "user", "..", "a", "-"]
)  # fmt: skip


@SETTINGS
@given(st.lists(URL_PARTS, min_size=1, max_size=7).map("".join))
def test_no_accepted_url_leads_to_another_host(text: str) -> None:
    for url in (text, f"https://{text}", f"https://docs.example.com{text}"):
        if GUARD.check(Action("url", url)).allowed:
            # A second reading, as browsers do it: \ is /, white space inside goes away, names are mapped.
            browser = "".join(url.replace("\\", "/").split())
            for reading in (url, browser, unquote(browser)):
                host = (urlsplit(reading).hostname or "").removesuffix(".")
                assert host in ALLOWED_HOSTS or host.endswith(".example.org"), url


PATH_PARTS = st.sampled_from(
    ["..", ".", "/", "//", "work", "data", "secret", "workshop", "notes.txt", "link_out", "link_in", "chain", "sub",
     "deep.txt", "key.txt", "%2e", "%2f", "%252e", "．", "‥", "~", "a b", "é", "\\", "$HOME", "dangling", "{R}"]
)  # fmt: skip


@SETTINGS
@given(st.lists(PATH_PARTS, min_size=1, max_size=8), st.sampled_from(["", "/"]), st.booleans())
def test_no_accepted_path_resolves_outside_the_listed_folders(parts: list[str], glue: str, write: bool) -> None:
    root = playground()
    path = glue.join(parts).replace("{R}", root)
    if GUARD.check(Action("write" if write else "read", path)).allowed:
        folders = [Path(root, "work")] if write else [Path(root, "work"), Path(root, "data")]
        for reading in (path, unquote(path), unquote(unquote(path))):
            place = Path(root, "work", reading).resolve()
            assert any(place.is_relative_to(folder) for folder in folders), path


SHELL_PARTS = st.sampled_from(
    ["ls", "cat", "echo", "grep x", "cp", "rm", "find .", "git status", "sort", "nc", "sh", " ", " ", " ", ";", "&&",
     "||", "|", "&", ">", ">>", "<", "2>&1", "2>/dev/null", "\n", "'", '"', "\\", "$(id)", "`id`", "$HOME", "${IFS}",
     "notes.txt", "{R}/secret/key.txt", "../secret/key.txt", "link_out/key.txt", "link_out", "out.txt", "*", "sub/*",
     "~", "#", "{a,../secret}", "-la", "--file={R}/secret/key.txt", "-o", "-exec", "a=b", "(", ")", "!", "<(id)", "%",
     "\t"]
)  # fmt: skip


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs that only write down with which words they were called."""
    folder = tmp_path_factory.mktemp("stubs")
    for name in (
        "ls",
        "cat",
        "grep",
        "cp",
        "rm",
        "find",
        "git",
        "sort",
        "nc",
        "sh",
        "id",
        "head",
        "wc",
        "mkdir",
        "curl",
    ):
        program = folder / name
        program.write_text('#!/bin/bash\nprintf "%s\\0" "${0##*/}" "$@" $\'\\n\' >> "$GROUNDWIRE_LOG"\n')
        program.chmod(0o755)
    return folder


def contents(root: str) -> dict[str, bytes]:
    folders = (Path(root, name) for name in ("secret", "data", "workshop"))
    return {str(file): file.read_bytes() for folder in folders for file in sorted(folder.rglob("*"))}


@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(words=st.lists(SHELL_PARTS, min_size=1, max_size=9).map("".join))
def test_what_bash_makes_of_an_accepted_command_stays_inside(words: str, stubs: Path, tmp_path: Path) -> None:
    # Every forbidden place lies in the playground: a guard that fails here harms nothing.
    root, log = playground(), tmp_path / "log"
    words = words.replace("{R}", root)
    if not GUARD.check(Action("command", words)).allowed:
        return
    log.write_bytes(b"")
    before = contents(root)
    kept = shutil.copytree(f"{root}/work", tmp_path / "work", symlinks=True, dirs_exist_ok=True)
    try:
        subprocess.run(
            [shutil.which("bash") or "bash", "-c", words], cwd=f"{root}/work", timeout=20, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"PATH": str(stubs), "GROUNDWIRE_LOG": str(log), "HOME": f"{root}/secret", "IFS": " \t\n"},
        )  # fmt: skip
        calls = [call.split("\0") for call in log.read_text().split("\0\n\0") if call]
        assert {call[0] for call in calls} <= {"ls", "cat", "grep", "cp", "rm", "find", "git", "sort"}, words
        for name, *arguments in calls:
            for argument in arguments:
                if name != "echo" and not argument.startswith("-"):
                    place = Path(root, "work", argument).resolve()
                    assert place.is_relative_to(f"{root}/work") or place.is_relative_to(f"{root}/data"), words
        assert before == contents(root)
    finally:
        for item in os.listdir(f"{root}/work"):
            if item not in os.listdir(kept):
                os.remove(f"{root}/work/{item}")
        Path(f"{root}/work/notes.txt").write_text("x\n", encoding="utf-8")
        shutil.rmtree(kept)


SQL_PARTS = st.sampled_from(
    ["SELECT ", "* ", "id ", "FROM ", "orders ", "customers ", "users ", "main.users ", "WHERE ", "id = 1 ", "UNION ",
     "WITH users AS (SELECT 1 AS id) ", "WITH orders AS (SELECT * FROM users) ", "(SELECT id FROM users) ", ", ", "; ",
     "DELETE FROM orders ", "INSERT INTO orders VALUES (1) ", "-- x\n", "/* x */ ", "JOIN ", "x ", "AS x ", "1 ",
     "IN (SELECT id FROM customers) ", "DROP TABLE orders ", "PRAGMA user_version ", "count(*) ", "GROUP BY id ",
     "(WITH users AS (SELECT 1) SELECT * FROM users) ", "load_extension('x') ", "\"users\" ", "[users] ",
     "sqlite_master "]
)  # fmt: skip


@SETTINGS
@given(st.lists(SQL_PARTS, min_size=2, max_size=9).map("".join))
def test_what_sqlite_reads_for_an_accepted_statement_is_on_the_list(text: str) -> None:
    scope = {"sql": {"dialect": "sqlite", "statements": ["select"], "tables": ["orders", "customers"]}}
    own = guard({**containment_policy(), "scopes": {"sandbox": scope}})
    for statement in (text, f"SELECT * FROM orders {text}", f"WITH users AS (SELECT 1 AS id) SELECT * FROM {text}"):
        if not own.check(Action("sql", statement)).allowed:
            continue
        base = sqlite3.connect(":memory:")
        base.executescript("create table orders (id); create table customers (id); create table users (id);")
        seen: list[tuple[int, Any]] = []

        def note(action: int, name: Any, *_: Any, seen: list[tuple[int, Any]] = seen) -> int:
            seen.append((action, name))
            return sqlite3.SQLITE_OK

        base.set_authorizer(note)
        try:
            base.execute(statement).fetchall()
        except (sqlite3.Error, sqlite3.Warning):
            continue  # SQLite does not run it
        finally:
            base.set_authorizer(None)
            base.close()
        harmless = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
        assert {action for action, _ in seen} <= harmless, statement
        assert {name for action, name in seen if action == sqlite3.SQLITE_READ} <= {"orders", "customers", ""}, (
            statement
        )


SEALED = {
    "anchor": issue_anchor(key("ops"), issuer="ops", scope="sandbox", now=NOW),
    "passport": issue_passport(
        EvidencePacket([{"right": 1}, {"right": 0}]), [{"name": "accuracy", "metric": "mean", "field": "right"}],
        key("ops"), issuer="ops", subject="demo 1", now=NOW,
    ),
    "revocations": revoke(["a", "b"], key("ops"), issuer="ops", now=NOW),
}  # fmt: skip


def opens(kind: str, text: str) -> HookVerdict:
    issuers = {"ops": public_hex(key("ops"))}
    if kind == "anchor":
        own = ContainmentGuard(containment_policy(), text, issuers=issuers, nonces=NonceLog(), clock=lambda: NOW)
        return own.check(Action("tool", "search", {"query": "x"}))
    passport, lists = (text, []) if kind == "passport" else (SEALED["passport"], [text])
    verifier = PassportVerifier(issuers=issuers, revocations=lists, clock=lambda: NOW)
    return verifier.check(passport, EvidencePacket([{"right": 1}, {"right": 0}]))


@pytest.mark.parametrize("kind", SEALED)
def test_a_signed_object_opens_as_it_was_signed(kind: str) -> None:
    assert opens(kind, SEALED[kind]).allowed


@pytest.mark.parametrize("kind", SEALED)
@settings(max_examples=250, deadline=None)
@given(st.data())
def test_no_one_byte_change_of_a_signed_object_verifies(kind: str, data: st.DataObject) -> None:
    text = SEALED[kind]
    place = data.draw(st.integers(0, len(text) - 1))
    letter = chr(data.draw(st.integers(0, 255)))
    manner = data.draw(st.sampled_from(["change", "drop", "add"]))
    rest = place + (manner != "add")
    changed = text[:place] + ("" if manner == "drop" else letter) + text[rest:]
    assume(changed != text)
    assert not opens(kind, changed).allowed


@pytest.mark.parametrize("kind", SEALED)
def test_every_byte_counts(kind: str) -> None:
    text = SEALED[kind]
    for place in range(len(text)):
        flipped = chr(ord(text[place]) ^ 1)
        assert not opens(kind, text[:place] + flipped + text[place + 1 :]).allowed, place


PHYSICAL = PhysicalGrounding(
    {
        "kind": "physical",
        "version": 1,
        "actions": ["do"],
        "limits": {
            "length": {"min": "-40 cm", "max": "0.8 m"},
            "speed": {"max": "250 mm/s"},
            "force": {"max": "50 N"},
            "temperature": {"min": "5 degC", "max": "60 degC"},
            "angle": {"min": "-90 deg", "max": "90 deg"},
            "pressure": {"max": "2 bar"},
            "torque": {"max": "5 N*m"},
        },
    }
)
UNITS = {
    "length": ("m", ["mm", "cm", "km", "inch", "ft", "yard", "mile", "um"], [-0.4, 0.8]),
    "speed": ("m/s", ["mm/s", "km/h", "ft/s", "mph", "knot", "inch/min"], [0.25, -0.25]),
    "force": ("N", ["kN", "mN", "lbf", "kgf", "dyne"], [50.0]),
    "temperature": ("K", ["degC", "degF", "degR"], [278.15, 333.15]),
    "angle": ("rad", ["deg", "arcmin", "turn", "mrad"], [1.5707963267948966]),
    "pressure": ("Pa", ["bar", "kPa", "psi", "atm", "mmHg"], [200_000.0]),
    "torque": ("N*m", ["N*cm", "kN*m", "lbf*ft"], [5.0]),
}


@SETTINGS
@given(st.data())
def test_unit_conversion_never_flips_a_verdict(data: st.DataObject) -> None:
    import pint

    name = data.draw(st.sampled_from(sorted(UNITS)))
    base, others, edges = UNITS[name]
    edge = data.draw(st.sampled_from(edges))
    factor = data.draw(st.floats(0.5, 1.5))
    value = data.draw(st.sampled_from([edge, edge * factor, edge * 1.000_001, edge * 0.999_999]))
    # Between rounding and the tolerance of one part in a billion lies no promise.
    assume(value == edge or abs(value - edge) > 1e-7 * abs(edge))
    unit = data.draw(st.sampled_from(others))
    registry = pint.application_registry
    converted = registry.Quantity(value, base).to(unit).magnitude
    first = PHYSICAL.check({"action": "do", "values": {name: f"{value!r} {base}"}})
    second = PHYSICAL.check({"action": "do", "values": {name: f"{converted!r} {unit}"}})
    assert first.allowed == second.allowed, (value, converted, unit)
    assert first.violated_limits == second.violated_limits
