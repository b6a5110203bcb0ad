"""Record a halted stream as a picture of a terminal: python docs/record_stream.py."""

import io
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "halted-stream.svg"
COMMAND = "groundwire stream source.txt < answer.txt"


def picture() -> str:
    """Run the command on the shipped example and draw what a terminal shows."""
    with (ROOT / "examples" / "answer.txt").open("rb") as answer:
        done = subprocess.run(
            [sys.executable, "-m", "groundwire", "stream", "source.txt"],
            stdin=answer, capture_output=True, cwd=ROOT / "examples", timeout=120, check=False,
            env={"COLUMNS": "84", "PYTHONUTF8": "1", "NO_COLOR": "1", "PATH": ""},
        )  # fmt: skip
    console = Console(record=True, width=88, file=io.StringIO(), force_terminal=True, highlight=False, markup=False)
    console.print(Text("$ ", "bold green") + Text(COMMAND, "bold"))
    console.print(Text(done.stdout.decode("utf-8").rstrip("\n")))
    console.print(Text(done.stderr.decode("utf-8").rstrip("\n"), "red"))
    console.print(Text("$ ", "bold green") + Text("echo $?", "bold"))
    console.print(Text(str(done.returncode)))
    drawn = console.export_svg(title="A stream, halted", unique_id="groundwire-stream")
    # The picture asks no other host for a font.
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.S).replace("Fira Code", "monospace")


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
