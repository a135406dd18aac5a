"""Connections are given back: whoever closes leaves none open, however quickly."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import pytest

from quipu import AsyncMemory, acting_for
from quipu.app.kinds import PACKAGES
from quipu.errors import QuipuError
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


SET = """
select name, setting from pg_settings
where source = 'session' or name in ('plan_cache_mode', 'enable_nestloop', 'lock_timeout')
union all
select name, current_setting(name, true)
from unnest('{quipu.space,quipu.space_id,quipu.person}'::text[]) as of_a_space (name)
order by name
"""


async def test_no_setting_of_a_space_outlives_its_transaction(settings: Settings, url: str) -> None:
    one = replace(settings, pool_size=1)  # every call has the same connection
    async with (
        AsyncMemory(settings=one, url=url) as memory,
        Database.open(url, one, packages=PACKAGES) as database,
    ):
        documents = memory.documents
        fresh = await _settings(database)

        async def of_a_person() -> None:
            with acting_for("ana"):
                await documents.list(space="desk")
                await memory.recall("boat", space="desk")

        calls: Sequence[Callable[[], Awaitable[object]]] = (
            lambda: documents.put("notes", "a", {"v": 1}, space="desk"),
            lambda: documents.put("notes", "a", {"v": 2}, space="desk", expected_version=9),
            lambda: documents.put("notes", "b", {"v": float("nan")}, space="desk"),
            lambda: documents.batch([{"do": "put", "path": "n", "key": "k", "value": 1}], space="desk"),
            lambda: documents.list(space="desk", filter={"value.v": 1}),
            lambda: documents.search("boat", space="desk"),
            lambda: documents.rename("notes", to="elsewhere", space="desk"),
            lambda: memory.observe([{"content": "The boat is moored."}], space="desk", session="s"),
            lambda: memory.take_last("s", space="desk"),
            lambda: memory.recall("boat", space="desk"),
            of_a_person,
        )
        for call in calls:
            with suppress(QuipuError):
                await call()
            assert await _settings(memory._ready.database) == fresh  # pyright: ignore[reportPrivateUsage]


async def _settings(database: Database) -> list[tuple[str, str | None]]:
    async with database.unscoped() as conn:
        rows = await (await conn.execute(SET)).fetchall()
    return [(name, value or None) for name, value in rows]
