"""The loader of the embedded model, on a tiny model in its file format."""

import json
import multiprocessing
import os
import subprocess
import sys
import threading
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from groundwire import NLIScorer
from groundwire.errors import GroundwireError, InputError, IntegrityError, ModelError
from groundwire.nli import embedded, runtime
from groundwire.nli.embedded import EmbeddedModel
from tests.nli.tiny import overlap_model, tokenizer, write_classifier, write_embedded

PREMISE = "Paris is the capital of France."
PAIRS = [(PREMISE, "Paris is the capital of France."), (PREMISE, "Berlin is in Germany.")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_embedded(tmp_path / "model")


def spans(folder: Path, premise: str, hypothesis: str) -> list[str]:
    reading = EmbeddedModel(folder).read([(premise, hypothesis)])[0]
    assert all(0.5 <= doubt <= 1.0 for _, _, doubt in reading.spans)
    return [hypothesis[start:end] for start, end, _ in reading.spans]


def test_unsupported_words_are_marked_whole_and_joined(folder: Path) -> None:
    assert spans(folder, PREMISE, "Paris is the capital of France.") == []
    assert spans(folder, PREMISE, "Berlin is the capital of France.") == ["Berlin"]
    assert spans(folder, PREMISE, "Paris is the capital of Outer Mongolia.") == ["Outer Mongolia"]


def test_a_number_is_marked_from_its_first_to_its_last_digit(folder: Path) -> None:
    # Only a few of the digits are missing in the premise; the number is wrong as a whole.
    assert spans(folder, "the city of 1,250 in France", "the city of 1,259 in France") == ["1,259"]


def test_spans_are_places_in_the_original_text(folder: Path) -> None:
    # Accents are stripped and letters lower-cased before the model sees them.
    assert spans(folder, "É is in Paris", "É is in  ZÜRICH .") == ["ZÜRICH"]


def test_the_threshold_for_spans_is_that_of_the_model(tmp_path: Path) -> None:
    strict = write_embedded(tmp_path / "strict", span_threshold=0.999)
    assert EmbeddedModel(strict).read([(PREMISE, "Berlin is old.")])[0].spans == ()


def test_temperature_and_order_of_labels_are_those_of_the_model(tmp_path: Path) -> None:
    plain = NLIScorer(model_path=write_embedded(tmp_path / "plain")).probabilities(PAIRS)
    warm = NLIScorer(model_path=write_embedded(tmp_path / "warm", temperature=4.0)).probabilities(PAIRS)
    turned = NLIScorer(
        model_path=write_embedded(tmp_path / "turned", labels=["contradiction", "neutral", "entailment"])
    ).probabilities(PAIRS)
    assert plain[0].entailment > warm[0].entailment > 0.5
    assert turned[0].contradiction == plain[0].entailment


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_answers_do_not_depend_on_the_batch(folder: Path, size: int) -> None:
    texts = ["Paris", "Paris is the capital", "Berlin in a city", "the city of France is not in Germany", "x"]
    pairs = [(one, two) for one in texts for two in texts]
    whole = EmbeddedModel(folder, batch_size=32).read(pairs)
    for one, two in zip(whole, EmbeddedModel(folder, batch_size=size).read(pairs), strict=True):
        assert one.entailment == pytest.approx(two.entailment, abs=1e-6)
        assert [span[:2] for span in one.spans] == [span[:2] for span in two.spans]


def test_like_lengths_share_a_batch() -> None:
    lengths = [90, 10, 50, 11, 91, 49]
    assert list(runtime.batches(lengths, 2)) == [[1, 3], [5, 2], [0, 4]]
    assert list(runtime.batches([], 2)) == []


def test_the_premise_is_cut_before_the_hypothesis(folder: Path) -> None:
    reading = EmbeddedModel(folder).read([("city " * 500, "Paris is in France")])[0]
    assert reading.truncated
    assert [span[:2] for span in reading.spans] == [(0, 18)]
    whole = EmbeddedModel(folder).read([("city " * 20, "Paris is in France")])[0]
    assert not whole.truncated


def test_a_long_hypothesis_is_read_to_its_end(folder: Path) -> None:
    hypothesis = "Paris is the capital of France " * 12 + "Berlin"
    reading = EmbeddedModel(folder).read([(PREMISE, hypothesis)])[0]
    assert [hypothesis[start:end] for start, end, _ in reading.spans] == ["Berlin"]
    assert not reading.truncated


def test_what_was_not_read_is_never_entailed(folder: Path) -> None:
    hypothesis = "Paris is the capital of France " * 200
    reading = EmbeddedModel(folder).read([(PREMISE, hypothesis)])[0]
    assert reading.truncated
    assert reading.entailment.entailment == 0.0
    assert sum(reading.entailment) == pytest.approx(1.0)


def test_tokens_are_counted_as_the_model_counts_them(folder: Path) -> None:
    model = EmbeddedModel(folder)
    assert model.count_tokens("") == 0
    assert model.count_tokens("Paris is the capital of France.") == 7
    assert model.count_tokens("zx") == 2
    assert model.max_tokens == 64


def test_one_session_serves_all_scorers_of_a_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    real = runtime.open_session

    def counted(model: Any, threads: int, name: str) -> Any:
        opened.append(name)
        return real(model, threads, name)

    monkeypatch.setattr(embedded, "open_session", counted)
    scorers = [NLIScorer(model_path=folder) for _ in range(8)]
    assert opened == []
    start = threading.Barrier(8)
    found: list[Any] = []

    def ask(scorer: NLIScorer) -> None:
        start.wait()
        found.append(scorer.probabilities(PAIRS * 20))

    threads = [threading.Thread(target=ask, args=(scorer,)) for scorer in scorers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 1
    assert len(found) == 8
    assert all(answer == found[0] for answer in found)


def score_there(folder: Path, answers: Any) -> None:
    answers.put(NLIScorer(model_path=folder).score_batch(PAIRS))


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_new_process_loads_its_own_model(folder: Path, method: str) -> None:
    context: Any = multiprocessing.get_context(method)
    here = NLIScorer(model_path=folder).score_batch(PAIRS)
    answers = context.Queue()
    process = context.Process(target=score_there, args=(folder, answers))
    process.start()
    assert answers.get(timeout=60) == here
    process.join(60)
    assert process.exitcode == 0


FORK = """
import os, sys
from groundwire import NLIScorer
scorer = NLIScorer(model_path=sys.argv[1])
pairs = [("Paris is in France", "Paris is in Germany")] * 40
before = scorer.score_batch(pairs)
child = os.fork()
if child == 0:
    same = scorer.score_batch(pairs) == before
    sys.stdout.write("child " + str(same) + "\\n")
    sys.stdout.flush()
    sys.exit(0)
_, status = os.waitpid(child, 0)
print("parent", scorer.score_batch(pairs) == before, status)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_neither_hangs_nor_warns(folder: Path) -> None:
    command = [sys.executable, "-c", FORK, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split("\n")[:2] == ["child True", "parent True 0"]
    assert done.stderr == ""


QUIET = """
import sys
seen = []
sys.addaudithook(lambda event, arguments: seen.append(event) if event.startswith("socket.") else None)
from groundwire import NLIScorer
scorer = NLIScorer(model_path=sys.argv[1])
assert "onnxruntime" not in sys.modules and "numpy" not in sys.modules and "tokenizers" not in sys.modules
import os
before = dict(os.environ)
scorer.score("Paris is in France", "Paris is in Germany")
assert dict(os.environ) == before
assert seen == [], seen
"""


def test_loading_and_scoring_print_nothing_and_open_no_socket(folder: Path) -> None:
    command = [sys.executable, "-c", QUIET, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_one_changed_byte_is_found_at_load(folder: Path, name: str) -> None:
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / name).write_bytes(data)
    scorer = NLIScorer(model_path=folder)
    with pytest.raises(IntegrityError, match=name.replace(".", r"\.")) as caught:
        scorer.score("a", "b")
    assert "Do this: copy the folder again" in str(caught.value)
    assert not scorer.model_available


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "model.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelError, match=name.replace(".", r"\.")):
        NLIScorer(model_path=folder).score("a", "b")


def test_a_damaged_installation_says_to_install_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_embedded(tmp_path / "shipped")
    (folder / "model.onnx").write_bytes(b"short")
    monkeypatch.setattr(embedded, "shipped_folder", lambda: folder)
    with pytest.raises(IntegrityError, match="pip install --force-reinstall groundwire"):
        NLIScorer().score("a", "b")


@pytest.mark.parametrize(
    "changes",
    [
        {"format": 2}, {"format": "1"}, {"format": None}, {"id": 5}, {"files": {}}, {"files": None},
        {"max_tokens": 3}, {"max_tokens": "64"}, {"max_tokens": 10**9}, {"labels": ["yes", "no"]}, {"labels": None},
        {"temperature": 0}, {"temperature": float("nan")}, {"temperature": "1"}, {"span_threshold": 2},
    ],
)  # fmt: skip
def test_a_manifest_that_makes_no_sense_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match=r"model\.json"):
        NLIScorer(model_path=write_embedded(tmp_path, **changes)).score("a", "b")


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff\xfe", b"{" * 10_000])
def test_a_manifest_that_is_no_object_is_refused(folder: Path, content: bytes) -> None:
    (folder / "model.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"model\.json"):
        NLIScorer(model_path=folder).score("a", "b")


def test_a_path_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no model", encoding="utf-8")
    for path in (tmp_path, tmp_path / "nowhere", tmp_path / "file", "", "\0"):
        with pytest.raises(GroundwireError, match="not a model folder"):
            NLIScorer(model_path=path).score("a", "b")


def test_a_file_with_the_right_hash_that_is_no_model_is_refused(tmp_path: Path) -> None:
    from groundwire.ledger import sha256_hex

    for name, other in (("model.onnx", "tokenizer.json"), ("tokenizer.json", "model.onnx")):
        folder = write_embedded(tmp_path / name)
        (folder / name).write_bytes(b"not a model")
        manifest = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        manifest["files"][name] = sha256_hex(b"not a model")
        (folder / "model.json").write_text(json.dumps(manifest), encoding="utf-8")
        with pytest.raises(ModelError, match=name.replace(".", r"\.")) as caught:
            NLIScorer(model_path=folder).score("a", "b")
        assert other not in str(caught.value)


def test_a_model_without_a_token_head_is_sent_to_the_other_backend(tmp_path: Path) -> None:
    from groundwire.ledger import sha256_hex

    data = overlap_model(token_head=False)
    hashes = {"model.onnx": sha256_hex(data), "tokenizer.json": sha256_hex(tokenizer().to_str().encode())}
    folder = write_embedded(tmp_path, files=hashes)
    (folder / "model.onnx").write_bytes(data)
    with pytest.raises(ModelError, match=r"no token_logits.*'onnx'"):
        NLIScorer(model_path=folder).score("a", "b")
    assert NLIScorer("onnx", folder).score(PREMISE, PREMISE) < 0.1


@pytest.mark.parametrize("options", [{"batch_size": 0}, {"batch_size": True}, {"intra_op_num_threads": "2"}])
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(options))):
        NLIScorer(**options)


def test_the_hash_covers_all_files(tmp_path: Path) -> None:
    one = NLIScorer(model_path=write_embedded(tmp_path / "one")).model_info
    two = NLIScorer(model_path=write_embedded(tmp_path / "two")).model_info
    three = NLIScorer(model_path=write_embedded(tmp_path / "three", temperature=2.0)).model_info
    assert one == two
    assert one.id == "tiny-embedded"
    assert len(one.hash) == 64
    assert three.hash != one.hash


def test_a_classifier_of_another_kind_is_no_embedded_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not a model folder"):
        NLIScorer(model_path=write_classifier(tmp_path)).score("a", "b")


def test_the_runtime_is_a_release_without_telemetry() -> None:
    # From 1.29 on the POSIX builds hold a client that uploads events, and start its thread on import.
    release = tuple(int(part) for part in version("onnxruntime").split(".")[:2])
    assert release < (1, 29)
