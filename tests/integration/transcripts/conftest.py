"""A made-up directory of Claude Code, and what the database says of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"
if str(FIXTURES) not in sys.path:
    sys.path.append(str(FIXTURES))

from coding_sessions import World  # noqa: E402
from two_projects import world  # noqa: E402


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "claude"


@pytest.fixture
def made(root: Path) -> World:
    """Two projects with everything in them."""
    return world(root)
