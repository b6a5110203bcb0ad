"""Types: T1 to T8 of the specification, each named in a test."""

import dataclasses
import json
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import Any

import pytest

import groundwire
from groundwire import types
from groundwire.types import (
    ClaimAttribution,
    ClaimVerdict,
    CoherenceScore,
    CounterfactualFactChange,
    CounterfactualHaltDiagnostic,
    EvidenceChunk,
    HaltEvidence,
    HaltTraceAttribution,
    HandoffResult,
    HookVerdict,
    InjectionResult,
    ModelInfo,
    OntologyViolation,
    Policy,
    ReviewResult,
    SafetyEvent,
    ScoringEvidence,
    Source,
    SourceSpan,
    StreamSession,
    TokenEvent,
    Unchecked,
    VerificationResult,
)

REQUIRED = "required"

# Field order is the constructor order and contract for these.
ORDERED: dict[str, list[tuple[str, Any]]] = {
    "CoherenceScore": [
        ("score", REQUIRED),
        ("approved", REQUIRED),
        ("h_logical", REQUIRED),
        ("h_factual", REQUIRED),
        ("evidence", None),
        ("warning", False),
        ("cross_turn_divergence", None),
        ("strict_mode_rejected", False),
        ("verdict_confidence", None),
        ("nli_model_confidence", None),
        ("signal_agreement", None),
        ("contradiction_index", None),
        ("detected_task_type", None),
        ("escalated_to_judge", None),
        ("nli_probs", None),
        ("retrieval_confidence", None),
        ("injection_risk", None),
    ],
    "ReviewResult": [
        ("output", REQUIRED),
        ("coherence", REQUIRED),
        ("halted", REQUIRED),
        ("candidates_evaluated", REQUIRED),
        ("fallback_used", False),
        ("halt_evidence", None),
        ("safety_events", ()),
    ],
    "ScoringEvidence": [
        ("chunks", REQUIRED),
        ("nli_premise", REQUIRED),
        ("nli_hypothesis", REQUIRED),
        ("nli_score", REQUIRED),
        ("chunk_scores", None),
        ("premise_chunk_count", 1),
        ("hypothesis_chunk_count", 1),
        ("claim_coverage", None),
        ("per_claim_divergences", None),
        ("claims", None),
        ("attributions", None),
        ("token_count", None),
        ("estimated_cost_usd", None),
    ],
    "ClaimAttribution": [
        (name, REQUIRED)
        for name in ("claim", "claim_index", "source_sentence", "source_index", "divergence", "supported")
    ],
    "HaltEvidence": [
        ("reason", REQUIRED),
        ("last_score", REQUIRED),
        ("evidence_chunks", REQUIRED),
        ("nli_scores", None),
        ("suggested_action", ""),
        ("trace_attribution", None),
        ("counterfactual_diagnostic", None),
    ],
    "HaltTraceAttribution": [
        ("fact_source", ""),
        ("retrieval_path", ""),
        ("scorer_path", ""),
        ("token_offset", -1),
        ("threshold", None),
        ("causal_contribution", 0.0),
    ],
    "CounterfactualHaltDiagnostic": [
        (name, REQUIRED) for name in ("question", "observed_score", "threshold", "best_change", "candidates")
    ],
    "CounterfactualFactChange": [
        (name, REQUIRED)
        for name in ("fact_source", "original_fact", "proposed_fact", "required_score_delta", "prevented_halt")
    ],
    "EvidenceChunk": [("text", REQUIRED), ("distance", REQUIRED), ("source", "")],
    "Source": [("id", REQUIRED), ("text", REQUIRED), ("title", ""), ("url", "")],
    "EvidenceObject": [
        ("pointer_id", REQUIRED),
        ("evidence_id", REQUIRED),
        ("span", REQUIRED),
        ("title", ""),
        ("source_role", "unclassified"),
        ("source_root", ""),
    ],
    "ParsedClaim": [("claim_text", REQUIRED), ("pointer_ids", REQUIRED), ("parse_status", REQUIRED)],
    "InjectionResult": [
        *((name, REQUIRED) for name in ("injection_detected", "injection_risk", "intent_coverage")),
        *((name, REQUIRED) for name in ("total_claims", "grounded_claims", "drifted_claims", "injected_claims")),
        ("claims", REQUIRED),
        ("input_sanitizer_score", 0.0),
        ("combined_score", 0.0),
        ("findings", ()),
        ("notes", ()),
    ],
    "InjectedClaim": [
        *((name, REQUIRED) for name in ("claim", "claim_index", "intent_divergence", "reverse_divergence")),
        *((name, REQUIRED) for name in ("bidirectional_divergence", "traceability", "entity_match")),
        ("verdict", REQUIRED),
        ("confidence", REQUIRED),
    ],
    "SourceSpan": [
        ("text", REQUIRED),
        ("index", REQUIRED),
        ("nli_divergence", REQUIRED),
        ("entity_match", 1.0),
        ("numerical_match", None),
        ("start", -1),
        ("end", -1),
        ("source_id", ""),
    ],
    "ClaimVerdict": [
        *((name, REQUIRED) for name in ("claim", "claim_index", "matched_source", "source_index")),
        *((name, REQUIRED) for name in ("nli_divergence", "entity_match", "numerical_match", "negation_flip")),
        *((name, REQUIRED) for name in ("traceability", "verdict", "confidence")),
        ("evidence_spans", []),
        ("is_atomic", False),
        ("reasons", []),
        ("start", -1),
        ("end", -1),
        ("support_probability", None),
        ("grounded", None),
        ("unsupported_spans", []),
        ("conflicts", []),
    ],
    "VerificationResult": [
        *((name, REQUIRED) for name in ("approved", "overall_score", "confidence", "claims")),
        *((name, REQUIRED) for name in ("supported_count", "contradicted_count", "fabricated_count")),
        ("unverifiable_count", REQUIRED),
        ("coverage", REQUIRED),
        ("status", "checked"),
        ("unchecked", []),
        ("support_probability", None),
        ("grounded", None),
        ("model", None),
        ("checks", []),
        ("policy_hash", ""),
        ("version", ""),
    ],
}

CLAIM = ClaimVerdict("A is 1.", 0, "A is 2.", 0, 0.80004, 1.0, False, False, 1.0, "contradicted", 0.7)


def default_of(item: dataclasses.Field[Any]) -> Any:
    if item.default is not dataclasses.MISSING:
        return item.default
    if item.default_factory is not dataclasses.MISSING:
        return item.default_factory()
    return REQUIRED


@pytest.mark.parametrize("name", ORDERED)
def test_t1_fields_have_the_documented_order_and_defaults(name: str) -> None:
    kind = getattr(types, name)
    assert [(item.name, default_of(item)) for item in fields(kind)] == ORDERED[name]


@pytest.mark.parametrize("name", ORDERED)
def test_t1_positional_construction_fills_the_fields_in_order(name: str) -> None:
    values = list(range(len(ORDERED[name])))
    made = getattr(types, name)(*values)
    assert [getattr(made, item.name) for item in fields(made)] == values


def test_t1_a_safety_event_takes_keywords_only_and_fills_the_rest() -> None:
    event = SafetyEvent(hook_id="streaming.kernel", hook_scope="streaming", policy_decision="halt")
    assert event.schema_version == "groundwire.safety_event.v1"
    assert event.event_id
    assert event.timestamp.endswith("Z")
    assert (event.request_id, event.evidence_refs, event.attributes) == ("", (), {})
    with pytest.raises(TypeError):
        SafetyEvent("streaming.kernel", "streaming", "halt")  # type: ignore[call-arg]


def test_t1_stream_types_have_their_fields() -> None:
    event = TokenEvent("a", 0, None, 1.0)
    assert (event.halted, event.warning, event.safety_event) == (False, False, None)
    session = StreamSession(tokens=["a", "b"], coherence_history=[0.5, 1.0], start_time=1.0, end_time=1.5)
    assert (session.output, session.token_count) == ("ab", 2)
    assert (session.avg_coherence, session.min_coherence, session.duration_ms) == (0.75, 0.5, 500.0)
    empty = StreamSession()
    assert (empty.avg_coherence, empty.min_coherence, empty.halt_index) == (None, None, -1)


def test_t2_mutable_defaults_are_not_shared() -> None:
    for make in (
        lambda: ClaimVerdict("", 0, "", 0, 0, 0, None, False, 0, "", 0),
        lambda: VerificationResult(True, 0, "", [], 0, 0, 0, 0, 0),
        StreamSession,
        lambda: SafetyEvent(hook_id="h", hook_scope="agent", policy_decision="allow"),
        Policy,
    ):
        one, two = make(), make()
        for item in fields(one):
            value = getattr(one, item.name)
            if isinstance(value, list | dict | set) and item.default_factory is not dataclasses.MISSING:
                assert value is not getattr(two, item.name), item.name


ATTRIBUTIONS = [
    ClaimAttribution("A is 1.", 0, "A is 1.", 3, 0.1, True),
    ClaimAttribution("B is 2.", 1, "B is 3.", 5, 0.9, False),
]


def test_t3_claim_provenance_has_five_keys_per_claim() -> None:
    evidence = ScoringEvidence([], "", "", 0.0, attributions=ATTRIBUTIONS, claim_coverage=0.5)
    score = CoherenceScore(0.8, True, 0.1, 0.1, evidence)
    assert score.claim_provenance()[1] == {
        "claim": "B is 2.",
        "supported": False,
        "source": "B is 3.",
        "divergence": 0.9,
        "source_index": 5,
    }
    assert score.claim_coverage == 0.5


@pytest.mark.parametrize("evidence", [None, ScoringEvidence([], "", "", 0.0)])
def test_t3_claim_provenance_is_empty_without_attributions(evidence: ScoringEvidence | None) -> None:
    score = CoherenceScore(0.8, True, 0.1, 0.1, evidence)
    assert score.claim_provenance() == []
    assert score.attributions == []
    assert score.claim_coverage is None


def test_t4_unsupported_claims_are_exactly_the_attributions_without_support() -> None:
    score = CoherenceScore(0.8, True, 0.1, 0.1, ScoringEvidence([], "", "", 0.0, attributions=ATTRIBUTIONS))
    assert score.unsupported_claims == [ATTRIBUTIONS[1]]


CHANGE = CounterfactualFactChange("kb", "A is 1.", "A is 2.", 0.2, True)
HALT = HaltEvidence(
    "contradiction",
    0.3,
    [EvidenceChunk("A is 1.", 0.1)],
    trace_attribution=HaltTraceAttribution("kb", threshold=0.5),
    counterfactual_diagnostic=CounterfactualHaltDiagnostic("?", 0.3, 0.5, CHANGE, [CHANGE]),
)
RESULT = VerificationResult(
    False,
    0.0,
    "high",
    [dataclasses.replace(CLAIM, evidence_spans=[SourceSpan("A is 2.", 0, 0.8)], unsupported_spans=[(5, 6)])],
    0,
    1,
    0,
    0,
    0.0,
    unchecked=[Unchecked("Hi!", 0, 3, "not_checkable")],
    model=ModelInfo("m", "h"),
)


@pytest.mark.parametrize(
    "value",
    [
        HALT,
        RESULT,
        ReviewResult("x", CoherenceScore(0.8, True, 0.1, 0.1), True, 3, halt_evidence=HALT),
        InjectionResult(False, 0.0, 1.0, 0, 0, 0, 0, []),
        SafetyEvent.from_halt_evidence(HALT, hook_id="streaming.kernel"),
        Policy(aliases={"IBM": ("International Business Machines",)}),
        Source("a", "text"),
        StreamSession(events=[TokenEvent("a", 0, None, 1.0)]),
        HandoffResult(allowed=True),
    ],
    ids=lambda value: type(value).__name__,
)
def test_t5_types_serialise_through_asdict(value: Any) -> None:
    assert json.loads(json.dumps(dataclasses.asdict(value), allow_nan=False))


def test_t6_every_type_is_importable_from_types() -> None:
    for name in types.__all__:
        assert hasattr(types, name)
    assert set(ORDERED) <= set(types.__all__)
    assert sorted(types.__all__, key=str) == sorted(set(types.__all__))


def test_t6_the_root_hands_out_the_same_types() -> None:
    assert groundwire.Policy is types.Policy
    assert groundwire.Source is types.Source
    assert groundwire.SafetyEvent is types.SafetyEvent


def test_t7_a_safety_event_is_immutable() -> None:
    event = SafetyEvent(hook_id="h", hook_scope="agent", policy_decision="allow", evidence_refs=("a",))
    for name in ("policy_decision", "tenant_id", "evidence_refs"):
        with pytest.raises(FrozenInstanceError):
            setattr(event, name, "changed")
    assert isinstance(event.evidence_refs, tuple)


def test_t8_type_hints_pass_the_strict_checker(tmp_path: Path) -> None:
    package = Path(types.__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(tmp_path), str(package)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=package.parents[2],
    )
    assert done.returncode == 0, done.stdout


def test_to_dict_has_the_documented_keys_and_only_json_types() -> None:
    plain = RESULT.to_dict()
    head = ["approved", "overall_score", "confidence", "supported", "contradicted", "fabricated", "unverifiable"]
    assert list(plain)[:9] == [*head, "coverage", "claims"]
    assert {"status", "unchecked", "support_probability", "grounded", "model", "checks"} < set(plain)
    assert {"policy_hash", "version"} < set(plain)
    claim = plain["claims"][0]
    assert {"claim", "matched_source", "nli_divergence", "entity_match", "numerical_match"} < set(claim)
    assert {"negation_flip", "traceability", "verdict", "confidence", "reasons", "start", "end"} < set(claim)
    assert claim["nli_divergence"] == 0.8
    assert claim["unsupported_spans"] == [[5, 6]]
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_a_safety_event_survives_a_round_trip_and_newer_keys() -> None:
    event = SafetyEvent.from_halt_evidence(HALT, hook_id="streaming.kernel", tenant_id="t", attributes={"a": "b"})
    plain = json.loads(json.dumps(event.to_dict()))
    assert SafetyEvent.from_dict({**plain, "added_later": 1}) == event


def test_a_safety_event_carries_no_text_of_the_evidence() -> None:
    event = SafetyEvent.from_halt_evidence(HALT, hook_id="streaming.kernel")
    assert "A is 1." not in json.dumps(event.to_dict())


@pytest.mark.parametrize(
    "broken",
    [
        {"hook_scope": "nonsense"},
        {"policy_decision": "perhaps"},
        {"timestamp": "2026-01-01T00:00:00+02:00"},
        {"attributes": {"a": 1}},
    ],
)
def test_a_safety_event_refuses_what_it_cannot_mean(broken: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        SafetyEvent(**{"hook_id": "h", "hook_scope": "agent", "policy_decision": "allow", **broken})


def test_hook_verdicts_share_four_fields() -> None:
    shared = ["allowed", "reason", "score", "safety_event"]
    assert [item.name for item in fields(HookVerdict)] == [*shared, "findings"]
    for name in ("ContainmentVerdict", "PassportVerdict", "PreflightVerdict", "GroundingVerdict", "HandoffResult"):
        verdict = getattr(types, name)(allowed=True)
        assert [item.name for item in fields(verdict)][:4] == shared
    assert OntologyViolation().allowed is False
    assert HandoffResult(allowed=True).accepted is True


def test_equal_policies_share_a_hash_and_any_change_alters_it() -> None:
    assert Policy().hash == Policy().hash
    assert Policy(nli_threshold=0.7).hash != Policy().hash
    one = Policy(aliases={"a": ("b",), "c": ("d",)})
    assert one.hash == Policy(aliases={"c": ("d",), "a": ("b",)}).hash
    assert len(Policy().hash) == 64


def test_a_policy_survives_a_round_trip_through_a_file(tmp_path: Path) -> None:
    policy = Policy(fail_on=("unverifiable",), aliases={"IBM": ("Big Blue",)}, candidates=4)
    path = tmp_path / "policy.yaml"
    path.write_text(json.dumps(policy.to_dict()), encoding="utf-8")
    assert Policy.from_yaml(path) == policy
    path.write_text("", encoding="utf-8")
    assert Policy.from_yaml(path) == Policy()


@pytest.mark.parametrize(
    "broken",
    [
        {"nli_threshold": 1.1},
        {"nli_threshold": True},
        {"nli_threshold": float("nan")},
        {"support_threshold": 0.9},
        {"min_confidence": "0.4"},
        {"candidates": 0},
        {"candidates": 1.5},
        {"window_tokens": 385},
        {"approve_on": "luck"},
        {"fail_on": "contradicted"},
        {"fail_on": ["nonsense"]},
        {"aliases": ["IBM"]},
        {"aliases": {"IBM": [""]}},
        {"nonsense": 1},
    ],
)
def test_a_policy_refuses_what_it_cannot_mean(broken: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Policy.from_dict(broken)
