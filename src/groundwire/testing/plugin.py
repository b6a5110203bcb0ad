"""The pytest plugin: `assert_grounded` as a fixture that heeds the options of the test run."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from groundwire.types import Policy


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, as ini values too, so that a project sets them once."""
    group = parser.getgroup("groundwire", "answers that rest on their sources")
    group.addoption(
        "--groundwire-no-model",
        action="store_true",
        default=False,
        help="use the exact checks alone, no language model",
    )
    group.addoption("--groundwire-policy", metavar="FILE", default=None, help="thresholds and switches as a YAML file")
    parser.addini("groundwire_no_model", "use the exact checks alone, no language model", type="bool", default=False)
    parser.addini("groundwire_policy", "thresholds and switches as a YAML file, from the root folder", default="")


@pytest.fixture(scope="session")
def assert_grounded(pytestconfig: pytest.Config) -> Callable[..., Any]:
    """Return `groundwire.testing.assert_grounded` with the policy and the model of this test run."""
    from groundwire.testing import assert_grounded as check
    from groundwire.verify import VerifiedScorer

    given = pytestconfig.getoption("--groundwire-policy")
    ini = pytestconfig.getini("groundwire_policy")
    path = Path(given) if given else pytestconfig.rootpath / ini if ini else None
    no_model = pytestconfig.getoption("--groundwire-no-model") or pytestconfig.getini("groundwire_no_model")
    return partial(
        check,
        policy=None if path is None else Policy.from_yaml(path),
        scorer=VerifiedScorer() if no_model else None,
    )
