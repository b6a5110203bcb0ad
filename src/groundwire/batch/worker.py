"""Check one block in one process: one index a source, the model's batches made of many rows."""

import gc
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from groundwire.batch.blocks import Block
from groundwire.batch.rows import BadRow, Columns, Row, to_row
from groundwire.errors import GroundwireError, IntegrityError, ModelError
from groundwire.types import ClaimVerdict, ModelInfo, Policy, Source, VerificationResult
from groundwire.verify import PreparedSource, VerifiedScorer

# What a row leaves behind goes away with its last reference; looking for circles after every 700 objects, as Python
# does, took a twelfth of the time and found none.
_OBJECTS_BETWEEN_COLLECTIONS = 50_000


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which model a worker loads; `path` is the folder of one that is not shipped."""

    backend: str = "embedded"
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """Everything a worker must know, in a form that travels to another process."""

    policy: Policy = field(default_factory=Policy)
    model: ModelChoice | None = None
    columns: Columns = field(default_factory=Columns)
    atomic: bool = False
    top_k: int = 1


@dataclass(frozen=True, slots=True)
class Checked:
    """A finished block: its rows and its bad rows as JSON lines."""

    block: int
    rows: bytes
    bad: bytes
    row_count: int
    bad_count: int


class Worker:
    """Hold what is loaded once in a process, and check block after block with it."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.scorer = VerifiedScorer(None if task.model is None else _load(task.model))

    @property
    def model(self) -> ModelInfo | None:
        """Name the model that takes part."""
        return self.scorer.model

    def check(self, block: Block) -> Checked:
        """Check every row of a block; a row that cannot be checked is told, and stops nothing."""
        with rare_collections():
            return self._check(block)

    def _check(self, block: Block) -> Checked:
        found = [to_row(record, self.task.columns) for record in block.records]
        entries: list[dict[str, Any] | BadRow | None] = [row if isinstance(row, BadRow) else None for row in found]
        for places in _by_source(found):
            rows = [row for place in places if isinstance(row := found[place], Row)]
            for place, entry in zip(places, self._check_group(rows), strict=True):
                entries[place] = entry
        good = [entry for entry in entries if isinstance(entry, dict)]
        bad = [{"line": entry.line, "why": entry.why} for entry in entries if isinstance(entry, BadRow)]
        return Checked(block.number, _lines(good), _lines(bad), len(good), len(bad))

    def _check_group(self, rows: Sequence[Row]) -> Iterator[dict[str, Any] | BadRow]:
        """Check rows with one source, which is indexed once.

        The model is asked row by row. More pairs at a time are no faster on one core, and a quantised model weighs
        a pair by its neighbours in the batch: a row must not depend on which others the file holds.
        """
        task = self.task
        prepared: PreparedSource | None = None
        for row in rows:
            try:
                prepared = prepared or self.scorer.prepare(row.source, policy=task.policy)
                result = self.scorer.verify(
                    row.response, prepared, task.atomic, task.top_k, question=row.question, policy=task.policy
                )
            except (ModelError, IntegrityError):
                raise  # no fault of the row: the next one would fail too
            except GroundwireError as error:
                yield BadRow(row.line, error.what)
            except Exception as error:  # the edge: one row of a million must not end the run, nor pass unseen
                yield BadRow(row.line, f"cannot be checked, {type(error).__name__}")
            else:
                yield output_row(row, result)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Let the garbage collector look less often, as long as blocks are checked."""
    before = gc.get_threshold()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def refused(block: Block, why: str) -> Checked:
    """Return a block of which no row could be checked."""
    bad = _lines({"line": record.line, "why": why} for record in block.records)
    return Checked(block.number, b"", bad, 0, len(block.records))


def output_row(row: Row, result: VerificationResult) -> dict[str, Any]:
    """Return what is written for one row, JSON types only; nothing in it depends on time or machine."""
    plain = result.to_dict()
    return {
        "line": row.line,
        "id": row.id,
        "source_id": row.source_id,
        "label": row.label,
        "approved": result.approved,
        "grounded": result.grounded,
        "support_probability": plain["support_probability"],
        "overall_score": plain["overall_score"],
        "coverage": plain["coverage"],
        "confidence": result.confidence,
        "status": plain["status"],
        "supported": result.supported_count,
        "contradicted": result.contradicted_count,
        "fabricated": result.fabricated_count,
        "unverifiable": result.unverifiable_count,
        "claims": [_claim(claim, entry) for claim, entry in zip(result.claims, plain["claims"], strict=True)],
        "policy_hash": result.policy_hash,
    }


def _claim(claim: ClaimVerdict, plain: dict[str, Any]) -> dict[str, Any]:
    return {
        "text": claim.claim,
        "start": claim.start,
        "end": claim.end,
        "verdict": plain["verdict"],
        "confidence": plain["confidence"],
        "support_probability": plain["support_probability"],
        "grounded": claim.grounded,
        "reasons": plain["reasons"],
        "unsupported_spans": [{"start": start, "end": end} for start, end in claim.unsupported_spans],
        "evidence": [
            {"source_id": span.source_id, "start": span.start, "end": span.end, "text": span.text}
            for span in claim.evidence_spans
        ],
    }


def _lines(entries: Iterable[dict[str, Any]]) -> bytes:
    # ASCII: an unpaired surrogate of a hostile text survives as an escape.
    return b"".join(
        json.dumps(entry, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"
        for entry in entries
    )


def _by_source(found: Sequence[Row | BadRow]) -> list[list[int]]:
    """Group the places of rows with equal sources, in the order in which the sources come."""
    groups: dict[str | tuple[Source, ...], list[int]] = {}
    for place, row in enumerate(found):
        if isinstance(row, Row):
            groups.setdefault(row.source, []).append(place)
    return list(groups.values())


def _load(model: ModelChoice) -> Any:
    from groundwire.nli import NLIScorer

    # One thread a process: the processes share the cores, and the sums are the same on every machine.
    scorer = NLIScorer(model.backend, model.path, strict=True, intra_op_num_threads=1)
    _ = scorer.model_info  # loads it: what cannot be loaded is found before the first row
    return scorer
