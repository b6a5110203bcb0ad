"""The evidence packet: nobody can publish a figure for the model that was not measured."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from groundwire.ledger import sha256_hex
from training import packet as packets
from training.__main__ import main as training
from training.manifest import write_manifest
from training.packet import PACKET, SECTIONS, Packet, Section, Status
from training.validate import check

ROOT = Path(__file__).parents[2]


class Project:
    """A small project with everything a recorded packet needs."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.artefacts = folder / "artefacts"
        self.packet = self.root / "evidence_packet.toml"
        self.onnx = self.put("models/model.onnx", "weights")
        self.card = self.put("models/MODEL_CARD.md", "a card")
        self.review = self.put("training/CLAIM_REVIEW.md", "reviewed")
        self.readme = self.put("README.md", "# Project\n\nNothing is claimed.\n")
        self.student = self.model("student")
        self.teacher = self.model("teacher")
        self.result = self.put("benchmarks/results/heldout.json", json.dumps(self.figures()))
        empty = Packet("nli-lite", ("nli-lite", "embedded model"), "no claim", {name: Section() for name in SECTIONS})
        self.packet.write_text(packets.dump(empty), encoding="utf-8")

    def put(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def model(self, name: str) -> Path:
        folder = self.artefacts / name
        folder.mkdir(parents=True)
        (folder / "model.safetensors").write_text(f"weights of the {name}", encoding="utf-8")
        write_manifest(folder, step="train", seed=1, rows={"ours": 3}, parameters={"total": 7}, device="cpu")
        return folder

    def figures(self, **changes: Any) -> dict[str, Any]:
        return {
            "rows": 200,
            "balanced_accuracy": 0.7312,
            "threshold": 0.5,
            "auc": 0.8341,
            "calibration_error": 0.0412,
            "heldout": {"file": "heldout.jsonl", "sha256": "ab" * 32},
            "latency_ms": {"p50": 11.4, "p95": 19.2, "p99": 25.0},
            "model_files": {"model.onnx": sha256_hex(b"weights")},
            **changes,
        }

    def record(self, *extra: str) -> int:
        return training(
            [
                "record", "--packet", str(self.packet), "--root", str(self.root), "--artefacts", str(self.artefacts),
                "--student", str(self.student), "--teacher", str(self.teacher), "--onnx", str(self.onnx),
                "--model-card", str(self.card), "--claim-review", str(self.review), "--eval-result", str(self.result),
                *extra,
            ]
        )  # fmt: skip

    def validate(self, *extra: str) -> int:
        return training(["validate", "--packet", str(self.packet), "--root", str(self.root), *extra])


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


REQUIRE = "--require-recorded-evidence"


def test_the_packet_of_this_project_is_valid() -> None:
    """CI: hashes fit and README and docs claim nothing that no recorded result carries."""
    assert check(PACKET, ROOT) == []


def test_the_packet_of_this_project_is_written_as_the_recorder_writes_it() -> None:
    assert PACKET.read_text(encoding="utf-8") == packets.dump(packets.load(PACKET))


def test_c16_an_all_pending_packet_is_accepted(project: Project) -> None:
    assert project.validate() == 0


def test_c16_pending_evidence_is_refused_when_recorded_evidence_is_required(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert project.validate(REQUIRE) == 1
    said = capsys.readouterr().err
    for name in SECTIONS:
        assert f"not valid: {name}: the evidence is pending" in said


def test_a_recorded_packet_satisfies_the_requirement(project: Project) -> None:
    assert project.record(REQUIRE) == 0
    assert project.validate(REQUIRE) == 0
    assert project.validate(REQUIRE, "--artefacts", str(project.artefacts)) == 0
    sections = packets.load(project.packet).sections
    assert {section.status for section in sections.values()} == {Status.RECORDED}
    assert sections["heldout_evaluation"].values["balanced_accuracy"] == 0.7312
    assert sections["quantised_latency"].values == {"p50_ms": 11.4, "p95_ms": 19.2, "p99_ms": 25.0}
    assert [file.external for file in sections["student"].files] == [True, False]


def test_a_validated_section_counts_as_recorded(project: Project) -> None:
    project.record()
    packet = packets.load(project.packet)
    sections = {name: replace(section, status=Status.VALIDATED) for name, section in packet.sections.items()}
    project.packet.write_text(packets.dump(replace(packet, sections=sections)), encoding="utf-8")
    assert project.validate(REQUIRE) == 0


@pytest.mark.parametrize("name", ["onnx", "card", "review", "result"])
def test_c17_one_changed_byte_of_an_artefact_makes_validation_fail(
    project: Project, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    project.record()
    path: Path = getattr(project, name)
    data = bytearray(path.read_bytes())
    data[0] ^= 1
    path.write_bytes(data)
    capsys.readouterr()
    for require in ((), (REQUIRE,)):
        assert project.validate(*require) == 1
        assert f"{path.name} has the hash" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["student", "teacher"])
def test_c17_a_changed_byte_outside_the_project_is_found_where_the_files_are(project: Project, name: str) -> None:
    project.record()
    (project.artefacts / name / "model.safetensors").write_text("other", encoding="utf-8")
    assert project.validate(REQUIRE) == 0  # on a machine without them only the manifest can be checked
    assert project.validate(REQUIRE, "--artefacts", str(project.artefacts)) == 1


def test_c17_a_changed_manifest_makes_validation_fail(project: Project) -> None:
    project.record()
    manifest = project.root / "training" / "runs" / "student" / "training_run_manifest.json"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace('"seed": 1', '"seed": 2'), encoding="utf-8")
    assert project.validate() == 1


def test_an_external_file_that_no_manifest_carries_is_refused(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    (project.student / "training_run_manifest.json").unlink()
    assert project.record() == 0  # here the file itself is at hand
    assert project.validate() == 1
    assert "no manifest in the project carries its hash" in capsys.readouterr().err


def test_a_missing_artefact_makes_validation_fail(project: Project) -> None:
    project.record()
    project.onnx.unlink()
    assert project.validate() == 1


def test_c18_the_recorder_leaves_the_old_packet_untouched_when_validation_fails(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    before = project.packet.read_bytes()
    project.readme.write_text("The embedded model has an AUC of 0.99.\n", encoding="utf-8")
    assert project.record() == 1
    assert project.packet.read_bytes() == before
    assert "not recorded: README.md:1 claims '0.99'" in capsys.readouterr().err
    assert sorted(path.name for path in project.root.iterdir()) == [
        "README.md", "benchmarks", "evidence_packet.toml", "models", "training",
    ]  # fmt: skip
    assert not list((project.root / "training").rglob("*.json"))


def test_c18_a_recorded_packet_survives_a_worse_one(project: Project) -> None:
    project.record()
    before = project.packet.read_bytes()
    manifest = project.root / "training" / "runs" / "student" / "training_run_manifest.json"
    kept = manifest.read_bytes()
    write_manifest(project.student, step="train", seed=9, rows={}, parameters={}, device="cpu")
    project.result.write_text(json.dumps(project.figures(model_files={})), encoding="utf-8")
    assert project.record() == 1
    assert (project.packet.read_bytes(), manifest.read_bytes()) == (before, kept)


def test_c18_a_result_without_its_figures_is_refused(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    before = project.packet.read_bytes()
    project.result.write_text(json.dumps(project.figures(auc=None)), encoding="utf-8")
    assert project.record() == 2
    assert project.packet.read_bytes() == before
    assert "has no auc" in capsys.readouterr().err


def test_figures_measured_on_another_model_are_refused(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.result.write_text(json.dumps(project.figures(model_files={"model.onnx": "cd" * 32})), encoding="utf-8")
    assert project.record() == 1
    assert "was not measured on the recorded ONNX file" in capsys.readouterr().err


def test_a_figure_edited_by_hand_is_found(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.record()
    text = project.packet.read_text(encoding="utf-8")
    project.packet.write_text(text.replace("auc = 0.8341", "auc = 0.9341"), encoding="utf-8")
    assert project.validate() == 1
    assert "auc is 0.9341, the result says 0.8341" in capsys.readouterr().err


def test_public_text_may_claim_what_was_recorded_and_nothing_else(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.readme.write_text("The embedded model has an AUC of 0.834 and takes 11 ms.\n", encoding="utf-8")
    assert project.validate() == 1
    assert project.record() == 0
    project.put("docs/guide/model.md", "# nli-lite\n\nIts accuracy is 80 %.\n")
    capsys.readouterr()
    assert project.validate() == 1
    assert "docs/guide/model.md:3 claims '80 %'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: text.replace('status = "pending"', 'status = "done"', 1), "status"),
        (lambda text: text.replace("[teacher]", "[master]"), "unknown entry 'master'"),
        (lambda text: text.replace('\n[teacher]\nstatus = "pending"\n', ""), "no section 'teacher'"),
        (lambda text: text.replace("schema = 1", "schema = 2"), "schema 2"),
        (lambda text: text + "=", "no TOML"),
        (lambda text: text.replace('[onnx]\nstatus = "pending"', '[onnx]\nstatus = "recorded"'), "lists no file"),
        (lambda text: text + "\n[benchmark_review.values]\nauc = 0.9\n", "pending, yet it lists"),
        (
            lambda text: text.replace(
                '[onnx]\nstatus = "pending"',
                '[onnx]\nstatus = "recorded"\nfiles = [{ path = "../../etc/passwd", sha256 = "ab", bytes = 1 }]',
            ),
            "leads out of its folder",
        ),
    ],
)
def test_a_packet_that_is_no_packet_is_refused_with_its_reason(
    project: Project, change: Any, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    project.packet.write_text(change(project.packet.read_text(encoding="utf-8")), encoding="utf-8")
    assert project.validate() == 1
    assert why in capsys.readouterr().err


def test_further_results_are_listed_beside_the_review(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    more = project.put("benchmarks/results/more.json", '{"recall": 0.421}')
    add = ["record", "--packet", str(project.packet), "--root", str(project.root), "--result", str(more)]
    assert training(add) == 1
    assert "no review of what may be claimed" in capsys.readouterr().err
    project.record()
    assert training(add) == 0
    paths = [file.path for file in packets.load(project.packet).sections["benchmark_review"].files]
    assert paths == ["training/CLAIM_REVIEW.md", "benchmarks/results/more.json"]
    project.readme.write_text("With a recall of 42.1 %, nli-lite finds less than half.\n", encoding="utf-8")
    assert project.validate(REQUIRE) == 0


def test_a_project_inside_the_folder_of_artefacts_keeps_its_files(project: Project) -> None:
    project.artefacts = project.root.parent
    assert project.record(REQUIRE) == 0
    sections = packets.load(project.packet).sections
    assert not sections["onnx"].files[0].external
    assert sections["student"].files[0].external


def test_the_recorder_refuses_what_it_cannot_hash(project: Project, tmp_path: Path) -> None:
    base = ["record", "--packet", str(project.packet), "--root", str(project.root)]
    assert training(base) == 2
    assert training([*base, "--onnx", str(tmp_path / "missing.onnx")]) == 2
    assert training([*base, "--student", str(project.student)]) == 2  # outside, and --artefacts was not given
    assert training([*base, "--eval-result", str(project.card)]) == 2
    assert project.validate() == 0
