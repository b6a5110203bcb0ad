from pathlib import Path

import pytest


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Return a folder with a right answer, a wrong answer and their source."""
    (tmp_path / "right.txt").write_text("Refunds are paid within 30 days.", encoding="utf-8")
    (tmp_path / "wrong.txt").write_text("Refunds are paid within 60 days.", encoding="utf-8")
    (tmp_path / "source.txt").write_text("Refunds are paid within 30 days.", encoding="utf-8")
    return tmp_path
