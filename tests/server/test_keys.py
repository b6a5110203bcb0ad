"""Who may ask: keys, scopes, hosts; and where a key must never be seen."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from groundwire.errors import InputError
from groundwire.server import keys
from groundwire.server.keys import KeyStore
from groundwire.server.routes import ROUTES, STREAM, Route
from tests.cli.running import groundwire
from tests.server.running import Running, service
from tests.server.test_routes import EXAMPLES, problem, records

EVERY = [*ROUTES, STREAM]


def test_only_the_hash_of_a_key_is_kept(folder: Path) -> None:
    key, info = KeyStore(folder).create("acme")
    secret = key[len(f"gw_{info.key_id}_") :]
    kept = b"".join(path.read_bytes() for path in folder.iterdir())
    assert info.key_id.encode() in kept
    assert secret.encode() not in kept
    assert (folder / keys.FILE).stat().st_mode & 0o077 == 0


def test_a_key_opens_until_it_is_revoked(folder: Path) -> None:
    store = KeyStore(folder)
    key, info = store.create("acme", scopes=("verify",), requests_per_minute=5, keep_text=True)
    found = store.check(key)
    assert found is not None
    assert found.scopes == frozenset({"verify"})
    assert (found.tenant, found.requests_per_minute, found.keep_text) == ("acme", 5, True)
    store.revoke(info.key_id)
    assert store.check(key) is None
    assert not store.is_empty()
    with pytest.raises(InputError, match="no active key"):
        store.revoke(info.key_id)


def test_a_rotated_key_keeps_its_rights_and_ends_the_old_one(folder: Path) -> None:
    store = KeyStore(folder)
    old, info = store.create("acme", scopes=("verify", "cite"), label="app")
    new, renewed = store.rotate(info.key_id)
    assert store.check(old) is None
    found = store.check(new)
    assert found is not None
    assert found.scopes == {"verify", "cite"}
    assert renewed.label == "app"


def test_a_key_expires(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = KeyStore(folder)
    key, _ = store.create("acme", days=1)
    assert store.check(key) is not None

    later = datetime.now(UTC) + timedelta(days=2)

    class Later:
        @staticmethod
        def now(_: object) -> datetime:
            return later

    monkeypatch.setattr(keys, "datetime", Later)
    assert store.check(key) is None


@pytest.mark.parametrize("wrong", ["", "gw_", "x" * 60, "gw_0123456789abcdef_" + "A" * 43, "gw_é" + "A" * 58, "\0"])
def test_nothing_else_is_a_key(folder: Path, wrong: str) -> None:
    store = KeyStore(folder)
    store.create("acme")
    assert store.check(wrong) is None


@pytest.mark.parametrize("tenant", ["", "../x", "a/b", "a b", "x" * 65, "-a", "local", "ä"])
def test_a_tenant_needs_a_plain_name(folder: Path, tenant: str) -> None:
    with pytest.raises(InputError):
        KeyStore(folder).create(tenant)


@pytest.mark.parametrize("route", EVERY, ids=[route.job for route in EVERY])
def test_every_route_refuses_missing_unknown_revoked_and_foreign_keys(
    keyed: Running, route: Route, tmp_path: Path
) -> None:
    revoked = keyed.key("gone")
    store = KeyStore(keyed.folder)
    store.revoke(next(info.key_id for info in store.listed("gone") if info.revoked_at is None))
    foreign = KeyStore(tmp_path / "other").create("acme")[0]
    near = revoked[:-1] + ("A" if revoked[-1] != "A" else "B")
    before = records(keyed)
    url = keyed.url + route.path.replace("{name}", "thing")
    for header in ("", revoked, foreign, near, "Basic abc"):
        headers = {"Authorization": header if header in ("", "Basic abc") else f"Bearer {header}"}
        answer = keyed.client.request(route.method, url, json=route.example, headers=headers)
        document = problem(answer, 401, "key-refused")
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert "gw_" not in str(document)
    no_scope = keyed.key("watcher", ("metrics",))
    headers = {"Authorization": f"Bearer {no_scope}"}
    answer = keyed.client.request(route.method, url, json=route.example, headers=headers)
    problem(answer, 403, "scope-missing")
    assert records(keyed) == before


def test_keys_and_texts_are_never_logged(keyed: Running, acme: str) -> None:
    secret = "Zanzibarquux"
    body = {"response": f"{secret} costs 5 euros.", "source": f"{secret} costs 6 euros."}
    request_id = keyed.post("/v1/verify", body, acme).headers["x-request-id"]
    keyed.post(f"/v1/verify?key={acme}", {"response": secret}, acme)
    keyed.get(f"/v1/{secret}", acme)
    keyed.post("/v1/verify", key=acme, content=secret.encode(), headers={"Content-Type": secret})
    keyed.wait_for_log(request_id)
    text = "".join(keyed.lines)
    assert '"tenant": "acme"' in text
    assert secret not in text
    assert not re.search(r"gw_[0-9a-f]{16}_", text)
    watcher = keyed.key("watcher", ("metrics",))
    figures = keyed.get("/metrics", watcher).text
    assert secret not in figures
    assert "gw_" not in figures


def test_the_trail_keeps_texts_only_of_tenants_that_want_it(keyed: Running, acme: str) -> None:
    keeper = keyed.key("keeper", keep_text=True)
    for key, wanted in ((acme, False), (keeper, True)):
        receipt = keyed.post("/v1/verify", EXAMPLES["verify"], key).headers["groundwire-record"]
        out = groundwire("log", "proof", receipt.split(":")[0], "--data", keyed.folder).out
        assert ("The plan costs" in out) is wanted


def test_a_service_for_others_needs_a_key(folder: Path) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        ran = groundwire("serve", "--host", host, "--port", "0", "--data", folder)
        ran.refused_with("there is no key", "keys create")


def test_a_service_on_this_machine_works_without_keys_until_there_are_some(folder: Path) -> None:
    with service(folder) as running:
        assert running.post("/v1/verify", EXAMPLES["verify"]).status_code == 200
        foreign = running.post("/v1/verify", EXAMPLES["verify"], headers={"Host": "evil.example"})
        problem(foreign, 421, "host-refused")
        assert running.get("/metrics").status_code == 200
        key = running.key("acme")
        problem(running.post("/v1/verify", EXAMPLES["verify"]), 401, "key-refused")
        KeyStore(folder).revoke(key.split("_")[1])
        problem(running.post("/v1/verify", EXAMPLES["verify"]), 401, "key-refused")


def test_the_commands_over_keys(folder: Path) -> None:
    made = groundwire("keys", "create", "acme", "--scope", "verify", "--label", "app", "--data", folder)
    key = made.out.strip()
    assert KeyStore(folder).check(key) is not None
    listed = groundwire("keys", "list", "--data", folder).out
    key_id = key.split("_")[1]
    assert key_id in listed
    assert key not in listed
    rotated = groundwire("keys", "rotate", key_id, "--data", folder).out.strip()
    assert KeyStore(folder).check(key) is None
    assert KeyStore(folder).check(rotated) is not None
    assert groundwire("keys", "revoke", rotated.split("_")[1], "--data", folder).status == 0
    groundwire("keys", "revoke", rotated, "--data", folder).refused_with("no active key of that name")
    groundwire("keys", "create", "acme", "--scope", "no", "--data", folder).refused_with("no scope 'no'")
    groundwire("keys", "create", "../x", "--data", folder).refused_with("tenant name")
