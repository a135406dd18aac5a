"""Connections are given back: whoever closes leaves none open, however quickly."""

from __future__ import annotations

from contextlib import suppress

import pytest

from quipu.app.kinds import PACKAGES
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("fails", [False, True])
async def test_closing_right_after_the_last_use_leaves_no_connection_open(
    settings: Settings, url: str, fails: bool
) -> None:
    async with Database.open(url, settings, packages=PACKAGES) as database:
        with suppress(KeyError):
            async with database.unscoped() as conn:
                if fails:
                    raise KeyError
    assert conn.closed  # nobody waits for the garbage collector: a server that is to stop waits for it
