"""Stores of facts and the backends that search them."""

from groundwire.retrieval.base import Hit, VectorBackend
from groundwire.retrieval.chroma import ChromaBackend
from groundwire.retrieval.colbert import ColBERTBackend
from groundwire.retrieval.dense import DenseBackend, SentenceTransformerBackend
from groundwire.retrieval.embedding import static_embed, wordllama_embed
from groundwire.retrieval.hybrid import HybridBackend
from groundwire.retrieval.memory import InMemoryBackend
from groundwire.retrieval.named import make_backend
from groundwire.retrieval.pgvector import PgVectorBackend
from groundwire.retrieval.pinecone import PineconeBackend
from groundwire.retrieval.reranked import RerankedBackend
from groundwire.retrieval.sqlite import SQLiteBackend
from groundwire.retrieval.store import GroundTruthStore, VectorGroundTruthStore

__all__ = [
    "ChromaBackend",
    "ColBERTBackend",
    "DenseBackend",
    "GroundTruthStore",
    "Hit",
    "HybridBackend",
    "InMemoryBackend",
    "PgVectorBackend",
    "PineconeBackend",
    "RerankedBackend",
    "SQLiteBackend",
    "SentenceTransformerBackend",
    "VectorBackend",
    "VectorGroundTruthStore",
    "make_backend",
    "static_embed",
    "wordllama_embed",
]
