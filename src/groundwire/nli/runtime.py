"""The one door to onnxruntime, and what every model does with its input."""

import os
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from groundwire.errors import InputError, ModelError

if TYPE_CHECKING:
    import numpy as np
    import onnxruntime

Loaded = TypeVar("Loaded")

# One loaded model per process and set of options, however many scorers use it.
_loaded: dict[Hashable, Any] = {}
_lock = threading.Lock()


def load_once(key: Hashable, load: Callable[[], Loaded]) -> Loaded:
    """Load a model on first use, once per process, whichever thread comes first."""
    found: Loaded | None = _loaded.get(key)
    if found is None:
        with _lock:
            found = _loaded.get(key)
            if found is None:
                found = _loaded[key] = load()
    return found


def _start_anew() -> None:
    # A forked child has the parent's sessions but not their threads: it must neither use nor
    # destroy them, or it waits for ever. Nor may it wait for a lock that a thread of the parent held.
    global _loaded, _lock
    if _loaded:
        import ctypes

        # One reference too many, and not even the end of the interpreter destroys them.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(_loaded))
    _loaded = {}
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)


def open_session(model: bytes | Path, threads: int, name: str) -> "onnxruntime.InferenceSession":
    """Open an ONNX model on the processor, quiet and with its own few threads."""
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 4
    # Threads that wait for work in a loop would take the processor from the rest of a service.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(
            model if isinstance(model, bytes) else str(model), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime raises its own unrelated classes
        raise ModelError(
            f"{name} cannot be opened as an ONNX model.", why=_first_line(error), fix="export the model again"
        ) from error


def read_tokenizer(data: bytes, name: str) -> Any:
    """Read a tokenizer file; cutting and padding are left to the caller."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(data.decode("utf-8"))
    except Exception as error:  # tokenizers raises plain Exception
        raise ModelError(
            f"{name} is not a tokenizer file.", why=_first_line(error), fix="save the tokenizer again as tokenizer.json"
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def batches(lengths: Sequence[int], size: int) -> Iterator[list[int]]:
    """Group places by length, so that little of a batch is padding."""
    order = sorted(range(len(lengths)), key=lambda place: (lengths[place], place))
    for start in range(0, len(order), size):
        yield order[start : start + size]


def softmax(logits: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Turn rows of logits into rows of probabilities."""
    import numpy as np

    values = logits.astype(np.float64)
    powers = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def checked_logits(logits: "np.ndarray[Any, Any]", rows: int, columns: int, name: str) -> "np.ndarray[Any, Any]":
    """Refuse an output of the wrong shape or with values that are no numbers."""
    import numpy as np

    if logits.shape != (rows, columns):
        raise ModelError(
            f"{name} answered with shape {tuple(logits.shape)} where ({rows}, {columns}) was expected.",
            fix="use a model with this output",
        )
    if not np.isfinite(logits).all():
        raise ModelError(f"{name} answered with values that are no numbers.", fix="export the model again")
    return logits


def encodable(text: str) -> str:
    """Replace unpaired surrogates, which no tokenizer reads; the length stays."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def check_count(name: str, value: object, most: int) -> int:
    """Check an option that is a whole number from 1 on."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise InputError(f"{name} is {value!r}.", fix=f"give a whole number from 1 to {most}")
    return value


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0][:200]
