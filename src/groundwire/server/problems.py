"""Errors as problem documents (RFC 9457): what happened, and what to do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from groundwire.errors import GroundwireError, InputError, InputTypeError

MEDIA_TYPE: Final = "application/problem+json"
_PREFIX: Final = "urn:groundwire:problem:"


@dataclass(frozen=True, slots=True)
class Problem:
    """One kind of failure with the words a caller needs."""

    status: int
    name: str
    title: str
    detail: str
    fix: str = ""
    retry_after: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def document(self, request_id: str) -> dict[str, Any]:
        """Return the body of the answer."""
        document = {
            "type": _PREFIX + self.name,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "instance": f"urn:groundwire:request:{request_id}",
        }
        if self.fix:
            document["fix"] = self.fix
        return document | dict(self.extra)

    def headers(self) -> dict[str, str]:
        """Return the headers that belong to the status."""
        headers = {}
        if self.status == HTTPStatus.UNAUTHORIZED:
            headers["WWW-Authenticate"] = 'Bearer realm="groundwire"'
        if self.retry_after is not None:
            headers["Retry-After"] = str(self.retry_after)
        return headers


class ProblemError(Exception):
    """Carry a problem to the edge, where it becomes the answer."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.name)


def no_key() -> Problem:
    """Refuse a request without a usable key; every reason reads the same, so that nothing can be guessed."""
    return Problem(
        401,
        "key-refused",
        "The key is missing or not valid",
        "The request carries no key, or one that is unknown, revoked or expired.",
        "send 'Authorization: Bearer KEY' with a key made by 'groundwire keys create'",
    )


def no_scope(scope: str) -> Problem:
    """Refuse a key that may not use a route."""
    return Problem(
        403,
        "scope-missing",
        "The key may not do this",
        f"The route needs the scope {scope!r}, which this key does not have.",
        f"make a key with 'groundwire keys create TENANT --scope {scope}'",
    )


def wrong_host() -> Problem:
    """Refuse a name that does not belong to a service without keys."""
    return Problem(
        421,
        "host-refused",
        "The host name is not ours",
        "A service without keys answers only to the names of this machine.",
        "call 127.0.0.1 or localhost, or make keys with 'groundwire keys create'",
    )


def too_many(limit: str, retry_after: int) -> Problem:
    """Refuse what is over a tenant's limit."""
    return Problem(
        429,
        "limit-reached",
        "Too many requests",
        f"The tenant's limit of {limit} is reached.",
        "wait for the time in Retry-After, then send the request again",
        retry_after,
    )


def busy() -> Problem:
    """Refuse what the queue has no room for."""
    return Problem(
        503,
        "busy",
        "The service is busy",
        "All workers are at work and the queue is full.",
        "wait for the time in Retry-After, then send the request again",
        1,
    )


def closing() -> Problem:
    """Refuse what comes while the service shuts down."""
    return Problem(
        503, "closing", "The service is shutting down", "No new work is taken.", "send the request again later", 5
    )


def unavailable(what: str) -> Problem:
    """Refuse work whose record, key or limit cannot be kept: the service fails closed."""
    return Problem(
        503,
        "store-unavailable",
        "A store of the service is not available",
        f"The {what} cannot be used, so no answer is given.",
        "send the request again later; the operator finds the cause in the log of the service",
        5,
    )


def too_slow(seconds: float) -> Problem:
    """Refuse work that took longer than it may."""
    return Problem(
        503,
        "time-limit",
        "The request took too long",
        f"The work was stopped after {seconds:g} seconds; nothing was decided.",
        "send less text, or split the response into several requests",
    )


def worker_died() -> Problem:
    """Say that a worker process ended while it worked on the request."""
    return Problem(
        503,
        "worker-died",
        "The worker ended before it answered",
        "Nothing was decided; another worker has taken its place.",
        "send the request again",
        1,
    )


def slow_body(seconds: float) -> Problem:
    """Refuse a body that does not arrive."""
    return Problem(
        408,
        "body-late",
        "The body did not arrive in time",
        f"The body was not complete after {seconds:g} seconds.",
        "send the whole body at once",
    )


def too_large(limit: int) -> Problem:
    """Refuse a body over the limit."""
    return Problem(
        413,
        "body-too-large",
        "The body is too large",
        f"The limit is {limit} bytes.",
        "send the sources that matter, or ask the operator for a higher --max-body",
    )


def wrong_media(got: str) -> Problem:
    """Refuse a body that is not declared as JSON in UTF-8."""
    return Problem(
        415,
        "media-type",
        "The media type cannot be read",
        f"The body is declared as {got!r}.",
        "send 'Content-Type: application/json', UTF-8, without Content-Encoding",
        extra={"accepted": ["application/json"]},
    )


def malformed(detail: str, fix: str = "send one JSON object in UTF-8") -> Problem:
    """Refuse a body that is no JSON we read."""
    return Problem(400, "body-malformed", "The body is no valid JSON object", detail, fix)


def invalid(errors: list[dict[str, str]]) -> Problem:
    """Refuse fields that do not fit, each named by its JSON pointer."""
    first = errors[0] if errors else {"pointer": "", "detail": "The body does not fit."}
    return Problem(
        422,
        "body-invalid",
        "A field of the body cannot be used",
        f"{first['pointer'] or 'The body'}: {first['detail']}",
        "correct the named fields; /openapi.json describes them",
        extra={"errors": errors},
    )


def not_found() -> Problem:
    """Say that there is nothing here, for this tenant or at all."""
    return Problem(404, "not-found", "There is nothing here", "No such resource is known.", "see /openapi.json")


def wrong_method(allowed: str) -> Problem:
    """Refuse a method that a route does not know."""
    return Problem(
        405, "method", "The method is not allowed here", f"This address takes {allowed}.", "see /openapi.json"
    )


def broken() -> Problem:
    """Say that the fault is ours, without a word of its inside."""
    return Problem(
        500,
        "internal",
        "The service failed",
        "The request could not be answered because of a fault of the service.",
        "send the request again; tell the operator the 'instance' if it fails again",
    )


def from_error(error: GroundwireError) -> Problem:
    """Turn an error of the library into a problem: the caller's fault is 422, ours is 500."""
    if isinstance(error, InputError | InputTypeError):
        why = f" {error.why[0].upper()}{error.why[1:]}." if error.why else ""
        return Problem(422, "input-refused", "The input cannot be used", error.what + why, error.fix)
    return broken()
