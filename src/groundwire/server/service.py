"""What happens to a request between the edge and a worker: who asks, within which limits, recorded where."""

import asyncio
import sqlite3
from typing import Any, Final

from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response

from groundwire.server import problems
from groundwire.server.decision import decision_record
from groundwire.server.desk import Answer, dump, where
from groundwire.server.edge import log
from groundwire.server.keys import KeyStore, Scope, Tenant, local_tenant
from groundwire.server.limits import Allowance, Limits, Refusal
from groundwire.server.metrics import Metrics
from groundwire.server.pool import Pool
from groundwire.server.problems import Problem, ProblemError
from groundwire.server.routes import Route
from groundwire.server.settings import Settings, is_loopback
from groundwire.server.writer import TrailWriter

_BEARER: Final = "bearer "
_LONGEST_KEY: Final = 200
_PROBE_LIMIT_S: Final = 5.0
_PROBE_KEPT_S: Final = 2.0


class Service:
    """Everything the routes share."""

    def __init__(self, settings: Settings, keys: KeyStore, limits: Limits, pool: Pool, writer: TrailWriter) -> None:
        self.settings, self.keys, self.limits, self.pool, self.writer = settings, keys, limits, pool, writer
        self.metrics = Metrics()
        self.metrics.gauge("groundwire_queue_waiting", "Jobs that wait for a worker.", lambda: pool.waiting)
        self.metrics.gauge("groundwire_workers_busy", "Workers at work.", lambda: pool.busy)
        self.metrics.gauge("groundwire_worker_restarts", "Workers replaced since the start.", lambda: pool.restarts)
        self._ready: tuple[float, bool] = (-1e9, False)

    def authenticate(self, request: HTTPConnection, scope: Scope) -> Tenant:
        """Return who asks, or refuse."""
        header = request.headers.get("authorization", "")
        try:
            if not header and self.settings.loopback and self.keys.is_empty():
                tenant = self._local(request)
            else:
                tenant = self._known(header)
        except (sqlite3.Error, OSError) as error:
            raise self.fault("key store", error) from error
        request.state.tenant, request.state.key_id = tenant.tenant, tenant.key_id
        if scope not in tenant.scopes:
            raise ProblemError(problems.no_scope(scope))
        return tenant

    def _known(self, header: str) -> Tenant:
        key = header[len(_BEARER) :].strip() if header[: len(_BEARER)].lower() == _BEARER else ""
        tenant = self.keys.check(key) if 0 < len(key) <= _LONGEST_KEY else None
        if tenant is None:
            raise ProblemError(problems.no_key())
        return tenant

    def _local(self, request: HTTPConnection) -> Tenant:
        # A page in a browser can make a name of its own lead to this machine; it cannot choose this header.
        host = request.headers.get("host", "")
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if not is_loopback(name):
            raise ProblemError(problems.wrong_host())
        return local_tenant()

    async def decide(self, request: Request, route: Route) -> Response:
        """Answer one request of a deciding route, after its record is safe."""
        tenant = self.authenticate(request, route.scope)
        if route.body is not None:
            check_media(request)
        lease = await self.admit(tenant)
        try:
            # A route without a body reads one all the same, and lets it drop.
            body = await self.read(request)
            answer = await self._work(request, route.job, tenant, body)
            headers = dict(answer.headers or {})
            fault = headers.pop("X-Fault", None)
            if fault:
                log("fault", request_id=request.state.request_id, fault=fault)
            if answer.record is not None:
                headers["Groundwire-Record"] = await self.record(request.state.request_id, route, tenant, answer.record)
        finally:
            self.release(lease)
        media = "application/json" if answer.status < 400 else problems.MEDIA_TYPE
        return Response(answer.body, answer.status, headers, media)

    async def ready(self) -> bool:
        """Tell whether a worker judges its examples rightly and the stores can be used."""
        now = asyncio.get_running_loop().time()
        if now - self._ready[0] > _PROBE_KEPT_S:
            self._ready = (now, await self._examine())
        return self._ready[1]

    async def _examine(self) -> bool:
        try:
            self.keys.is_empty()
            job = self.pool.submit({"job": "probe", "request_id": "probe"}, b"", first=True)
            answer = await asyncio.wait_for(job.future, _PROBE_LIMIT_S)
        except (ProblemError, TimeoutError, sqlite3.Error, OSError) as error:
            log("not ready", fault=where(error))
            return False
        return answer.status == 200

    def fault(self, what: str, error: BaseException) -> ProblemError:
        """Log what broke, and refuse."""
        log("fault", store=what, fault=where(error))
        return ProblemError(problems.unavailable(what))

    async def admit(self, tenant: Tenant) -> str:
        """Take one request of a tenant in and return its lease, or refuse."""
        if not self.pool.has_room:
            raise ProblemError(problems.busy())
        allowance = Allowance(
            tenant.requests_per_minute or self.settings.requests_per_minute,
            tenant.concurrency or self.settings.concurrency,
        )
        try:
            # Redis may keep us waiting until its time is over; a file answers at once.
            if self.settings.redis_url:
                admitted = await asyncio.to_thread(self.limits.admit, tenant.tenant, allowance)
            else:
                admitted = self.limits.admit(tenant.tenant, allowance)
        except Exception as error:  # whatever store it is: without counts nobody is let in
            raise self.fault("store of limits", error) from error
        if isinstance(admitted, Refusal):
            raise ProblemError(problems.too_many(admitted.limit, admitted.retry_after))
        return admitted

    def release(self, lease: str) -> None:
        """Give a lease back."""
        if self.settings.redis_url:
            asyncio.get_running_loop().run_in_executor(None, self._release, lease)
        else:
            self._release(lease)

    def _release(self, lease: str) -> None:
        try:
            self.limits.release(lease)
        except Exception as error:  # the lease runs out by itself
            log("fault", store="store of limits", fault=where(error))

    async def read(self, request: Request) -> bytes:
        """Read a body within its limits of size and time."""
        limit = self.settings.max_body_bytes
        declared = request.headers.get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > limit:
            raise ProblemError(problems.too_large(limit))
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self.settings.read_limit_s):
                async for part in request.stream():
                    size += len(part)
                    if size > limit:
                        raise ProblemError(problems.too_large(limit))
                    parts.append(part)
        except TimeoutError as error:
            raise ProblemError(problems.slow_body(self.settings.read_limit_s)) from error
        except ClientDisconnect as error:
            raise ProblemError(_gone()) from error
        return b"".join(parts)

    async def _work(self, request: Request, job_name: str, tenant: Tenant, body: bytes) -> Answer:
        head = job_head(job_name, request.state.request_id, tenant) | {"params": dict(request.path_params)}
        job = self.pool.submit(head, body)
        # A caller who hangs up while he waits makes room for the next one.
        gone = asyncio.ensure_future(_disconnected(request))
        try:
            waited: set[asyncio.Future[Any]] = {job.future, gone}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if not job.future.done():
                self.pool.withdraw(job)
                raise ProblemError(_gone())
            return job.future.result()
        finally:
            gone.cancel()

    async def record(self, request_id: str, route: Route, tenant: Tenant, record: dict[str, Any]) -> str:
        """Write a record and return its receipt when it is safe."""
        payload = decision_record(request_id, route, tenant, record)
        try:
            receipt = await self.writer.append(payload)
        except Exception as error:  # SQLite, PostgreSQL or the disk: unrecorded means undecided
            raise self.fault("audit trail", error) from error
        self.metrics.decision(route.path, bool(record["approved"]))
        return str(receipt)


def job_head(job: str, request_id: str, tenant: Tenant) -> dict[str, Any]:
    """Return what a worker is told beside the body."""
    return {
        "job": job,
        "request_id": request_id,
        "tenant": tenant.tenant,
        "key_id": tenant.key_id,
        "keep_text": tenant.keep_text,
    }


def check_media(request: Request) -> None:
    """Refuse a body that is not declared as plain JSON in UTF-8."""
    given = request.headers.get("content-type", "")
    media, _, rest = given.partition(";")
    charset = rest.strip().lower().replace('"', "").replace(" ", "")
    if media.strip().lower() != "application/json" or charset not in ("", "charset=utf-8", "charset=utf8"):
        raise ProblemError(problems.wrong_media(given[:100]))
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.strip().lower() not in ("", "identity"):
        raise ProblemError(problems.wrong_media(f"{media.strip()[:50]}, {encoding[:50]}"))


def problem_response(problem: Problem, request_id: str) -> Response:
    """Turn a problem into a response."""
    return Response(dump(problem.document(request_id)), problem.status, problem.headers(), problems.MEDIA_TYPE)


def _gone() -> Problem:
    # Nobody reads it; the status stands in the log and the metrics.
    return Problem(499, "client-gone", "The caller went away", "The connection was closed before the answer.")


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        continue
