"""What every backend of a knowledge store offers."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from groundwire.errors import InputError, InputTypeError

# One text of a store is a passage, not a library; the ingestion cuts documents long before this.
MAX_TEXT = 1_000_000
MAX_ID = 1_000
TENANT = "tenant_id"
_DIVIDER = "\x1f"

Metadata = dict[str, Any]
Where = Mapping[str, Any]


class Hit(TypedDict):
    """One result of a query; a lower distance is closer."""

    id: str
    text: str
    distance: float
    metadata: Metadata


class VectorBackend(ABC):
    """Keep texts and find those nearest to a query."""

    # A backend that can filter says so; the stores sort the others' results themselves.
    filters: bool = False

    @abstractmethod
    def add(self, doc_id: str, text: str, metadata: Metadata | None = None) -> None:
        """Keep a text; an existing id is replaced."""

    @abstractmethod
    def query(self, text: str, n_results: int = 3, where: Where | None = None) -> list[Hit]:
        """Return the nearest texts, nearest first, whose metadata hold every value of `where`."""

    @abstractmethod
    def count(self, where: Where | None = None) -> int:
        """Count the texts."""

    def add_many(self, documents: Iterable[tuple[str, str, Metadata | None]]) -> None:
        """Keep many texts; a backend that can does so at once."""
        for doc_id, text, metadata in documents:
            self.add(doc_id, text, metadata)

    @property
    def revision(self) -> int:
        """Number the state of the content; every write raises it where the backend keeps count."""
        return 0

    def delete(self, doc_id: str) -> bool:
        """Remove a text and tell whether it was there and is gone; this default cannot remove any."""
        return False

    def close(self) -> None:
        """Let go of files and connections; this default holds none."""
        return None


def checked(doc_id: str, text: str, metadata: Metadata | None) -> Metadata:
    """Refuse what no backend can keep, and return the metadata as a copy of its own."""
    for name, value, limit in (("id", doc_id, MAX_ID), ("text", text, MAX_TEXT)):
        if not isinstance(value, str):
            raise InputTypeError(f"The {name} of a document is {type(value).__name__}, not text.", fix="give a str")
        if not value.strip():
            raise InputError(f"The {name} of a document is empty.", fix=f"give every document a {name}")
        if len(value) > limit:
            raise InputError(
                f"The {name} of a document is too long.",
                why=f"it has {len(value):,} characters and the limit is {limit:,}",
                fix="cut the document into passages: VectorGroundTruthStore.ingest does" if name == "text" else "",
            )
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError(
                f"The {name} of a document is no valid Unicode.",
                why=f"character {error.start} is half of a pair",
                fix="decode it with errors='replace'",
            ) from error
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping) or not all(isinstance(field, str) for field in metadata):
        raise InputTypeError("The metadata of a document are no mapping with text keys.", fix="give a dict")
    return dict(metadata)


def metadata_as_json(metadata: Metadata) -> str:
    """Write metadata for a backend that keeps text."""
    try:
        return json.dumps(metadata, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            "The metadata of a document cannot be written.", why=str(error), fix="use text, numbers, true, false, null"
        ) from error


def flat_values(metadata: Metadata) -> Metadata:
    """Keep what backends with flat metadata can filter on."""
    return {field: value for field, value in metadata.items() if isinstance(value, str | int | float | bool)}


def scoped_id(key: str, tenant: str) -> str:
    """Return the id under which a backend keeps a tenant's document, so that no two tenants' keys ever meet."""
    if not tenant and not key.startswith(_DIVIDER):
        return key
    # With its length in front, no name or key, however it is spelled, can pass for another's.
    return f"{_DIVIDER}{len(tenant)}{_DIVIDER}{tenant}{_DIVIDER}{key}"


def matches(metadata: Mapping[str, Any], where: Where | None) -> bool:
    """Tell whether metadata hold every value asked for."""
    return where is None or all(field in metadata and metadata[field] == value for field, value in where.items())


def query_where(backend: VectorBackend, text: str, n_results: int, where: Where | None) -> list[Hit]:
    """Ask any backend with a filter; one that cannot filter is asked for more until enough are left."""
    if not where:
        return backend.query(text, n_results)
    if backend.filters:
        return backend.query(text, n_results, where=where)
    total, wanted = backend.count(), 4 * n_results
    while n_results > 0:
        found = backend.query(text, min(wanted, total))
        kept = [hit for hit in found if matches(hit["metadata"], where)]
        if len(kept) >= n_results or wanted >= total:
            return kept[:n_results]
        wanted *= 4
    return []
