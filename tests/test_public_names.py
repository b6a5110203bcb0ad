import subprocess
import sys

import pytest

import groundwire

# Names the specification promises for the root and that exist so far. A name
# is added here in the change that adds it, never by accident.
PUBLIC = [
    "AsyncStreamingKernel",
    "Client",
    "CoherenceAgent",
    "CoherenceScorer",
    "GroundTruthStore",
    "GroundwireError",
    "InjectionDetector",
    "NLIScorer",
    "Policy",
    "ProductionGuard",
    "SafetyEvent",
    "ScoreCache",
    "Source",
    "StreamingKernel",
    "VectorGroundTruthStore",
    "VerifiedScorer",
    "__version__",
    "verify_claim_lattice",
    "verify_claim_lattice_json",
    "verify_quotes",
]


def test_the_root_exports_exactly_these_names() -> None:
    assert sorted(groundwire.__all__) == sorted(PUBLIC)
    assert dir(groundwire) == sorted(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(groundwire, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        _ = groundwire.Nonsense


def test_star_import_gives_the_same_names() -> None:
    code = "from groundwire import *; print(sorted(n for n in dir() if n in __import__('groundwire').__all__))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == str(sorted(PUBLIC))
