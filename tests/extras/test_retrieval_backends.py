"""The contract, for the backends that need an extra: real packages, a real PostgreSQL, a stand-in of Pinecone."""

import os
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docs.run_blocks import ROOT, blocks
from groundwire.errors import InputError, ModelError
from groundwire.retrieval import (
    ChromaBackend,
    ColBERTBackend,
    DenseBackend,
    HybridBackend,
    PgVectorBackend,
    PineconeBackend,
    SentenceTransformerBackend,
    VectorBackend,
    VectorGroundTruthStore,
    wordllama_embed,
)
from tests.extras.pinecone_server import PineconeServer
from tests.retrieval.contract import FACTS, BackendContract

pytestmark = [
    pytest.mark.extras,
    # What these packages warn about on import is theirs.
    pytest.mark.filterwarnings("default::DeprecationWarning", "default::FutureWarning", "default::ResourceWarning"),
]


class TestChromaInProcess(BackendContract):
    @pytest.fixture
    def backend(self) -> VectorBackend:
        return ChromaBackend(collection=f"c{uuid.uuid4().hex}")


class TestChromaInAFolder(BackendContract):
    @pytest.fixture
    def backend(self, tmp_path: Path) -> VectorBackend:
        return ChromaBackend(tmp_path / "chroma")

    def test_what_was_added_is_there_after_opening_again(self, backend: VectorBackend, tmp_path: Path) -> None:
        self.filled(backend)
        again = ChromaBackend(tmp_path / "chroma")
        assert again.count() == len(FACTS)
        assert again.query(FACTS["refund"], 1)[0]["id"] == "refund"


class TestHybridOverChroma(BackendContract):
    @pytest.fixture
    def backend(self) -> VectorBackend:
        return HybridBackend(ChromaBackend(collection=f"c{uuid.uuid4().hex}"))


@pytest.fixture(scope="module")
def pinecone_server() -> Iterator[PineconeServer]:
    server = PineconeServer()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def pinecone_index(pinecone_server: PineconeServer) -> Iterator[Any]:
    from pinecone import Pinecone

    index = Pinecone(api_key="no key is needed here").Index(host=pinecone_server.url)
    yield index
    index.close()


class TestPinecone(BackendContract):
    @pytest.fixture
    def backend(self, pinecone_index: Any) -> VectorBackend:
        return PineconeBackend(pinecone_index, namespace=uuid.uuid4().hex)

    def test_k4_an_index_out_of_order_falls_back_to_keywords(
        self, pinecone_server: PineconeServer, pinecone_index: Any
    ) -> None:
        store = VectorGroundTruthStore(PineconeBackend(pinecone_index, namespace="broken"))
        store.add("refund", FACTS["refund"])
        assert store.count() == 1
        pinecone_server.broken = True
        try:
            with pytest.warns(RuntimeWarning, match="PineconeBackend failed"):
                assert store.retrieve_context("refunds") == FACTS["refund"]
        finally:
            pinecone_server.broken = False


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    # Not pytest's own folder: the server runs as another user when root runs the tests, and must get in.
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
        os.chmod(folder, 0o755)
        import pgserver

        server = pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        yield server.get_uri()
        server.cleanup()


class TestPgVector(BackendContract):
    @pytest.fixture
    def backend(self, postgres: str) -> Iterator[VectorBackend]:
        backend = PgVectorBackend(postgres, table=f"t{uuid.uuid4().hex}")
        yield backend
        backend.close()

    def test_a_second_connection_sees_what_the_first_one_wrote(self, postgres: str) -> None:
        first = PgVectorBackend(postgres, table="shared")
        second = PgVectorBackend(postgres, table="shared")
        before = second.revision
        self.filled(first)
        assert second.count() == len(FACTS)
        assert second.revision == before + len(FACTS)
        first.close()
        second.close()

    def test_another_embedding_is_refused(self, postgres: str) -> None:
        PgVectorBackend(postgres, table="wide").close()
        with pytest.raises(InputError, match="holds vectors of 256"):
            PgVectorBackend(postgres, table="wide", embed=lambda texts: [[1.0, 2.0]] * len(texts))  # type: ignore[arg-type, return-value]

    def test_a_table_name_that_is_no_name_is_refused(self, postgres: str) -> None:
        with pytest.raises(InputError, match="cannot name a table"):
            PgVectorBackend(postgres, table="x; DROP TABLE y")

    def test_a_server_that_is_not_there_is_said_without_the_password(self) -> None:
        with pytest.raises(InputError, match="cannot be reached") as caught:
            PgVectorBackend("postgresql://user:secret@127.0.0.1:9/none?connect_timeout=2")
        assert "secret" not in str(caught.value)


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a sentence-transformers model over the words of the contract, so that nothing is downloaded."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.normalizers import Lowercase
    from tokenizers.pre_tokenizers import Whitespace

    texts = [
        *FACTS.values(),
        "退款将在三十天内支付。 🎉 “ ” soon? x'); drop documents;-- never tickets rival 90 how long is",
    ]
    words = [word for text in texts for word, _ in Whitespace().pre_tokenize_str(text.lower())]
    vocabulary = {word: place for place, word in enumerate(["[UNK]", *dict.fromkeys(words)])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = Lowercase(), Whitespace()
    folder = tmp_path_factory.mktemp("model")
    weights = np.random.default_rng(5).random((len(vocabulary), 256)).astype(np.float32) ** 4
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_weights=weights)], device="cpu").save(str(folder))
    return folder


class TestSentenceTransformer(BackendContract):
    @pytest.fixture
    def backend(self, tiny_model: Path) -> VectorBackend:
        return SentenceTransformerBackend(tiny_model)

    def test_a_model_that_is_not_here_is_not_downloaded(self) -> None:
        with pytest.raises(ModelError, match="nothing is downloaded"):
            SentenceTransformerBackend("sentence-transformers/all-MiniLM-L6-v2")


class TestDenseWithWordLlama(BackendContract):
    @pytest.fixture
    def backend(self) -> VectorBackend:
        return DenseBackend(wordllama_embed())


class TestColBERTWithTheUsersEncoder(BackendContract):
    @pytest.fixture
    def backend(self, tiny_model: Path) -> VectorBackend:
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(str(tiny_model), local_files_only=True)
        return ColBERTBackend(lambda text: model.encode(text.split(), show_progress_bar=False))


def test_the_examples_of_the_page_that_need_an_extra_run(
    postgres: str, pinecone_index: Any, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "guide" / "knowledge.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    shown: list[str] = []
    namespace: dict[str, Any] = {
        "dsn": postgres,
        "index": pinecone_index,
        "model_folder": tiny_model,
        "print": lambda *words: shown.append(str(words[0])),
    }
    examples = [block.code for block in blocks(page) if block.language == "py"]
    setup = next(block.code for block in blocks(page) if "def show(" in block.code)
    for code in [setup, "from groundwire.retrieval import DenseBackend", *examples]:
        exec(code, namespace)
    assert shown == ["refund"] * (1 + len(examples))
