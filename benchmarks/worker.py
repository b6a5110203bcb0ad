"""Answer verify requests as JSON lines over stdin and stdout, for one system, in that system's own interpreter.

Stands alone: it is run by path with the peer's Python, where this project is not installed.
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

Verify = Callable[[str, str, bool], Any]
Outcome = Callable[[Any], dict[str, Any]]


def groundwire() -> tuple[Verify, Outcome, dict[str, str]]:
    """Verify with this project, without a model."""
    from groundwire import VerifiedScorer

    scorer = VerifiedScorer(nli_scorer=None)
    return (
        lambda response, source, atomic: scorer.verify(response, source, atomic=atomic),
        _ours,
        {"groundwire": version("groundwire")},
    )


def embedded() -> tuple[Verify, Outcome, dict[str, str]]:
    """Verify with this project and the model that ships with it."""
    from groundwire import NLIScorer, VerifiedScorer

    scorer = VerifiedScorer(nli_scorer=NLIScorer())
    model = scorer.model
    assert model is not None
    return (
        lambda response, source, atomic: scorer.verify(response, source, atomic=atomic),
        _ours,
        {"groundwire": version("groundwire"), model.id: model.hash},
    )


def director() -> tuple[Verify, Outcome, dict[str, str]]:
    """Verify with director-ai's VerifiedScorer, without a model, with its compiled kernel."""
    from director_ai import VerifiedScorer  # type: ignore[import-not-found]

    scorer = VerifiedScorer()
    return (
        lambda response, source, atomic: scorer.verify(response, source, atomic=atomic),
        lambda result: {**_verdicts_and_approval(result), "score": result.overall_score},
        {name: version(name) for name in ("director-ai", "backfire-kernel")},
    )


def ragground() -> tuple[Verify, Outcome, dict[str, str]]:
    """Verify with ragground, without its model; sentences are claims unless the case asks for atomic ones."""
    import warnings

    from ragground.app import RAGGround  # type: ignore[import-not-found]

    warnings.simplefilter("ignore")
    guards = {
        atomic: RAGGround(auto_download=False, require_model=False, split_compound_sentences=atomic)
        for atomic in (False, True)
    }
    # Its "unsupported" covers both of our words for a claim without evidence: either counts as right.
    words = {
        "VERIFIED": ["supported"],
        "CONTRADICTED": ["contradicted"],
        "UNSUPPORTED": ["fabricated", "unverifiable"],
        "UNCERTAIN": ["unverifiable"],
    }
    return (
        lambda response, source, atomic: guards[atomic].verify(context=source, answer=response),
        lambda report: {
            "verdicts": [words[claim.status.value] for claim in report.claims],
            "approved": report.is_grounded,
            # Its grounding score only counts claims; this ranks finer.
            "score": _mean([claim.entailment_prob for claim in report.claims]),
        },
        {"ragground": version("ragground")},
    )


SYSTEMS = {"groundwire": groundwire, "embedded": embedded, "director": director, "ragground": ragground}


def _verdicts_and_approval(result: Any) -> dict[str, Any]:
    return {"verdicts": [[str(claim.verdict)] for claim in result.claims], "approved": result.approved}


def _ours(result: Any) -> dict[str, Any]:
    return {**_verdicts_and_approval(result), "score": result.support_probability}


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _peak_mb() -> float:
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    import resource

    # The unit is bytes on macOS and kilobytes elsewhere.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 1024)


def main() -> None:
    """Load one system and answer until stdin closes."""
    started = time.perf_counter()
    answers = sys.stdout
    sys.stdout = sys.stderr  # a peer that prints must not break the protocol
    verify, outcome, versions = SYSTEMS[sys.argv[1]]()
    print(json.dumps({"versions": versions, "load_s": time.perf_counter() - started}), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("timed", True):
            gc.collect()
        started = time.perf_counter()
        try:
            result = verify(request["response"], request["source"], request.get("atomic", False))
        except Exception as error:  # the peer's failure is a result of the comparison
            answer: dict[str, Any] = {"error": f"{type(error).__name__}: {error}"}
        else:
            answer = {"seconds": time.perf_counter() - started, **outcome(result)}
        answer["peak_mb"] = _peak_mb()
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
