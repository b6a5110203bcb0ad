"""`groundwire passport`: key, issue, verify, revoke, as a person would use them."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.cli.running import groundwire

PACKET = {
    "claims": [{"name": "accuracy", "metric": "mean", "field": "right"}],
    "rows": [{"right": 1}, {"right": 0}, {"right": 1}, {"right": 1}],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a key, its public half, a packet and a passport."""
    tmp_path = tmp_path_factory.mktemp("passport")
    (tmp_path / "packet.json").write_text(json.dumps(PACKET), encoding="utf-8")
    public = groundwire("passport", "key", "ops.pem", cwd=tmp_path)
    (tmp_path / "ops.pub").write_text(public.out, encoding="utf-8")
    done = groundwire(
        "passport", "issue", "packet.json", "--key", "ops.pem", "--issuer", "ops", "--subject", "demo 1.2",
        "--out", "passport.json", cwd=tmp_path,
    )  # fmt: skip
    assert done.status == 0, done.err
    assert "accuracy = 0.75 (mean of 4 rows)" in done.out
    return tmp_path


@pytest.fixture
def desk(made: Path, tmp_path: Path) -> Path:
    """A copy of the folder for one test."""
    return Path(shutil.copytree(made, tmp_path / "desk"))


def verify(desk: Path, *more: str) -> tuple[int, str]:
    ran = groundwire("passport", "verify", "passport.json", "--issuer", "ops=ops.pub", *more, cwd=desk)
    return ran.status, ran.out


def test_a_passport_verifies_with_its_rows(desk: Path) -> None:
    status, out = verify(desk, "--evidence", "packet.json", "--subject", "demo 1.2")
    assert status == 0
    assert out.endswith(" for demo 1.2: valid\n  accuracy = 0.75 (mean of 4 rows)\n")


def test_the_private_key_is_for_its_owner_only_and_never_overwritten(desk: Path) -> None:
    assert stat.S_IMODE(os.stat(desk / "ops.pem").st_mode) == 0o600
    groundwire("passport", "key", "ops.pem", cwd=desk).refused_with("exists already")


def test_missing_changed_and_foreign_rows_are_refused(desk: Path) -> None:
    assert verify(desk)[0] == 1
    (desk / "packet.json").write_text(json.dumps(PACKET).replace("0}", "1}"), encoding="utf-8")
    status, out = verify(desk, "--evidence", "packet.json")
    assert status == 1
    assert "evidence_tampered" in out


def test_a_byte_order_mark_is_a_change(desk: Path) -> None:
    (desk / "passport.json").write_bytes(b"\xef\xbb\xbf" + (desk / "passport.json").read_bytes())
    assert verify(desk, "--evidence", "packet.json")[0] == 1


def test_a_revoked_passport_is_refused(desk: Path) -> None:
    serial = json.loads((desk / "passport.json").read_text())["payload"]["serial"]
    revoke = ("passport", "revoke", "--key", "ops.pem", "--issuer", "ops", "--list", "revoked.json")
    assert groundwire(*revoke, "another", cwd=desk).out.startswith("1 passport is")
    assert verify(desk, "--evidence", "packet.json", "--revocations", "revoked.json")[0] == 0
    assert groundwire(*revoke, serial, cwd=desk).out.startswith("2 passports are")
    status, out = verify(desk, "--evidence", "packet.json", "--revocations", "revoked.json", "--json")
    assert status == 1
    found = json.loads(out)
    assert (found["reason"], found["serial"], found["signature_valid"]) == ("passport_revoked", serial, True)
    assert found["safety_event"]["hook_scope"] == "attestation"


def test_a_list_signed_with_another_key_is_not_extended(desk: Path) -> None:
    groundwire("passport", "key", "other.pem", cwd=desk)
    groundwire("passport", "revoke", "a", "--key", "ops.pem", "--issuer", "ops", "--list", "list", cwd=desk)
    ran = groundwire("passport", "revoke", "b", "--key", "other.pem", "--issuer", "ops", "--list", "list", cwd=desk)
    ran.refused_with("cannot be extended", "signature")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["issue", "none.json", "--subject", "x"], "does not exist"),
        (["issue", "broken.json", "--subject", "x"], "not JSON"),
        (["issue", "empty.json", "--subject", "x"], "no evidence"),
        (["issue", "packet.json", "--subject", "x", "--days", "0"], "lifetime"),
        (["issue", "packet.json", "--subject", "x", "--kind", "car"], "model, agent"),
        (["issue", "packet.json", "--subject", ""], "subject"),
    ],
)
def test_bad_packets_are_one_clear_line(desk: Path, arguments: list[str], words: str) -> None:
    (desk / "broken.json").write_text("{", encoding="utf-8")
    (desk / "empty.json").write_text("{}", encoding="utf-8")
    common = ["--key", "ops.pem", "--issuer", "ops", "--out", "new.json"]
    groundwire("passport", *arguments, *common, cwd=desk).refused_with(words)


def test_bad_keys_and_issuers_are_one_clear_line(desk: Path) -> None:
    (desk / "bad.pem").write_text("no key", encoding="utf-8")
    common = ["--issuer", "ops", "--subject", "x", "--out", "new.json"]
    groundwire("passport", "issue", "packet.json", "--key", "bad.pem", *common, cwd=desk).refused_with("private key")
    groundwire("passport", "verify", "passport.json", cwd=desk).refused_with("No issuer is known")
    groundwire("passport", "verify", "passport.json", "--issuer", "ops", cwd=desk).refused_with("NAME=KEY")
    groundwire("passport", "verify", "passport.json", "--issuer", "ops=" + "z" * 64, cwd=desk).refused_with(
        "public key"
    )
