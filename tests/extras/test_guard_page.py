"""The SDK examples of the guard page run as they stand, against a local server."""

import os
import subprocess
import sys

import pytest

from docs.run_blocks import ROOT
from tests.standins.llm_stream_server import stream_server

pytestmark = pytest.mark.extras
ANSWER = "The Pro plan costs $20 per month. Refunds are accepted within 60 days of purchase."
# In a process of its own: the examples leave their clients open, as examples do.
RUN = """
from docs.run_blocks import ROOT, run_page
page = (ROOT / "docs" / "guide" / "guard.md").read_text(encoding="utf-8").replace("```py\\n", "```python\\n")
ran = run_page(page, "guard.md")
assert ran == page, ran
"""


def test_the_examples_with_sdks_run_and_their_output_is_true() -> None:
    with stream_server(ANSWER) as server:
        keys = {"OPENAI_BASE_URL": f"{server.url}/v1", "ANTHROPIC_BASE_URL": server.url}
        keys |= {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
        done = subprocess.run(
            [sys.executable, "-c", RUN],
            cwd=ROOT, env={**os.environ, **keys}, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
