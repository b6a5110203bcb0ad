"""Stores of facts and the backends that search them."""

from groundwire.retrieval.base import Hit, VectorBackend
from groundwire.retrieval.memory import InMemoryBackend
from groundwire.retrieval.sqlite import SQLiteBackend
from groundwire.retrieval.store import GroundTruthStore, VectorGroundTruthStore

__all__ = ["GroundTruthStore", "Hit", "InMemoryBackend", "SQLiteBackend", "VectorBackend", "VectorGroundTruthStore"]
