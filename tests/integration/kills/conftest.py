"""Homes that are made once; each kill has a copy."""

from __future__ import annotations

import killed_home
import pytest
from killed_home import Made
from made_once import MadeOnce


@pytest.fixture(scope="session")
def homes(made_once: MadeOnce) -> tuple[Made, Made]:
    """A home with something of everything, and a directory without one."""
    return made_once(
        "killed", lambda place: (killed_home.filled(place / "filled"), killed_home.new(place / "new"))
    )
