"""Where safety events go: a log, a file of JSON lines, your own function, OpenTelemetry.

An event carries no prompt, response or source text, and no sink adds any.
"""

import json
import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from groundwire.errors import InputError, InputTypeError, MissingExtraError
from groundwire.types import PolicyDecision, SafetyEvent

_log = logging.getLogger("groundwire.events")
_LEVELS = {
    PolicyDecision.ALLOW: logging.INFO,
    PolicyDecision.WARN: logging.WARNING,
    PolicyDecision.HALT: logging.ERROR,
    PolicyDecision.BLOCK: logging.ERROR,
}


class EventSink(Protocol):
    """Anything that takes one event; a plain function is a sink."""

    def __call__(self, event: SafetyEvent, /) -> None:
        """Take one event."""
        ...


def emit(event: SafetyEvent, sinks: Iterable[EventSink]) -> None:
    """Hand an event to every sink; one that fails stops neither the others nor the decision."""
    for sink in sinks:
        try:
            sink(event)
        except Exception as error:  # noqa: BLE001, RUF100 - a sink is other people's code
            # The name alone: a message of other people's code may quote what it was given.
            _log.warning("The event sink %s failed: %s", type(sink).__name__, type(error).__name__)


def check_sinks(sinks: Sequence[EventSink]) -> tuple[EventSink, ...]:
    """Refuse what cannot be called, before an event is lost on it."""
    for sink in sinks:
        if not callable(sink):
            raise InputTypeError(f"A sink is a {type(sink).__name__}.", fix="pass functions or sinks of this module")
    return tuple(sinks)


class LoggingSink:
    """Write each event as one JSON line to a logger, at a level that fits its decision."""

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self.logger = logger or logging.getLogger("groundwire.safety")

    def __call__(self, event: SafetyEvent, /) -> None:
        """Log one event."""
        line = _line(event)
        self.logger.log(_LEVELS[PolicyDecision(event.policy_decision)], "%s", line)


class JsonlSink:
    """Append each event as one line of JSON to a file; safe to share between threads."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        try:
            self.path.open("a", encoding="utf-8").close()
        except OSError as error:
            raise InputError(
                f"The event file {str(path)!r} cannot be written.", why=error.strerror or "", fix="choose another place"
            ) from error

    def __call__(self, event: SafetyEvent, /) -> None:
        """Append one event."""
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(_line(event) + "\n")


class CallbackSink:
    """Hand each event to your function as a plain dictionary."""

    def __init__(self, callback: Callable[[dict[str, Any]], object]) -> None:
        if not callable(callback):
            raise InputTypeError(f"callback is a {type(callback).__name__}.", fix="pass a function of one dictionary")
        self.callback = callback

    def __call__(self, event: SafetyEvent, /) -> None:
        """Call the function with one event."""
        self.callback(event.to_dict())


class OpenTelemetrySink:
    """Add each event to the current span, or to one of its own where there is none."""

    def __init__(self, tracer: Any = None) -> None:
        try:
            from opentelemetry import trace
        except ImportError as error:
            raise MissingExtraError("OpenTelemetrySink", "otel") from error
        self._trace = trace
        self._tracer = tracer or trace.get_tracer("groundwire")

    def __call__(self, event: SafetyEvent, /) -> None:
        """Record one event."""
        name = f"groundwire.{event.hook_scope}.{event.policy_decision}"
        attributes = span_attributes(event)
        span = self._trace.get_current_span()
        if span.is_recording():
            span.add_event(name, attributes)
            return
        with self._tracer.start_as_current_span(name) as own:
            own.set_attributes(attributes)


def span_attributes(event: SafetyEvent) -> dict[str, str | float | list[str]]:
    """Flatten an event into attributes of a span; what was not measured is left out."""
    plain = event.to_dict()
    trace = plain.pop("trace_attribution") or {}
    extra = plain.pop("attributes")
    flat = {**plain, **{f"trace.{key}": value for key, value in trace.items()}, **extra}
    return {f"groundwire.{key}": value for key, value in flat.items() if value is not None and value != ""}


def _line(event: SafetyEvent) -> str:
    if not isinstance(event, SafetyEvent):
        raise InputTypeError(f"The event is a {type(event).__name__}.", fix="pass a SafetyEvent")
    return json.dumps(event.to_dict(), ensure_ascii=True, allow_nan=False, sort_keys=True)
