"""Run the code of the pages: the tests compare its output, `python docs/run_blocks.py` writes it anew.

A ```python block runs; a ```text block right behind it is its output. In a ```console block
each `$ groundwire …` line runs, `$ echo $?` shows its exit status, the other lines are the output.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    language: str
    code: str
    start: int
    end: int
    line: int


def pages() -> list[Path]:
    """Return every page that a reader may copy code from."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    return [
        Block(match[1], match[2], match.start(2), match.end(2), text.count("\n", 0, match.start()) + 2)
        for match in _FENCE.finditer(text)
    ]


def run_page(text: str, name: str) -> str:
    """Run a page's blocks in order and return the page with its true output."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    out, done, printed = [], 0, None
    with _desk():
        found = blocks(text)
        for place, block in enumerate(found):
            new = block.code
            if block.language == "python":
                printed = _run_python(block, namespace, name)
            elif block.language == "console":
                new = _run_console(block.code, name)
            elif block.language == "text" and printed is not None and _adjoins(text, found[place - 1], block):
                new = printed
            if block.language != "python":
                printed = None
            out += [text[done : block.start], new]
            done = block.end
    return "".join([*out, text[done:]])


def _adjoins(text: str, before: Block, block: Block) -> bool:
    between = text[before.end : block.start].replace("```text", "").replace("```", "")
    return before.language == "python" and not between.strip()


def _run_python(block: Block, namespace: dict[str, Any], name: str) -> str:
    printed = io.StringIO()
    code = compile("\n" * (block.line - 1) + block.code, name, "exec")
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)
    return printed.getvalue()


def _run_console(code: str, name: str) -> str:
    out, status = [], 0
    for line in code.splitlines():
        if not line.startswith("$ "):
            continue
        out.append(line)
        command = line.removeprefix("$ ")
        if command == "echo $?":
            out.append(str(status))
            continue
        if "groundwire" not in command:
            raise ValueError(f"{name}: {command!r} cannot be checked; put it into a bash block")
        done = subprocess.run(
            ["bash", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
            env=_environment(),
        )
        status = done.returncode
        out += done.stdout.decode("utf-8").splitlines()
    return "\n".join(out) + "\n"


def _environment() -> dict[str, str]:
    scripts = str(Path(sys.executable).parent)
    return {
        **os.environ,
        "PATH": scripts + os.pathsep + os.environ.get("PATH", ""),
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "PYTHONUTF8": "1",
    }


@contextlib.contextmanager
def _desk() -> Iterator[None]:
    """Stand in a fresh folder with the examples, so that no page writes into the project."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


if __name__ == "__main__":
    for path in pages():
        path.write_text(run_page(path.read_text(encoding="utf-8"), str(path)), encoding="utf-8")
