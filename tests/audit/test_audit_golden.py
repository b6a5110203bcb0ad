"""The golden vectors of the audit, visible cases and improvements."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from groundwire import audit
from groundwire.types import EvidenceObject

GOLDEN = Path(__file__).parent.parent / "golden"


def _cases() -> Iterator[Any]:
    for name in ("audit_visible", "audit_improvements"):
        for line in (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            yield pytest.param(case, id=case["id"])


def _call(case: dict[str, Any]) -> Any:
    args = dict(case["args"])
    if "evidence_map" in args:
        args["evidence_map"] = [EvidenceObject(**item) for item in args["evidence_map"]]
    if "warrant_chain_roots" in args:
        args["warrant_chain_roots"] = frozenset(args["warrant_chain_roots"])
    if "allowed_source_roles" in args:
        args["allowed_source_roles"] = tuple(args["allowed_source_roles"])
    return getattr(audit, case["function"])(**args)


def _seen(case: dict[str, Any], outcome: Any) -> dict[str, Any]:
    if case["function"] in ("lenient_json_parse", "repair_truncated_json"):
        return {"parsed": outcome[0], "fixups": outcome[1]}
    if not isinstance(outcome, audit.AuditResult):
        return {"result": sorted(outcome) if isinstance(outcome, frozenset) else outcome}
    seen = outcome.to_dict()
    seen["statuses"] = [item["status"] for item in seen["claim_statuses"]]
    if "method" in (seen["claim_statuses"] or [{}])[0]:
        seen["status_texts"] = [[item["text"], item["status"], item["method"]] for item in seen["claim_statuses"]]
    if "violations" in seen:
        seen["violation_kinds"] = sorted(item["kind"] for item in seen["violations"])
        seen["rendered_empty"] = seen["rendered_text"] == ""
    return seen


@pytest.mark.parametrize("case", list(_cases()))
def test_golden_case_holds(case: dict[str, Any]) -> None:
    expect = dict(case["expect"])
    raises = expect.pop("raises", None)
    if raises:
        with pytest.raises(ValueError):
            _call(case)
        return
    seen = _seen(case, _call(case))
    violations = expect.pop("violations", None)
    if violations is not None:
        assert len(seen["violations"]) == len(violations)
        for found, wanted in zip(seen["violations"], violations, strict=True):
            assert {name: found.get(name) for name in wanted} == wanted
    assert {name: seen.get(name) for name in expect} == expect


def test_the_golden_files_are_complete() -> None:
    assert len(list(_cases())) == 168 + 22
