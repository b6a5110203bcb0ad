"""Backends by name, for configuration files and command lines."""

from typing import Any

from groundwire.errors import InputError, InputTypeError
from groundwire.retrieval.base import VectorBackend
from groundwire.retrieval.chroma import ChromaBackend
from groundwire.retrieval.colbert import ColBERTBackend
from groundwire.retrieval.dense import DenseBackend, SentenceTransformerBackend
from groundwire.retrieval.hybrid import HybridBackend
from groundwire.retrieval.memory import InMemoryBackend
from groundwire.retrieval.pgvector import PgVectorBackend
from groundwire.retrieval.pinecone import PineconeBackend
from groundwire.retrieval.reranked import RerankedBackend
from groundwire.retrieval.sqlite import SQLiteBackend

BACKENDS: dict[str, type[VectorBackend]] = {
    "memory": InMemoryBackend,
    "dense": DenseBackend,
    "hybrid": HybridBackend,
    "sqlite": SQLiteBackend,
    "sentence-transformer": SentenceTransformerBackend,
    "chroma": ChromaBackend,
    "colbert": ColBERTBackend,
    "pinecone": PineconeBackend,
    "pgvector": PgVectorBackend,
    "reranked": RerankedBackend,
}


def make_backend(name: str, *arguments: Any, **options: Any) -> VectorBackend:
    """Build the backend of this name; an unknown one lists the known."""
    if name not in BACKENDS:
        raise InputError(f"There is no backend {name!r}.", fix=f"choose from {', '.join(BACKENDS)}")
    try:
        return BACKENDS[name](*arguments, **options)
    except TypeError as error:
        if isinstance(error, InputTypeError):
            raise
        raise InputTypeError(f"The backend {name!r} cannot be built.", why=str(error), fix="see its options") from error
