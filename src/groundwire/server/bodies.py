"""What the routes take: strict models that refuse unknown fields; the OpenAPI document is made from them."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from groundwire.audit import ANSWER_MODES
from groundwire.coherence import PRESETS
from groundwire.stream import StreamMode
from groundwire.types import Source


class Body(BaseModel):
    """One JSON object of a request."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SourceBody(Body):
    """A source with a name of its own."""

    id: str
    text: str
    title: str = ""
    url: str = ""

    def to_source(self) -> Source:
        """Return the source of the library."""
        return Source(self.id, self.text, self.title, self.url)


SourceItem = str | SourceBody


class VerifyBody(Body):
    """A response and what it is checked against."""

    prompt: Annotated[str | None, Field(description="Accepted and not used for the verdict.")] = None
    response: Annotated[str, Field(description="The text to check.")]
    source: Annotated[SourceItem | list[SourceItem], Field(description="One source or several.")]
    atomic: Annotated[bool, Field(description="Split compound sentences before matching.")] = False
    evidence_top_k: Annotated[int, Field(ge=0, le=100, description="Source spans attached to each claim.")] = 3
    question: Annotated[str | None, Field(description="Completes short answers such as '30 days.'.")] = None
    policy: Annotated[dict[str, Any] | None, Field(description="Fields of a policy that differ from the default.")] = (
        None
    )


class EvidenceBody(Body):
    """One numbered entry of an evidence map."""

    pointer_id: Annotated[str, Field(min_length=1)]
    span: Annotated[str, Field(min_length=1)]
    evidence_id: str = ""
    title: str = ""
    source_role: str = "unclassified"
    source_root: str = ""


class AuditBody(Body):
    """An answer to audit word for word."""

    response: str
    mode: Annotated[
        str | None, Field(description="How the answer cites.", json_schema_extra={"enum": [*ANSWER_MODES, None]})
    ] = None
    source: Annotated[SourceItem | list[SourceItem] | None, Field(description="The context of the mode 'quote'.")] = (
        None
    )
    evidence_map: Annotated[list[EvidenceBody] | None, Field(description="Numbered evidence of the other modes.")] = (
        None
    )
    question: str | None = None
    policy: dict[str, Any] | None = None


class DocumentBody(Body):
    """A document that may be cited."""

    text: Annotated[str, Field(pattern=r"\S")]
    id: str | None = None
    title: str = ""
    role: str = "unclassified"
    url: str = ""
    authors: list[str] = []
    year: int | None = None


class CiteBody(Body):
    """An answer whose citations are followed; the first document is [1]."""

    response: str
    documents: Annotated[list[DocumentBody], Field(min_length=1)]
    question: str | None = None
    policy: dict[str, Any] | None = None


class InjectionBody(Body):
    """Texts in which injected instructions are looked for."""

    response: Annotated[str, Field(description="The response; may be empty when only documents are scanned.")]
    intent: str = ""
    user_query: str = ""
    system_prompt: str = ""
    documents: list[SourceItem] = []
    threshold: Annotated[float | None, Field(ge=0, le=1, description="Score from which it counts as found.")] = None


def as_sources(given: SourceItem | list[SourceItem]) -> str | Source | list[str | Source]:
    """Return sources in the form the library takes."""
    if isinstance(given, list):
        return [item.to_source() if isinstance(item, SourceBody) else item for item in given]
    return given.to_source() if isinstance(given, SourceBody) else given


class ReviewOptions(Body):
    """How answers are reviewed."""

    facts: Annotated[
        list[str] | None, Field(description="Facts of this request alone; the tenant's knowledge without them.")
    ] = None
    preset: Annotated[str, Field(json_schema_extra={"enum": sorted(PRESETS)})] = "default"
    threshold: Annotated[float, Field(ge=0, le=1, description="Score from which an answer is approved.")] = 0.5
    top_k: Annotated[int, Field(ge=1, le=100, description="Facts looked up per text.")] = 3
    scan: Annotated[bool, Field(description="Also look for injected instructions.")] = False
    policy: dict[str, Any] | None = None


class ReviewBody(ReviewOptions):
    """One answer to review."""

    prompt: str
    response: str


class PairBody(Body):
    """A prompt with its answer."""

    prompt: str
    response: str


class BatchBody(ReviewOptions):
    """Answers to review together."""

    items: Annotated[list[PairBody], Field(min_length=1)]


class DocumentTextBody(Body):
    """A document to keep."""

    text: Annotated[str, Field(pattern=r"\S")]


class SearchBody(Body):
    """What to look for in the knowledge."""

    query: Annotated[str, Field(pattern=r"\S")]
    top_k: Annotated[int, Field(ge=1, le=100)] = 3


class StreamBody(Body):
    """What a stream is checked against; `tokens` carries a whole answer, a WebSocket sends them later."""

    source: SourceItem | list[SourceItem]
    mode: Annotated[str, Field(json_schema_extra={"enum": [str(mode) for mode in StreamMode]})] = "hold_sentence"
    question: str | None = None
    halt: Annotated[bool, Field(description="Stop at the first rejected claim.")] = True
    min_certainty: Annotated[float, Field(ge=0, le=1)] = 0.0
    policy: dict[str, Any] | None = None
    tokens: Annotated[list[str] | None, Field(description="The answer in pieces; needed without a WebSocket.")] = None


class FeedBody(Body):
    """The next pieces of an answer, or its end."""

    tokens: list[str] = []
    end: bool = False
    start: int = 0
    upto: int | None = None


class RowBody(Body):
    """One row of a job."""

    response: str
    source: str
    id: str | None = None
    question: str | None = None


class JobBody(Body):
    """Rows to check in the background."""

    rows: Annotated[list[RowBody], Field(min_length=1)]
    atomic: bool = False
    policy: dict[str, Any] | None = None
