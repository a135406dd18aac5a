"""Reads go to a standby that has all that was written for the reader; else to the primary."""

from __future__ import annotations

import logging
import os
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest
from anyio import to_thread
from cli_process import CommandLine
from httpx import ASGITransport, AsyncClient
from patience import PATIENCE_SECONDS, until
from plain_server import standby_of
from primary_and_standby import Pair, running_pair

from quipu import AsyncMemory
from quipu.app.kinds import PACKAGES
from quipu.errors import DatabaseUnsuitable
from quipu.interfaces.server import create_app
from quipu.kernel.base.scope import acting_for, reads_only
from quipu.kernel.config import Settings
from quipu.kernel.db.connection import Connection
from quipu.kernel.db.database import Database
from quipu.kernel.db.positions import Position, Reader, reading_for

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(os.name != "posix", reason="it sends signals")]

GREEN = [{"content": "The boat is green.", "user": "ana"}]


@pytest.fixture(scope="module")
def calm() -> Iterator[Pair]:
    """Both servers, which no test ends."""
    with running_pair() as made:
        yield made


@pytest.fixture
def pair(calm: Pair) -> Iterator[Pair]:
    """Both servers; what a test pauses is resumed."""
    yield calm
    calm.resume()


@pytest.fixture
def doomed() -> Iterator[Pair]:
    """Both servers, of which a test ends one."""
    with running_pair() as made:
        yield made


def settings_of(pair: Pair) -> Settings:
    return Settings(
        database_url=pair.primary,
        read_urls=pair.standby,
        embedding_model="hashing",
        pool_size=4,
        connect_seconds=PATIENCE_SECONDS,
    )


@pytest.fixture
async def memory(pair: Pair) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(settings=settings_of(pair)) as one:
        yield one


@pytest.fixture
async def other(pair: Pair) -> AsyncIterator[AsyncMemory]:
    """Another process, as it were: it knows nothing of what the first one writes."""
    async with AsyncMemory(settings=settings_of(pair)) as one:
        yield one


@pytest.fixture
async def database(pair: Pair) -> AsyncIterator[Database]:
    async with Database.open(pair.primary, settings_of(pair), packages=PACKAGES) as one:
        yield one


async def read(
    memory: AsyncMemory, space: str, *, needs: Position | None = None
) -> tuple[list[str], Counter[str]]:
    """The texts that a recall returns, and where it read."""
    reader = Reader(needs)
    with reading_for(reader):
        hits = await memory.recall("boat", space=space)
    return sorted(hit.text for hit in hits), reader.reads


async def read_at_standby(memory: AsyncMemory, space: str) -> list[str]:
    """The texts that a recall returns which reads at the standby alone: it has all by then."""
    with anyio.fail_after(PATIENCE_SECONDS):
        while True:
            texts, reads = await read(memory, space)
            if set(reads) == {"standby"}:
                return texts
            await anyio.sleep(0.01)


async def test_a_recall_and_a_list_are_answered_by_the_standby(memory: AsyncMemory, pair: Pair) -> None:
    await memory.observe(GREEN, space="calm")
    assert await read_at_standby(memory, "calm") == ["The boat is green."]
    reader = Reader()
    with reading_for(reader):
        assert await memory.longterm.list(space="calm") == []
    assert set(reader.reads) == {"standby"}
    with psycopg.connect(pair.standby) as conn:
        (count,) = conn.execute(
            "select count(*) from pg_stat_activity where application_name = 'quipu'"
        ).fetchone() or (0,)
    assert count > 0


async def test_one_person_sees_there_what_is_theirs_in_a_hardened_database(
    memory: AsyncMemory, pair: Pair
) -> None:
    with psycopg.connect(pair.primary) as conn:
        conn.execute("select core.harden()")
    await memory.observe(GREEN, space="people")
    await memory.observe([{"content": "The boat is red.", "user": "bo"}], space="people")
    assert len(await read_at_standby(memory, "people")) == 2
    with acting_for("bo"):
        assert await read_at_standby(memory, "people") == ["The boat is red."]


async def test_own_words_are_seen_and_forgotten_ones_are_not_while_the_standby_lags(
    memory: AsyncMemory, pair: Pair
) -> None:
    await memory.observe(GREEN, space="lag")
    assert await read_at_standby(memory, "lag")
    pair.pause()
    await memory.observe([{"content": "The boat is red."}], space="lag")
    texts, reads = await read(memory, "lag")
    assert texts == ["The boat is green.", "The boat is red."]
    assert set(reads) == {"primary"}
    await memory.forget(space="lag", user="ana", confirm=True)
    assert (await read(memory, "lag"))[0] == ["The boat is red."]
    await memory.forget(space="lag", confirm=True)
    assert (await read(memory, "lag"))[0] == []
    pair.resume()
    assert await read_at_standby(memory, "lag") == []


async def test_other_processes_show_nothing_that_was_forgotten(
    memory: AsyncMemory, other: AsyncMemory, pair: Pair
) -> None:
    await memory.observe(GREEN, space="gone")
    assert await read_at_standby(other, "gone")
    pair.pause()
    await memory.forget(space="gone", confirm=True)
    assert (await read(other, "gone"))[0] == []


@pytest.fixture
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """No second passes after which the primary is asked how far it is."""
    monkeypatch.setattr("quipu.kernel.db.standbys.monotonic", lambda: 1_000.0)


@pytest.mark.usefixtures("stopped_clock")
async def test_whoever_brings_the_position_of_a_write_sees_it_in_another_process(
    memory: AsyncMemory, other: AsyncMemory, pair: Pair
) -> None:
    await memory.observe(GREEN, space="brought")
    pair.wait()
    assert await read_at_standby(other, "brought")
    pair.pause()
    writer = Reader()
    with reading_for(writer):
        await memory.observe([{"content": "The boat is red."}], space="brought")
    assert writer.ask is not None
    assert (await read(other, "brought"))[0] == ["The boat is green."]
    texts, _ = await read(other, "brought", needs=await writer.ask())
    assert texts == ["The boat is green.", "The boat is red."]


async def test_others_see_a_write_after_a_moment_though_the_standby_lags(
    memory: AsyncMemory, other: AsyncMemory, pair: Pair
) -> None:
    await memory.observe(GREEN, space="moment")
    assert await read_at_standby(other, "moment")
    pair.pause()
    await memory.observe([{"content": "The boat is red."}], space="moment")
    with anyio.fail_after(PATIENCE_SECONDS):
        while len((await read(other, "moment"))[0]) < 2:  # noqa: ASYNC110 - it is a time that passes
            await anyio.sleep(0.05)


async def test_without_standbys_no_statement_is_added(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    execute = Connection.execute

    async def noted(conn: Connection, query: str, *given: Any, **options: Any) -> Any:
        sent.append(query)
        return await execute(conn, query, *given, **options)

    monkeypatch.setattr(Connection, "execute", noted)

    async def asked(settings: Settings) -> list[str]:
        async with AsyncMemory(settings=settings) as memory:
            await memory.observe(GREEN, space="plain")
            sent.clear()
            await memory.recall("boat", space="plain")
            await memory.longterm.list(space="plain")
            await memory.forget(space="plain", confirm=True)
        return [one for one in sent if "pg_control_system" in one or one == "commit and chain"]

    assert await asked(replace(settings_of(pair), read_urls=None)) == []
    assert await asked(settings_of(pair)) != []


def client(memory: AsyncMemory, token: str) -> AsyncClient:
    """A client of a server over a memory."""
    return AsyncClient(
        transport=ASGITransport(app=create_app(memory=memory)),
        base_url="http://localhost",
        headers={"authorization": f"Bearer {token}"},
    )


@pytest.mark.usefixtures("stopped_clock")
async def test_an_answer_over_http_brings_the_position_and_the_next_request_sends_it_back(
    memory: AsyncMemory, other: AsyncMemory, pair: Pair
) -> None:
    key = await memory.keys.create("served", space="served", level="write")
    async with client(memory, key.token) as one, client(other, key.token) as two:
        written = await one.post("/v1/observe", json={"messages": GREEN})
        assert Position.read(written.headers["quipu-position"]) is not None
        assert "set-cookie" not in written.headers
        pair.wait()
        await read_at_standby(other, "served")
        pair.pause()
        red = {"messages": [{"content": "The boat is red."}]}
        written = await one.post("/v1/observe", json=red, headers={"cookie": "any=one"})
        position = written.headers["quipu-position"]
        cookie = written.headers["set-cookie"].partition(";")[0]
        assert cookie == f"quipu_position_80={position}"
        for brought, count in (({}, 1), ({"quipu-position": position}, 2), ({"cookie": cookie}, 2)):
            found = await two.post("/v1/recall", json={"question": "boat"}, headers=brought)
            assert len(found.json()["hits"]) == count, brought
            assert "quipu-position" not in found.headers


async def test_a_server_counts_reads_by_place(memory: AsyncMemory) -> None:
    key = await memory.keys.create("counted", space=None, level="admin")
    async with client(memory, key.token) as one:
        await one.post("/v1/recall?space=counted", json={"question": "boat"})
        assert 'quipu_reads_total{place="primary"}' in (await one.get("/metrics")).text


async def test_a_position_that_no_server_reached_is_answered_by_the_primary(memory: AsyncMemory) -> None:
    await memory.observe(GREEN, space="far")
    await read_at_standby(memory, "far")
    for far in (Position(1, 2**62), Position(2**31, 0)):
        texts, reads = await read(memory, "far", needs=far)
        assert texts == ["The boat is green."]
        assert set(reads) == {"primary"}
    assert await read_at_standby(memory, "far")


async def test_nothing_can_be_written_where_a_space_is_read(memory: AsyncMemory, database: Database) -> None:
    await memory.observe(GREEN, space="firm")

    @reads_only
    async def write() -> None:
        async with database.list_read("firm") as tx:
            assert tx is not None
            await tx.conn.execute("update core.spaces set version = version + 1")

    for _ in range(2):
        with pytest.raises(DatabaseUnsuitable, match="read-only"):
            await write()


async def test_what_the_replay_puts_out_is_answered_by_the_primary(doomed: Pair) -> None:
    places: list[int] = []
    with psycopg.connect(doomed.standby, autocommit=True) as conn:
        conn.execute("alter system set max_standby_streaming_delay = 0")
        conn.execute("select pg_reload_conf()")
        standby = conn.info.port

    def truncate() -> None:
        with psycopg.connect(doomed.primary, autocommit=True) as conn:
            conn.execute("truncate disturbed")

    async with Database.open(doomed.primary, settings_of(doomed), packages=PACKAGES) as database:

        @reads_only
        async def count() -> int:
            async with database.snapshot_read("ana") as tx:
                assert tx is not None
                places.append(tx.conn.info.port)
                counted = await tx.conn.value("select count(*) from disturbed")
                if tx.conn.info.port == standby:
                    await to_thread.run_sync(truncate)
                    await tx.conn.execute("select pg_sleep(20)")
                return counted

        async with database.write("ana"):
            pass
        with psycopg.connect(doomed.primary, autocommit=True) as conn:
            conn.execute("create table disturbed as select 1 as one")
            conn.execute("grant select on disturbed to quipu_app")
        doomed.wait()
        counted = 1
        while standby not in places:
            counted = await count()
    assert places[-1] != standby
    assert counted == 0


def test_doctor_tells_of_each_standby(doomed: Pair, tmp_path: Path) -> None:
    urls = f"{doomed.standby}, {doomed.primary}"
    quipu = CommandLine(
        tmp_path,
        {
            "QUIPU_DATABASE_URL": doomed.primary,
            "QUIPU_READ_URLS": urls,
            "QUIPU_EMBEDDING_MODEL": "hashing",
        },
    )
    quipu.run("migrate")

    def standbys() -> list[str]:
        found = quipu.json("doctor")["findings"]
        assert {one["state"] for one in found if one["name"] == "standby"} <= {"ok", "warn"}
        return [one["detail"].partition(" ")[2] for one in found if one["name"] == "standby"]

    assert until(lambda: standbys()[0] == "has all that is written")
    assert standbys()[1] == "is not read: it takes writes: it is no standby any more"
    doomed.pause()
    quipu.run("observe", "-", "--space", "ana", given="The boat is green.")
    assert re.fullmatch(r"is [\d,]+ bytes behind; its latest transaction is [\d.]+ s old", standbys()[0])
    doomed.kill_standby()
    assert until(lambda: standbys()[0] == "is not read: it gives no answer")


async def test_a_standby_that_died_is_left_out_and_told_once(
    doomed: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    async with AsyncMemory(settings=settings_of(doomed)) as memory:
        await memory.observe(GREEN, space="ana")
        await read_at_standby(memory, "ana")
        doomed.kill_standby()
        with caplog.at_level(logging.WARNING, logger="quipu"):
            reads = Counter({"standby": 1})
            while "standby" in reads:  # its processes end when they see that the first one is gone
                texts, reads = await read(memory, "ana")
                assert texts == ["The boat is green."]
            for _ in range(3):
                texts, reads = await read(memory, "ana")
                assert texts == ["The boat is green."]
                assert set(reads) == {"primary"}
        assert [one.message.partition(",")[0] for one in caplog.records if one.name == "quipu"] == [
            f"The standby {doomed.standby.split('@')[1].split('/')[0]} is left out"
        ]


async def test_a_standby_that_was_promoted_is_not_read(
    doomed: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    async with AsyncMemory(settings=settings_of(doomed)) as memory:
        await memory.observe(GREEN, space="ana")
        await read_at_standby(memory, "ana")
        doomed.promote()
        texts, reads = await read(memory, "ana")
        assert texts == ["The boat is green."]
        assert set(reads) == {"primary"}
    assert "it is no standby any more" in caplog.text


async def test_a_standby_of_the_old_primary_is_not_read_beside_the_new_one(doomed: Pair) -> None:
    """Both take writes: the standby that follows the old one is ahead, with another history."""
    third = doomed.directory / "third"
    with standby_of(doomed.primary, doomed.binaries, third) as follows_old:
        async with AsyncMemory(settings=settings_of(doomed)) as memory:
            await memory.observe(GREEN, space="ana")
        doomed.wait()
        doomed.promote()
        async with AsyncMemory(settings=settings_of(doomed)) as memory:
            await memory.observe([{"content": f"The boat is old {n}."} for n in range(50)], space="ana")
        new = replace(settings_of(doomed), database_url=doomed.standby, read_urls=follows_old)
        async with AsyncMemory(settings=new) as memory:
            for _ in range(3):
                texts, reads = await read(memory, "ana")
                assert texts == ["The boat is green."]
                assert set(reads) == {"primary"}
