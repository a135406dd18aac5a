"""Servers that are not there, do not let us in, lack something or have no room: said, with the way out."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import anyio
import psycopg
import pytest
from patience import PATIENCE_SECONDS
from plain_server import PASSWORD, plain_server, standby_of
from psycopg import conninfo

from quipu import AsyncMemory
from quipu.app.kinds import PACKAGES
from quipu.errors import ConfigError, DatabaseError, DatabaseUnavailable, DatabaseUnsuitable, DiskFull
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Database
from quipu.upkeep.consistency import examine

pytestmark = pytest.mark.anyio
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")


@pytest.fixture(scope="module")
def open_dir() -> Iterator[Path]:
    """A directory that every account may pass through, as pytest's own are not."""
    directory = Path(tempfile.mkdtemp(prefix="quipu-test-"))
    directory.chmod(0o711)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="module")
def binaries(open_dir: Path) -> embedded.Binaries:
    return anyio.run(embedded.programs, Settings(home=open_dir))


@pytest.fixture(scope="module")
def elsewhere(binaries: embedded.Binaries, open_dir: Path) -> Iterator[str]:
    """The URL of a server with users and passwords."""
    with plain_server(binaries, open_dir / "elsewhere") as url:
        yield url


def settings(url: str, connect_seconds: float = 30) -> Settings:
    return Settings(database_url=url, embedding_model="hashing", connect_seconds=connect_seconds, pool_size=2)


async def test_queries_of_readers_log_in_with_a_password_of_their_space(elsewhere: str) -> None:
    async with AsyncMemory(settings=settings(elsewhere)) as memory:
        for space in ("boats", "trains"):
            await memory.observe([{"content": "The boat is green."}], space=space)
        with psycopg.connect(elsewhere, autocommit=True) as conn:
            conn.execute("select core.harden()")
        ((role,),) = (await memory.transcripts.query("select current_user::text", space="boats")).rows
        ((other,),) = (await memory.transcripts.query("select current_user::text", space="trains")).rows
        assert role.startswith("quipu_see_")
        assert role != other
        for password in ("", "wrong"):
            with pytest.raises(psycopg.OperationalError, match="password"):
                psycopg.connect(conninfo.make_conninfo(elsewhere, user=role, password=password))
        with psycopg.connect(elsewhere, autocommit=True) as conn:  # as in a copy on another server
            conn.execute(f"drop role {role}".encode())
        assert (await memory.transcripts.query("select current_user::text", space="boats")).rows == ((role,),)
        await memory.forget(space="boats", confirm=True)
        await memory.observe([{"content": "The boat is red."}], space="boats")
        ((anew,),) = (await memory.transcripts.query("select current_user::text", space="boats")).rows
        assert anew not in {role, other}
    with psycopg.connect(elsewhere) as conn:
        there = conn.execute("select rolname::text from pg_roles where rolname ~ '^quipu_see_'").fetchall()
        assert {name for (name,) in there} == {anew, other}


async def refused(url: str, connect_seconds: float = 30) -> DatabaseError:
    """What opening a memory there raises."""
    with pytest.raises(DatabaseError) as caught:
        async with AsyncMemory(settings=settings(url, connect_seconds)):
            pass
    assert PASSWORD not in str(caught.value)
    return caught.value


async def test_a_server_by_url_works(elsewhere: str) -> None:
    async with AsyncMemory(settings=settings(elsewhere)) as memory:
        await memory.observe([{"content": "The boat is green."}], space="s")
        assert len(await memory.recall("boat", space="s")) == 1
        await memory.forget(space="s", confirm=True)


async def test_a_wrong_password_is_said(elsewhere: str) -> None:
    error = await refused(elsewhere.replace(PASSWORD, "wrong"))
    assert isinstance(error, DatabaseUnavailable)
    assert "password" in (error.hint or "")
    assert "wrong" not in error.message


async def test_a_missing_password_is_said(elsewhere: str) -> None:
    error = await refused(elsewhere.replace(f":{PASSWORD}", ""))
    assert "password" in (error.hint or "")


async def test_an_unknown_user_or_database_is_said(elsewhere: str) -> None:
    assert "password" in ((await refused(elsewhere.replace("admin", "nobody"))).hint or "")
    error = await refused(elsewhere.replace("/postgres", "/nowhere"))
    assert "nowhere" in error.message
    assert "createdb" in (error.hint or "")


async def test_a_server_that_is_not_there_is_said_soon() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens behind it
        error = await refused(f"postgresql://admin@127.0.0.1:{taken.getsockname()[1]}/postgres", 3)
    assert isinstance(error, DatabaseUnavailable)
    assert "QUIPU_DATABASE_URL" in (error.hint or "") or "doctor" in (error.hint or "")


async def test_a_server_that_never_answers_is_given_up() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        error = await refused(f"postgresql://admin@127.0.0.1:{silent.getsockname()[1]}/postgres", 1)
    assert isinstance(error, DatabaseUnavailable)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nonsense",
        "http://example.org",
        "postgresql://",
        "postgresql://[",
        "sqlite:///x.db",
        "postgresql://host:port/x",
    ],
)
async def test_what_is_no_url_is_said(url: str) -> None:
    with pytest.raises((ConfigError, DatabaseError)) as caught:
        async with AsyncMemory(settings=settings(url, 3)):
            pass
    assert caught.value.hint


async def test_a_server_without_pgvector_is_said(binaries: embedded.Binaries, open_dir: Path) -> None:
    with plain_server(binaries, open_dir / "bare", without="vector") as url:
        error = await refused(url)
        assert isinstance(error, DatabaseUnsuitable)
        assert "pgvector" in f"{error}"
        with psycopg.connect(url) as conn:  # and nothing was left half made
            assert conn.execute("select count(*) from pg_namespace where nspname = 'core'").fetchone() == (0,)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
async def test_a_database_that_cannot_hold_every_text_is_said(elsewhere: str, encoding: str) -> None:
    with psycopg.connect(elsewhere, autocommit=True) as conn:
        conn.execute(
            f"create database narrow_{encoding} encoding '{encoding}' locale 'C' template template0".encode()
        )
    error = await refused(elsewhere.replace("/postgres", f"/narrow_{encoding.lower()}"))
    assert isinstance(error, DatabaseUnsuitable)
    assert encoding in error.message
    assert "UTF8" in (error.hint or "")


async def test_a_user_without_the_rights_is_told_what_is_needed(elsewhere: str) -> None:
    with psycopg.connect(elsewhere, autocommit=True) as conn:
        conn.execute("create role weak login password 'weak'")
        conn.execute("create database weakdb")
    error = await refused(elsewhere.replace(f"admin:{PASSWORD}", "weak:weak").replace("/postgres", "/weakdb"))
    assert isinstance(error, DatabaseUnsuitable)
    assert error.hint


async def test_a_replica_is_read_and_refuses_what_would_be_written(
    elsewhere: str, binaries: embedded.Binaries, open_dir: Path
) -> None:
    async with AsyncMemory(settings=settings(elsewhere)) as memory:
        await memory.observe([{"content": "The boat is green."}], space="read")
    with standby_of(elsewhere, binaries, open_dir / "standby") as url:
        async with AsyncMemory(settings=settings(url)) as memory:
            assert len(await memory.recall("boat", space="read")) == 1
            with pytest.raises(DatabaseUnsuitable, match="read-only") as caught:
                await memory.observe([{"content": "The boat is red."}], space="read")
            assert "primary" in (caught.value.hint or "")


async def test_a_connection_that_was_cut_is_said_or_made_again(elsewhere: str) -> None:
    async with AsyncMemory(settings=settings(elsewhere)) as memory:
        await memory.observe([{"content": "The boat is green."}], space="cut")
        for _ in range(3):
            with psycopg.connect(elsewhere, autocommit=True) as conn:
                conn.execute(  # and waits until they are gone
                    "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
                    " where application_name = 'quipu'"
                )
            assert len(await memory.recall("boat", space="cut")) == 1


@contextmanager
def small_disk(where: Path, megabytes: int) -> Iterator[Path]:
    where.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0711", "tmpfs", where], check=True)
    try:
        yield where
    finally:
        subprocess.run(["umount", where], check=True)


@needs_root
async def test_a_disk_that_fills_up_is_said_and_nothing_that_was_acknowledged_is_lost(open_dir: Path) -> None:
    with small_disk(open_dir / "disk", 200) as disk:
        home = Settings(home=disk / "home", embedding_model="hashing", shared_buffers_mb=16, pool_size=2)
        ballast = disk / "ballast"
        async with AsyncMemory(settings=home) as memory:
            acknowledged = await fill(memory, ballast, disk)
            ballast.unlink()
            found = await until_it_answers(memory, acknowledged)
            assert found >= acknowledged
            await memory.observe([{"content": "The boat came home."}], space="s")
        async with (
            await embedded.start(home) as server,
            Database.open(server.conninfo(), home, packages=PACKAGES) as opened,
        ):
            assert await examine(opened) == []


async def fill(memory: AsyncMemory, ballast: Path, disk: Path) -> int:
    """Write until the disk is full; how many messages were acknowledged."""
    acknowledged: list[int] = []
    await memory.observe([{"content": "The boat is green."}], space="s")
    free = shutil.disk_usage(disk).free
    with ballast.open("wb") as file:
        file.write(bytes(max(0, free - 2_000_000)))
    with pytest.raises(DatabaseError) as caught:
        await write_without_end(memory, acknowledged)
    assert isinstance(caught.value, DiskFull) or "Make room" in (caught.value.hint or ""), caught.value
    return len(acknowledged)


async def write_without_end(memory: AsyncMemory, acknowledged: list[int]) -> None:
    for n in range(100_000):
        content = f"boat {n} " + f"{n} word " * 300
        await memory.observe([{"id": f"m{n}", "content": content}], space="s", session="s")
        acknowledged.append(n)


async def until_it_answers(memory: AsyncMemory, acknowledged: int) -> int:
    """The server may have gone down for want of room and come up again."""
    with anyio.fail_after(PATIENCE_SECONDS):
        while True:
            with suppress(DatabaseUnavailable):
                return sum(session.messages for session in await memory.sessions(space="s"))
            await anyio.sleep(0.5)
