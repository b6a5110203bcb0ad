"""`groundwire policy`: sound files pass, a mistake has its line and column."""

import json
from pathlib import Path

from tests.cli.running import groundwire

SOUND = "kind: swarm\nversion: 1\nmax_hops: 3\n"


def test_a_sound_policy_passes_and_shows_its_kind(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SOUND, encoding="utf-8")
    ran = groundwire("policy", "check", "a.yaml", cwd=tmp_path)
    assert ran.status == 0
    assert ran.out.startswith("✓ a.yaml: a sound swarm policy, hash ")


def test_a_mistake_has_its_line_and_column_and_status_1(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SOUND, encoding="utf-8")
    (tmp_path / "b.yaml").write_text(SOUND.replace("3", "0"), encoding="utf-8")
    ran = groundwire("policy", "check", "a.yaml", "b.yaml", cwd=tmp_path)
    assert ran.status == 1
    assert ran.out.splitlines()[1] == (
        "✗ The swarm policy 'b.yaml' has a mistake at line 3, column 11: max_hops is 0. Do this: give at least 1."
    )
    plain = json.loads(groundwire("policy", "check", "--json", "a.yaml", "b.yaml", cwd=tmp_path).out)
    assert [row["sound"] for row in plain] == [True, False]


def test_a_file_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    groundwire("policy", "check", "none.yaml", cwd=tmp_path).refused_with("none.yaml", "cannot be read")


def test_a_schema_is_printed_and_an_unknown_kind_lists_the_known_ones() -> None:
    assert json.loads(groundwire("policy", "schema", "physical").out)["properties"]["kind"] == {"enum": ["physical"]}
    groundwire("policy", "schema", "magic").refused_with("magic", "containment, attestation")
