"""Run the command line as a user does: another process, real pipes."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str

    def refused_with(self, *parts: str) -> None:
        """Assert exit status 2 and one line on stderr, nothing else, that holds the parts."""
        assert self.status == 2, (self.out, self.err)
        assert self.out == ""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("groundwire: ")
        assert "Traceback" not in self.err
        for part in parts:
            assert part in lines[0]


def groundwire(*arguments: str | bytes | Path, stdin: bytes = b"", cwd: Path | None = None, **variables: str) -> Ran:
    clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    done = subprocess.run(
        [sys.executable, "-m", "groundwire", *arguments],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**clean, "COLUMNS": "80", "PYTHONUTF8": "1", **variables},
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))
