"""Schemathesis reads the OpenAPI document and tries every route; none may fail or answer off the document."""

from pathlib import Path

import pytest

from groundwire.server.keys import Scope
from tests.server.running import service

pytestmark = pytest.mark.extras


def test_no_input_that_schemathesis_makes_breaks_a_route(tmp_path: Path) -> None:
    import subprocess
    import sys

    checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
    limits = ("--rate", "1000000", "--concurrency", "1000")
    with service(tmp_path / "data", *limits) as running:
        key = running.key("tester", tuple(str(scope) for scope in Scope))
        done = subprocess.run(
            [
                str(Path(sys.executable).parent / "schemathesis"), "run", f"{running.url}/openapi.json",
                "-H", f"Authorization: Bearer {key}", "--checks", checks, "--max-examples", "40",
                "--phases", "examples,coverage,fuzzing", "--seed", "1", "--no-color",
            ],
            capture_output=True, text=True, timeout=600, check=False, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-6_000:]
        assert running.get("/readyz").status_code == 200
