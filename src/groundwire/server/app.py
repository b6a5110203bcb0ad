"""Build the application: routes, problem documents and the OpenAPI document."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, cast

from fastapi import FastAPI, Request, WebSocket
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp

from groundwire import __version__
from groundwire.server import metrics, problems
from groundwire.server.desk import dump
from groundwire.server.edge import Edge
from groundwire.server.keys import Scope
from groundwire.server.live import serve_events, serve_socket
from groundwire.server.problems import ProblemError
from groundwire.server.routes import ROUTES, STREAM, Route
from groundwire.server.service import Service, problem_response
from groundwire.server.tracing import StartSpan, no_spans

# Nothing is decided by these; a stream names its receipt in its last event, a job when it is done.
_UNRECORDED: Final = ("knowledge_list", "knowledge_get", "knowledge_search", "stream")
_REF: Final = "#/components/schemas/{model}"
_FAILURES: Final = {
    "400": "The body is no JSON object.",
    "401": "The key is missing or not valid.",
    "403": "The key may not use this route.",
    "408": "The body did not arrive in time.",
    "413": "The body or a text is too large.",
    "415": "The body is not declared as JSON in UTF-8.",
    "421": "A service without keys was called by a foreign name.",
    "422": "A field cannot be used.",
    "429": "A limit of the tenant is reached; Retry-After says when to come back.",
    "503": "The service is busy, closing, or one of its stores is not available.",
}


def build_app(service: Service, start_span: StartSpan = no_spans) -> ASGIApp:
    """Build the application around a service."""
    app = _routed(service)
    document = openapi_document(app)

    async def openapi(request: Request) -> Response:
        request.state.route = "/openapi.json"
        return Response(dump(document), media_type="application/json")

    app.add_api_route("/openapi.json", openapi, methods=["GET"], include_in_schema=False)
    return Edge(app, service.metrics, lambda: not service.pool.has_room, start_span)


def describe_routes() -> dict[str, Any]:
    """Return the OpenAPI document without a running service."""
    return openapi_document(_routed(None))


def _routed(service: Service | None) -> FastAPI:
    # No pages for /docs: they would load scripts from other hosts.
    app = FastAPI(title="Groundwire", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    app.router.redirect_slashes = False
    # A description alone calls no route.
    running = cast(Service, service)
    for route in ROUTES:
        app.add_api_route(
            # A name may hold a slash, which arrives decoded.
            route.path.replace("{name}", "{name:path}"), _endpoint(running, route), methods=[route.method],
            summary=route.summary, operation_id=route.job, openapi_extra=_operation(route), response_class=Response,
        )  # fmt: skip
    _add_stream(app, running)
    _add_plain_routes(app, running)
    app.add_exception_handler(ProblemError, _on_problem)
    app.add_exception_handler(HTTPException, _on_http)
    return app


def _endpoint(service: Service, route: Route) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        request.state.route = route.path
        return await service.decide(request, route)

    return endpoint


def _add_stream(app: FastAPI, service: Service) -> None:
    async def events(request: Request) -> Response:
        request.state.route = STREAM.path
        return await serve_events(service, request)

    async def socket(websocket: WebSocket) -> None:
        await serve_socket(service, websocket)

    extra = _operation(STREAM)
    extra["responses"]["200"]["content"] = {"text/event-stream": {}}
    app.add_api_route(
        STREAM.path, events, methods=["POST"], summary=STREAM.summary, operation_id=STREAM.job, openapi_extra=extra,
        response_class=Response,
    )  # fmt: skip
    app.add_api_websocket_route(STREAM.path, socket)


def _add_plain_routes(app: FastAPI, service: Service) -> None:
    async def healthz(request: Request) -> Response:
        """Tell that the process lives."""
        request.state.route = "/healthz"
        return Response(b'{"status":"ok"}', media_type="application/json")

    async def readyz(request: Request) -> Response:
        """Tell whether a worker gave right answers and the stores can be used."""
        request.state.route = "/readyz"
        if await service.ready():
            return Response(b'{"status":"ready"}', media_type="application/json")
        return Response(b'{"status":"not ready"}', 503, {"Retry-After": "5"}, "application/json")

    async def prometheus(request: Request) -> Response:
        """Show counters and times for Prometheus; needs the scope `metrics`."""
        request.state.route = "/metrics"
        service.authenticate(request, Scope.METRICS)
        return Response(service.metrics.text(), media_type=metrics.MEDIA_TYPE)

    plain = {"200": {"description": "It is.", "content": {"application/json": {"schema": {"type": "object"}}}}}
    unready = {"503": {"description": "It is not.", "content": {"application/json": {"schema": {"type": "object"}}}}}
    text = {"200": {"description": "The figures.", "content": {"text/plain": {"schema": {"type": "string"}}}}}
    refused = {status: _problem(_FAILURES[status]) for status in ("401", "403", "421", "503")}
    for path, endpoint, responses in (
        ("/healthz", healthz, plain),
        ("/readyz", readyz, plain | unready),
        ("/metrics", prometheus, text | refused),
    ):
        extra: dict[str, Any] = {"responses": responses}
        if path != "/metrics":
            extra["security"] = []
        app.add_api_route(
            path, endpoint, methods=["GET"], operation_id=path.strip("/"), openapi_extra=extra, response_class=Response
        )


async def _on_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)  # noqa: S101 - registered for this class alone
    return problem_response(error.problem, request.state.request_id)


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class alone
    if error.status_code == 405:
        allowed = ", ".join(sorted(_methods(request)))
        response = problem_response(problems.wrong_method(allowed), request.state.request_id)
        response.headers["Allow"] = allowed
        return response
    problem = problems.not_found() if error.status_code == 404 else problems.broken()
    return problem_response(problem, request.state.request_id)


def _methods(request: Request) -> set[str]:
    # The router names those of one route only, where an address may have several.
    matching = [route for route in request.app.routes if route.matches(request.scope)[0] is Match.PARTIAL]
    return {method for route in matching for method in getattr(route, "methods", None) or ()}


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """Describe every route; the bodies are described by the models that read them."""
    document = get_openapi(title=app.title, version=app.version, routes=app.routes, summary="Verdicts over HTTP.")
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = _PROBLEM_SCHEMA
    for route in (*ROUTES, STREAM):
        if route.body is None:
            continue
        schema = route.body.model_json_schema(ref_template=_REF)
        schemas.update(schema.pop("$defs", {}))
        schemas[route.body.__name__] = schema
    components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    document["security"] = [{"key": []}]
    return document


def _operation(route: Route) -> dict[str, Any]:
    failures = {status: _problem(words) for status, words in _FAILURES.items()}
    answer = {"description": route.answer, "content": {"application/json": {"schema": {"type": "object"}}}}
    operation: dict[str, Any] = {"description": f"Needs the scope `{route.scope}`."}
    if route.job not in _UNRECORDED and not route.path.startswith("/v1/jobs"):
        receipt = {"description": "The receipt in the audit trail.", "schema": {"type": "string"}}
        answer["headers"] = {"Groundwire-Record": receipt}
    for name, words in (("name", "There is no such document."), ("job_id", "There is no such job.")):
        if f"{{{name}}}" in route.path:
            schema = {"type": "string", "minLength": 1, "maxLength": 200}
            operation["parameters"] = [{"name": name, "in": "path", "required": True, "schema": schema}]
            failures["404"] = _problem(words)
    if route.job in ("knowledge_put", "job_create"):
        failures["507"] = _problem("The tenant has as many of them as it may.")
    if route.job == "job_result":
        failures["409"] = _problem("The job is not done.")
    if route.body is not None:
        media = {"schema": {"$ref": _REF.format(model=route.body.__name__)}, "example": route.example}
        operation["requestBody"] = {"required": True, "content": {"application/json": media}}
    return operation | {"responses": {"200": answer, **failures}}


def _problem(words: str) -> dict[str, Any]:
    return {"description": words, "content": {problems.MEDIA_TYPE: {"schema": {"$ref": _REF.format(model="Problem")}}}}


_PROBLEM_SCHEMA: Final = {
    "title": "Problem",
    "description": "A problem document (RFC 9457).",
    "type": "object",
    "required": ["type", "title", "status", "detail", "instance"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string"},
        "fix": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"pointer": {"type": "string"}, "detail": {"type": "string"}},
            },
        },
    },
}
