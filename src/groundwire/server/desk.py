"""What a worker keeps between two requests, and how it reads a body."""

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import ValidationError

from groundwire import __version__
from groundwire.errors import InputError
from groundwire.ledger import hash_text
from groundwire.nli import NLIScorer
from groundwire.nli.shipped import load_model
from groundwire.server import problems
from groundwire.server.bodies import Body, SourceItem, as_sources
from groundwire.server.problems import Problem, ProblemError
from groundwire.server.settings import Settings
from groundwire.types import Source
from groundwire.verify import VerifiedScorer

if TYPE_CHECKING:
    from groundwire.retrieval import SQLiteBackend
    from groundwire.server.streams import OpenStream

B = TypeVar("B", bound=Body)
_SOURCE: Final = "The warranty lasts 24 months."
_PROBES: Final = {"The warranty lasts 24 months.": "supported", "The warranty lasts 36 months.": "contradicted"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back to the caller, and what is recorded of it; None records nothing."""

    status: int
    body: bytes
    record: dict[str, Any] | None = None
    headers: Mapping[str, str] | None = None


class Desk:
    """What a worker keeps between two requests."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        given = settings.model and settings.model_path
        self.nli = NLIScorer(model_path=given, strict=True) if given else load_model(not settings.model)
        self.scorer = VerifiedScorer(self.nli)
        self.stores: OrderedDict[str, SQLiteBackend] = OrderedDict()
        self.streams: dict[str, OpenStream] = {}

    def probe(self) -> None:
        """Refuse to work when a right or a wrong example is judged wrongly."""
        for response, expected in _PROBES.items():
            found = [claim.verdict for claim in self.scorer.verify(response, _SOURCE).claims]
            if found != [expected]:
                raise InputError(f"An example is judged {found}, not {expected}.", fix="run 'groundwire doctor'")


def where(error: BaseException) -> str:
    """Name an error by type and place, never by its message, which may hold a caller's text."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno}" if frames else "?"
    return f"{type(error).__name__} at {place}"


def dump(value: Any) -> bytes:
    """Write JSON in ASCII: unpaired surrogates survive, and no reader is driven by the text."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii")


def read_body(body: bytes, model: type[B], settings: Settings) -> B:
    """Read a body as one strict model, or say which field does not fit."""
    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=_no_twins, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise ProblemError(problems.malformed(f"Byte {error.start} is not UTF-8.")) from error
    except RecursionError as error:
        raise ProblemError(_too_deep(settings.max_depth)) from error
    except json.JSONDecodeError as error:
        raise ProblemError(problems.malformed(f"{error.msg} at character {error.pos}.")) from error
    except ValueError as error:
        raise ProblemError(problems.malformed("A number or a key of the body cannot be read.")) from error
    if not isinstance(value, dict):
        raise ProblemError(problems.malformed("The body is no object."))
    _check_shape(value, settings)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        listed = [
            {"pointer": "".join(f"/{step}" for step in item["loc"]), "detail": item["msg"]}
            for item in error.errors(include_url=False, include_context=False, include_input=False)[:20]
        ]
        raise ProblemError(problems.invalid(listed)) from error


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        # Two readers may take two different ones; neither may be ours.
        raise ProblemError(problems.malformed("A name stands twice in one object."))
    return made


def _no_constant(name: str) -> Any:
    raise ProblemError(problems.malformed(f"{name} is no JSON number."))


def _check_shape(value: Any, settings: Settings) -> None:
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > settings.max_depth:
            raise ProblemError(_too_deep(settings.max_depth))
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict | list):
                if len(item) > settings.max_items:
                    raise ProblemError(
                        problems.malformed(f"A list or object has more than {settings.max_items} items.")
                    )
                below.extend(item.values() if isinstance(item, dict) else item)
        level = [item for item in below if isinstance(item, dict | list)]


def _too_deep(limit: int) -> Problem:
    return problems.malformed(f"The body is nested deeper than {limit} levels.", "send a flatter object")


def texts_of(given: SourceItem | list[SourceItem]) -> list[str]:
    """Return the texts of sources."""
    found = as_sources(given)
    return [item.text if isinstance(item, Source) else item for item in (found if isinstance(found, list) else [found])]


def check_lengths(settings: Settings, response: str, texts: list[str]) -> None:
    """Refuse texts over the limits."""
    # Unlike verify these routes do not say of a cut text that it was cut, so nothing is cut.
    for name, size, limit in (
        ("response", len(response), settings.max_response_chars),
        ("sources", sum(map(len, texts)), settings.max_source_chars),
    ):
        if size > limit:
            raise ProblemError(
                Problem(
                    413,
                    "text-too-long",
                    "A text is too long",
                    f"The {name} together have {size} characters; the limit is {limit}.",
                    "send the part that matters",
                )
            )


def record_of(head: dict[str, Any], body: Body, response: str, texts: list[str]) -> dict[str, Any]:
    """Return what every record says of the texts: their hashes, and themselves only where the tenant wants it."""
    kept = {"texts": body.model_dump(mode="json")} if head.get("keep_text") else {}
    return {
        "version": __version__,
        "response_hash": hash_text(response),
        "source_hashes": [hash_text(text) for text in texts],
        **kept,
    }
