"""The SDK examples of the guard page run as they stand, against a local server."""

import pytest

from docs.run_blocks import ROOT, run_page
from tests.standins.llm_stream_server import stream_server

pytestmark = pytest.mark.extras
ANSWER = "The Pro plan costs $20 per month. Refunds are accepted within 60 days of purchase."


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the examples leave their clients to the end of the process
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_examples_with_sdks_run_and_their_output_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "guide" / "guard.md").read_text(encoding="utf-8")
    page = text.replace("```py\n", "```python\n")
    with stream_server(ANSWER) as server:
        for name, url in (("OPENAI", f"{server.url}/v1"), ("ANTHROPIC", server.url)):
            monkeypatch.setenv(f"{name}_BASE_URL", url)
            monkeypatch.setenv(f"{name}_API_KEY", "k")
        assert run_page(page, "guard.md") == page
