"""What the tests of the code itself read: the package as files, and the tools."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parent.parent / "tools"
sys.path += [str(directory) for directory in (HERE, TOOLS) if str(directory) not in sys.path]


@pytest.fixture(scope="session")
def package(repository: Path) -> Path:
    return repository / "src" / "quipu"
