"""Check files of responses: in blocks, with several processes, and so that a kill costs nothing."""

from groundwire.batch.rows import Columns, parse_columns
from groundwire.batch.run import BatchOptions, BatchSummary, Engine, Existing, run_batch
from groundwire.batch.worker import ModelChoice, Task

__all__ = [
    "BatchOptions",
    "BatchSummary",
    "Columns",
    "Engine",
    "Existing",
    "ModelChoice",
    "Task",
    "parse_columns",
    "run_batch",
]
