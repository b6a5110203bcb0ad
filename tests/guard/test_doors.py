"""A door whose package is missing says what to install."""

import subprocess
import sys

import pytest

from groundwire.guard.door import check_version, last_user_text

DOORS = [
    ("from groundwire.guard import from_openai as door", "door(None, '')", "openai", "openai"),
    ("from groundwire.guard import from_anthropic as door", "door(None, '')", "anthropic", "anthropic"),
    ("from groundwire.guard.langchain import guard_step as door", "door('')", "langchain_core", "langchain"),
    ("from groundwire.guard.llamaindex import GuardedQueryEngine as door", "door(None)", "llama_index", "llamaindex"),
    ("from groundwire.guard.litellm import from_litellm as door", "door('')", "litellm", "litellm"),
    ("from groundwire.events import OpenTelemetrySink as door", "door()", "opentelemetry", "otel"),
]


@pytest.mark.parametrize(("take", "call", "package", "extra"), DOORS, ids=[door[3] for door in DOORS])
def test_a_missing_package_is_one_clear_error(take: str, call: str, package: str, extra: str) -> None:
    code = f"""
import sys
for name in [{package!r}]:
    sys.modules[name] = None
{take}
try:
    {call}
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert f"pip install 'groundwire[{extra}]'" in done.stdout


def test_the_range_of_versions_is_said() -> None:
    check_version("openai", "2.54.0", 2, 4)
    with pytest.raises(ValueError, match="from 2 to below 4 are known to work"):
        check_version("openai", "1.99.0", 2, 4)


def test_the_question_is_the_latest_message_of_the_user() -> None:
    parts = [{"type": "text", "text": "How"}, {"type": "image_url"}, {"type": "text", "text": "long?"}]
    assert last_user_text([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]) == "a"
    assert last_user_text([{"role": "user", "content": parts}]) == "How long?"
    assert last_user_text([]) is None
    assert last_user_text([{"role": "system", "content": "x"}, "odd"]) is None
