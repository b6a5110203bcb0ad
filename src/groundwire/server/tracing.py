"""OpenTelemetry spans of requests; without the extra there are none."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib.metadata import entry_points
from typing import Any

from groundwire.errors import InputError, MissingExtraError

StartSpan = Callable[[], AbstractContextManager[Any]]


def no_spans() -> AbstractContextManager[Any]:
    """Start nothing."""
    return nullcontext()


def start_tracing() -> StartSpan:
    """Send spans where OTEL_TRACES_EXPORTER says ('console' by default), and return what starts one."""
    try:
        from opentelemetry import trace
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise MissingExtraError("Tracing", "otel") from error
    name = os.environ.get("OTEL_TRACES_EXPORTER", "console")
    found = list(entry_points(group="opentelemetry_traces_exporter", name=name))
    if not found:
        raise InputError(
            f"There is no OpenTelemetry exporter {name!r}.",
            why="OTEL_TRACES_EXPORTER names one that is not installed",
            fix="pip install opentelemetry-exporter-otlp, or set OTEL_TRACES_EXPORTER=console",
        )
    provider = TracerProvider(resource=Resource.create({"service.name": "groundwire"}))
    provider.add_span_processor(BatchSpanProcessor(found[0].load()()))
    trace.set_tracer_provider(provider)
    tracer = trace.get_tracer("groundwire.server")
    return lambda: tracer.start_as_current_span("request", kind=trace.SpanKind.SERVER)


def describe(span: Any, method: str, route: str, status: int, request_id: str) -> None:
    """Say of a span what the log says of its request: no address, no text, no key."""
    if span is None:
        return
    span.update_name(f"{method} {route}")
    span.set_attribute("http.request.method", method)
    span.set_attribute("http.route", route)
    span.set_attribute("http.response.status_code", status)
    span.set_attribute("groundwire.request_id", request_id)
