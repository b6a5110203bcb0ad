"""Ask a running service for the verdicts the library would give; sync and async."""

import asyncio
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from groundwire.errors import InputError, InputTypeError, MissingExtraError, ServiceError
from groundwire.types import CoherenceScore, InjectionResult, Policy, Source, VerificationResult
from groundwire.types.plain import from_plain, result_from_dict

if TYPE_CHECKING:
    from groundwire.audit.answer import Audit
    from groundwire.audit.results import LatticeAudit

Sources = str | Source | Sequence[str | Source]
_AGAIN = (429, 503)
_LONGEST_WAIT_S = 30.0


class Client:
    """Call a service; every method has an async twin whose name starts with `a`."""

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8080",
        key: str | None = None,
        *,
        timeout: float = 60.0,
        retries: int = 3,
        verify_tls: bool = True,
    ) -> None:
        try:
            import httpx
        except ImportError as error:
            raise MissingExtraError("Client", "server") from error
        if not isinstance(base_url, str) or not base_url.startswith(("http://", "https://")):
            raise InputError("base_url is no address.", fix="pass one such as http://127.0.0.1:8080")
        if isinstance(retries, bool) or not isinstance(retries, int) or not 0 <= retries <= 20:
            raise InputError(f"retries is {retries!r}.", fix="pass a whole number from 0 to 20")
        self._httpx = httpx
        self._retries = retries
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._options: dict[str, Any] = {
            "base_url": base_url.rstrip("/"),
            "headers": headers,
            "timeout": timeout,
            "verify": verify_tls,
            # An answer from elsewhere is not an answer of the service; the key must not go there either.
            "follow_redirects": False,
        }
        self._sync: httpx.Client | None = None
        self._async: httpx.AsyncClient | None = None

    def __repr__(self) -> str:
        return f"Client({self._options['base_url']!r})"

    def verify(
        self,
        response: str,
        source: Sources,
        atomic: bool = False,
        evidence_top_k: int = 3,
        *,
        question: str | None = None,
        policy: Policy | None = None,
    ) -> VerificationResult:
        """Check every claim of the response against the source."""
        body = _verify_body(response, source, atomic, evidence_top_k, question, policy)
        return result_from_dict(self._call("POST", "/v1/verify", body))

    async def averify(
        self,
        response: str,
        source: Sources,
        atomic: bool = False,
        evidence_top_k: int = 3,
        *,
        question: str | None = None,
        policy: Policy | None = None,
    ) -> VerificationResult:
        """Do the same as `verify` without blocking."""
        body = _verify_body(response, source, atomic, evidence_top_k, question, policy)
        return result_from_dict(await self._acall("POST", "/v1/verify", body))

    def audit(self, response: str, source: Sources, **options: Any) -> "Audit":
        """Audit an answer word for word; options are the other fields of the route."""
        return _audit(self._call("POST", "/v1/audit", {"response": response, "source": _plain(source), **options}))

    async def aaudit(self, response: str, source: Sources, **options: Any) -> "Audit":
        """Do the same as `audit` without blocking."""
        body = {"response": response, "source": _plain(source), **options}
        return _audit(await self._acall("POST", "/v1/audit", body))

    def cite(self, response: str, documents: Sequence[Mapping[str, Any]], **options: Any) -> "LatticeAudit":
        """Follow the citations of an answer; a document is a mapping with at least its text."""
        body = {"response": response, "documents": [dict(item) for item in documents], **options}
        return _lattice(self._call("POST", "/v1/cite", body))

    async def acite(self, response: str, documents: Sequence[Mapping[str, Any]], **options: Any) -> "LatticeAudit":
        """Do the same as `cite` without blocking."""
        body = {"response": response, "documents": [dict(item) for item in documents], **options}
        return _lattice(await self._acall("POST", "/v1/cite", body))

    def injection(self, response: str, documents: Sequence[str | Source] = (), **options: Any) -> InjectionResult:
        """Look for instructions that the user never gave."""
        body = {"response": response, "documents": _plain(list(documents)), **options}
        return from_plain(InjectionResult, self._call("POST", "/v1/injection", body))

    async def ainjection(
        self, response: str, documents: Sequence[str | Source] = (), **options: Any
    ) -> InjectionResult:  # fmt: skip
        """Do the same as `injection` without blocking."""
        body = {"response": response, "documents": _plain(list(documents)), **options}
        return from_plain(InjectionResult, await self._acall("POST", "/v1/injection", body))

    def review(self, prompt: str, response: str, **options: Any) -> tuple[bool, CoherenceScore]:
        """Score an answer against its prompt and the knowledge of the tenant."""
        return _reviewed(self._call("POST", "/v1/review", {"prompt": prompt, "response": response, **options}))

    async def areview(self, prompt: str, response: str, **options: Any) -> tuple[bool, CoherenceScore]:
        """Do the same as `review` without blocking."""
        return _reviewed(await self._acall("POST", "/v1/review", {"prompt": prompt, "response": response, **options}))

    def put_document(self, name: str, text: str) -> str:
        """Keep a document in the knowledge of the tenant; return what became of it."""
        return str(self._call("PUT", f"/v1/knowledge/{_quoted(name)}", {"text": text})["outcome"])

    def remove_document(self, name: str) -> None:
        """Remove a document from the knowledge of the tenant."""
        self._call("DELETE", f"/v1/knowledge/{_quoted(name)}", None)

    def search(self, query: str, top_k: int = 3) -> list[dict[str, Any]]:
        """Find the passages of the knowledge nearest to a query."""
        found: list[dict[str, Any]] = self._call("POST", "/v1/knowledge/search", {"query": query, "top_k": top_k})[
            "hits"
        ]
        return found

    def close(self) -> None:
        """Close the connections."""
        if self._sync is not None:
            self._sync.close()
            self._sync = None

    async def aclose(self) -> None:
        """Close the connections of the async methods, and the others."""
        if self._async is not None:
            await self._async.aclose()
            self._async = None
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _call(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        if self._sync is None:
            self._sync = self._httpx.Client(**self._options)
        for attempt in range(self._retries + 1):
            try:
                answer = self._sync.request(method, path, json=body)
            except self._httpx.TransportError as error:
                outcome: Any = error
            else:
                outcome = answer
            wait = self._wait(outcome, attempt)
            if wait is None:
                return self._read(outcome)
            time.sleep(wait)
        raise AssertionError("the last attempt always returns or raises")

    async def _acall(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        if self._async is None:
            self._async = self._httpx.AsyncClient(**self._options)
        for attempt in range(self._retries + 1):
            try:
                answer = await self._async.request(method, path, json=body)
            except self._httpx.TransportError as error:
                outcome: Any = error
            else:
                outcome = answer
            wait = self._wait(outcome, attempt)
            if wait is None:
                return self._read(outcome)
            await asyncio.sleep(wait)
        raise AssertionError("the last attempt always returns or raises")

    def _wait(self, outcome: Any, attempt: int) -> float | None:
        """Return how long to wait before the next attempt, None to take what there is."""
        if attempt >= self._retries:
            return None
        if isinstance(outcome, Exception):
            # The work may have been done; asking again gives the same verdict and one more record.
            return self._pause(attempt)
        after = outcome.headers.get("Retry-After", "")
        # Without Retry-After the service says that asking again does not help.
        if outcome.status_code not in _AGAIN or not after.isdecimal():
            return None
        return min(_LONGEST_WAIT_S, float(after[:6])) + self._pause(0)

    def _pause(self, attempt: int) -> float:
        # Spread, so that many clients do not come back in the same moment.
        return 0.1 * 2.0**attempt * (0.5 + random.random() / 2)  # noqa: S311 - no secret

    def _read(self, outcome: Any) -> dict[str, Any]:
        if isinstance(outcome, Exception):
            raise ServiceError(
                "The service cannot be reached.",
                why=type(outcome).__name__,
                fix="check base_url, and that 'groundwire serve' runs",
                retry=True,
            ) from outcome
        try:
            said = outcome.json()
        except ValueError:
            said = None
        if outcome.status_code == 200 and isinstance(said, dict):
            return said
        if isinstance(said, dict) and "title" in said:
            raise ServiceError(
                f"{said['title']} ({outcome.status_code}).",
                why=str(said.get("detail", "")),
                fix=str(said.get("fix", "")),
                retry=outcome.status_code in _AGAIN,
                status=outcome.status_code,
            )
        raise ServiceError(
            f"The service answered {outcome.status_code} with something else than a result.",
            fix="check that base_url leads to a Groundwire service",
            status=outcome.status_code,
        )


def _verify_body(
    response: str, source: Sources, atomic: bool, top_k: int, question: str | None, policy: Policy | None
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "response": response,
        "source": _plain(source),
        "atomic": atomic,
        "evidence_top_k": top_k,
        "question": question,
    }
    return body if policy is None else body | {"policy": policy.to_dict()}


def _plain(source: Any) -> Any:
    if isinstance(source, Source):
        return asdict(source)
    if isinstance(source, str):
        return source
    if isinstance(source, Sequence) and not isinstance(source, bytes | bytearray):
        return [_plain(item) for item in source]
    raise InputTypeError(f"source is a {type(source).__name__}.", fix="pass a str, a Source, or a list of them")


def _audit(values: dict[str, Any]) -> "Audit":
    from groundwire.audit.results import audit_from_dict

    # What the service adds for readers is no field of the result.
    return audit_from_dict({name: value for name, value in values.items() if name not in ("rung", "strict")})


def _lattice(values: dict[str, Any]) -> "LatticeAudit":
    from groundwire.audit.results import LatticeAudit

    found = _audit(values)
    if not isinstance(found, LatticeAudit):
        raise ServiceError("The service answered with another kind of audit.", fix="check that its version is ours")
    return found


def _reviewed(values: dict[str, Any]) -> tuple[bool, CoherenceScore]:
    score = from_plain(CoherenceScore, values)
    return score.approved, score


def _quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name, safe="")
