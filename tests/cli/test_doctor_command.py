import json
import shutil
import subprocess
import sys
from pathlib import Path

import groundwire as package
from tests.cli.running import groundwire


def test_a_healthy_installation_exits_0_and_names_both_verdicts() -> None:
    ran = groundwire("doctor")
    assert (ran.status, ran.err) == (0, ""), ran.out
    assert "supported (expected supported)" in ran.out
    assert "contradicted (expected contradicted)" in ran.out
    assert ran.out.rstrip().endswith("Everything works.")


def test_json_lists_every_check() -> None:
    report = json.loads(groundwire("doctor", "--json").out)
    assert report["ok"] is True
    names = [check["name"] for check in report["checks"]]
    assert names == [
        "python",
        "groundwire",
        "lexicon",
        "right example",
        "wrong example",
        "time",
        "model",
        "extras",
        "output",
    ]


def test_an_output_without_unicode_is_a_note_not_a_failure() -> None:
    ran = groundwire("doctor", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert ran.status == 0
    assert "note" in ran.out


def test_a_broken_lexicon_is_found(tmp_path: Path) -> None:
    copy = tmp_path / "groundwire"
    shutil.copytree(Path(package.__file__).parent, copy)
    for file in (copy / "text" / "lexicon").glob("*.t*"):
        file.write_text("", encoding="utf-8")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import groundwire.cli as c; sys.exit(c.main(['doctor']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "failed  lexicon" in done.stdout
    assert "Traceback" not in done.stderr
