"""Evidence selection: an index over source sentences."""

from groundwire.evidence.index import Evidence, SourceIndex

__all__ = ["Evidence", "SourceIndex"]
