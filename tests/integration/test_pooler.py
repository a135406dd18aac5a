"""Through PgBouncer, which gives each transaction any of its connections and prepares nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import anyio
import psycopg
import pytest
from cli_process import CommandLine
from patience import PATIENCE_SECONDS
from pooler import PROGRAM, Pooler, made, pooled

from quipu import AsyncMemory
from quipu.app.kinds import PACKAGES
from quipu.errors import ConfigError, DatabaseUnavailable
from quipu.kernel.base.scope import acting_for
from quipu.kernel.config import Settings, load
from quipu.kernel.db.database import Database

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(PROGRAM is None, reason="PgBouncer is not installed")]

_WHO = "select current_user, current_setting('quipu.space_id', true)"


@pytest.fixture
def pooler(url: str) -> Iterator[Pooler]:
    """A pooler with one connection: whatever a transaction leaves behind, the next one has."""
    with made(url, size=1) as running:
        yield running


async def test_no_right_and_no_space_outlives_a_transaction(
    pooler: Pooler, settings: Settings, url: str
) -> None:
    through = pooler.settings(settings, url)
    async with (
        Database.open(url, through, packages=PACKAGES) as database,
        await psycopg.AsyncConnection.connect(
            pooler.address(url), autocommit=True, prepare_threshold=None
        ) as other,
    ):
        async with database.write("ana") as tx:
            assert await tx.rows("select current_user") == [("quipu_app",)]
        async with database.unscoped() as conn:
            row = await (await conn.execute("select current_user")).fetchone()
            assert row == ("quipu_app",)
        with acting_for("ana"):
            async with database.transaction("ana") as tx:
                assert tx is not None
                assert await tx.rows("select current_user") == [("quipu_person",)]
        user, space = await (await other.execute(_WHO)).fetchone() or ("", "")
        assert not user.startswith(("quipu_app", "quipu_person"))
        assert not space


async def test_many_spaces_at_once_keep_to_themselves(pooler: Pooler, settings: Settings, url: str) -> None:
    async with AsyncMemory(settings=pooler.settings(settings, url)) as memory:

        async def live(name: str) -> None:
            for n in range(5):
                await memory.observe([{"content": f"{name} has boat {n}."}], space=name, user=name)
                hits = await memory.recall("Who has a boat?", space=name, user=name)
                assert {hit.source.user for hit in hits} == {name}
                assert len(hits) == n + 1

        async with anyio.create_task_group() as tasks:
            for name in ("ana", "bo", "cai", "dee", "eli", "fay", "gil", "hal"):
                tasks.start_soon(live, name)


def test_what_is_no_short_transaction_goes_to_the_server_itself(
    pooler: Pooler, url: str, tmp_path: Path
) -> None:
    quipu = CommandLine(
        tmp_path,
        {
            "QUIPU_DATABASE_URL": pooler.address(url),
            "QUIPU_DIRECT_URL": url,
            "QUIPU_EMBEDDING_MODEL": "hashing",
        },
    )
    quipu.text("observe", "The boat is green.", "--session", "s", "--space", "ana")
    assert quipu.json("worker", "--burst")["failed"] == 0
    sql = ("--sql", "create table notes (id int primary key, body text)", "--embed-fields", "body")
    name = ("--name", "notes", "--description", "Notes", "--space", "ana")
    quipu.text("tables", "create-table", *name, *sql)
    assert quipu.json("snapshots", "create", "--space", "ana")["name"]
    assert quipu.run("doctor").returncode == 0
    assert quipu.json("db", "url")["url"] == url


async def test_a_pooler_that_is_gone_is_said_and_its_return_is_enough(
    pooler: Pooler, settings: Settings, url: str
) -> None:
    through = replace(pooler.settings(settings, url), connect_seconds=1.0)
    async with AsyncMemory(settings=through) as memory:
        await memory.observe([{"content": "The boat is green."}], space="ana")
        pooler.stop()
        with pytest.raises(DatabaseUnavailable):
            await memory.recall("boat", space="ana")
        with pooled(url, pooler.directory, size=1):
            with anyio.fail_after(PATIENCE_SECONDS):
                while not await _answers(memory):  # noqa: ASYNC110 - the server knows
                    await anyio.sleep(0.1)


async def _answers(memory: AsyncMemory) -> bool:
    try:
        return len(await memory.recall("boat", space="ana")) == 1
    except DatabaseUnavailable:
        return False


def test_an_address_that_a_program_gives_leaves_the_server_of_another_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("QUIPU_DATABASE_URL", "postgresql://pooler/a")
    monkeypatch.setenv("QUIPU_DIRECT_URL", "postgresql://server/a")
    assert load(None, {}).server_url == "postgresql://server/a"
    assert load(None, {"database_url": "postgresql://other/b"}).server_url == "postgresql://other/b"


def test_a_server_behind_no_pooler_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIPU_DIRECT_URL", "postgresql://server/a")
    with pytest.raises(ConfigError, match="QUIPU_DIRECT_URL") as said:
        load(None, {})
    assert "QUIPU_DATABASE_URL" in (said.value.hint or "")


@pytest.mark.parametrize("wrong", ["QUIPU_DATABASE_URL", "QUIPU_DIRECT_URL"])
def test_an_address_that_is_none_is_said_without_its_password(
    pooler: Pooler, url: str, tmp_path: Path, wrong: str
) -> None:
    right = {"QUIPU_DATABASE_URL": pooler.address(url), "QUIPU_DIRECT_URL": url}
    quipu = CommandLine(tmp_path, right | {wrong: "postgresql://ana:riverstone@["})
    refused = quipu.run("sessions", "--space", "ana")
    assert refused.returncode != 0
    assert "is no address" in refused.stderr
    assert "riverstone" not in refused.stderr
