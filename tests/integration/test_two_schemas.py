"""Two versions of the schema at once: an old process goes on while a new one migrates, never half of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import psycopg
import pytest

from quipu import AsyncMemory
from quipu.app.kinds import PACKAGES
from quipu.errors import BadInput, MigrationRefused
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.db.migrate import found_in

pytestmark = pytest.mark.anyio
NEWER = "create table core.of_the_future (id int primary key); alter table core.messages add column mood text"


@pytest.fixture
def newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The packages of a later version: one room more, whose migration changes a table that is written to."""
    folder = tmp_path / "quipu_of_the_future" / "sql" / "migrations"
    folder.mkdir(parents=True)
    (tmp_path / "quipu_of_the_future" / "__init__.py").touch()
    (folder / "0001_mood.sql").write_text(NEWER)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield [*PACKAGES, "quipu_of_the_future"]
    sys.modules.pop("quipu_of_the_future", None)
    found_in.cache_clear()  # the next test writes another of that name


def mooded(url: str) -> tuple[bool, bool]:
    """Whether the table and the column of the later version are there."""
    with psycopg.connect(url) as conn:
        row = conn.execute(
            "select to_regclass('core.of_the_future') is not null, exists (select from"
            " information_schema.columns where table_schema = 'core' and table_name = 'messages'"
            " and column_name = 'mood')"
        ).fetchone()
    assert row is not None
    return row[0], row[1]


async def test_an_old_process_goes_on_while_a_new_one_migrates_and_no_old_one_begins(
    settings: Settings, url: str, newer: list[str]
) -> None:
    begun, migrated, written = anyio.Event(), anyio.Event(), 0

    async def write(memory: AsyncMemory) -> None:
        nonlocal written
        afterwards = 0
        while afterwards < 3:
            afterwards += migrated.is_set()
            await memory.observe([{"id": f"m{written}", "content": f"The boat {written}."}], space="sea")
            written += 1
            begun.set()

    async with AsyncMemory(settings=settings) as old:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write, old)
            await begun.wait()
            async with anyio.create_task_group() as both:  # two of the new version start together
                for _ in range(2):
                    both.start_soon(open_and_close, url, settings, newer)
            migrated.set()
        assert mooded(url) == (True, True)
        assert (await old.forget(space="sea")).counts["messages"] == written
        with pytest.raises(MigrationRefused, match="newer version of Quipu") as caught:
            async with AsyncMemory(settings=settings):
                pass
        assert "Upgrade" in (caught.value.hint or "")


async def test_a_migration_that_has_to_wait_too_long_or_fails_leaves_nothing_of_itself(
    settings: Settings, url: str, newer: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "quipu_of_the_future" / "sql" / "migrations" / "0001_mood.sql"
    file.write_text(f"{NEWER}; select 1 / 0")
    found_in.cache_clear()
    with pytest.raises(BadInput, match="division by zero"):
        await open_and_close(url, settings, newer)
    assert mooded(url) == (False, False)
    async with AsyncMemory(settings=settings) as memory:
        await memory.observe([{"id": "a", "content": "The boat is red."}], space="sea")


async def open_and_close(url: str, settings: Settings, packages: list[str]) -> None:
    async with Database.open(url, settings, packages=packages):
        pass
