from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.server.keys import KeyStore
from tests.server.running import Running, service


@pytest.fixture(scope="session")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with keys that many tests share."""
    folder = tmp_path_factory.mktemp("keyed") / "data"
    KeyStore(folder).create("first")
    with service(
        folder, "--max-body", "200000", "--time-limit", "20", "--read-limit", "1.5", "--queue", "50"
    ) as running:
        yield running


@pytest.fixture(scope="session")
def acme(keyed: Running) -> str:
    """A key of the tenant acme with every scope but metrics."""
    return keyed.key("acme")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"
