"""The tools around the embedded model: python -m training STEP, as `STEPS` lists them."""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence

from groundwire.errors import GroundwireError, InputError

STEPS = {
    "plan": "print the commands of a run; change nothing",
    "heldout": "draw the held-out set from the evaluation split",
    "prepare": "make the training pairs and the windows of the dev claims",
    "restore": "turn an exported student back into weights to train on from (needs torch)",
    "train": "train teacher and student (needs torch)",
    "export": "export the student to ONNX (needs torch)",
    "evaluate": "measure a model on the held-out set",
    "record": "write hashes and figures into the evidence packet",
    "validate": "check the evidence packet and what the public texts claim",
}
NEED_TORCH = ("restore", "train", "export")
TORCH = "torch==2.13.0"
USAGE = 2


def main(arguments: Sequence[str]) -> int:
    """Run one step and return its exit status."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_help())
        return 0 if arguments else USAGE
    step, *rest = arguments
    try:
        return _door(step)(rest) or 0
    except GroundwireError as error:
        print(f"training: {' '.join(str(error).split())}", file=sys.stderr)
        return USAGE


def _door(step: str) -> Callable[[Sequence[str]], int | None]:
    """Return the main function of a step, loaded only now: most steps need no torch."""
    if step not in STEPS:
        raise InputError(f"There is no step {step!r}.", fix=f"choose from {', '.join(STEPS)}")
    if step in NEED_TORCH and importlib.util.find_spec("torch") is None:
        raise InputError(
            f"The step {step!r} needs torch, which is not installed.",
            why="torch is used for training alone, so no extra of the package brings it",
            fix=f"pip install '{TORCH}'",
        )
    door: Callable[[Sequence[str]], int | None] = importlib.import_module(f"training.{step}").main
    return door


def _help() -> str:
    width = max(map(len, STEPS))
    lines = [f"  {name:<{width}}  {meaning}" for name, meaning in STEPS.items()]
    return "\n".join(["usage: python -m training STEP [OPTIONS]", "", *lines, "", "python -m training STEP --help"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
