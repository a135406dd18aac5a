"""Homes that are made once; each kill has a copy."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import killed_home
import pytest
from killed_home import Made


@pytest.fixture(scope="session")
def homes() -> Iterator[tuple[Made, Made]]:
    """A home with something of everything, and a directory without one."""
    with tempfile.TemporaryDirectory(prefix="quipu-") as directory:
        Path(directory).chmod(0o711)
        yield killed_home.filled(Path(directory) / "filled"), killed_home.new(Path(directory) / "new")
