"""Forgetting on a server where our login is no superuser: what it cannot see or do is said."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import anyio
import psycopg
import pytest
from plain_server import PASSWORD, plain_server
from psycopg import conninfo

from quipu import AsyncMemory
from quipu.errors import Conflict
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def limited() -> Iterator[tuple[str, str]]:
    """URLs of a database for its owner, who may make roles and no more, and for the superuser."""
    directory = Path(tempfile.mkdtemp(prefix="quipu-test-"))
    directory.chmod(0o711)
    binaries = anyio.run(embedded.programs, Settings(home=directory))
    with plain_server(binaries, directory / "elsewhere") as url:
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute(f"create role ordinary login createrole password '{PASSWORD}'".encode())
            conn.execute("create database theirs owner ordinary")
        theirs = conninfo.make_conninfo(url, dbname="theirs")
        with psycopg.connect(theirs, autocommit=True) as conn:
            for extension in ("vector", "pg_trgm", "pgcrypto"):
                conn.execute(f"create extension if not exists {extension}".encode())
        yield url.replace("admin", "ordinary").replace("/postgres", "/theirs"), theirs
    shutil.rmtree(directory)


async def test_what_an_ordinary_login_cannot_do_is_said(limited: tuple[str, str]) -> None:
    settings = Settings(database_url=limited[0], embedding_model="hashing", pool_size=2)
    async with AsyncMemory(settings=settings) as memory:
        await memory.observe([{"content": "I live in Lisbon.", "user": "marisol"}], space="team")
        done = await memory.forget(space="team", user="marisol", confirm=True)
        assert done.receipt
        assert done.remains
        found = await memory.check_erasure(done.receipt, ["Lisbon"], space="team")
        assert not found.clean
        places = {one.place: one for one in found.places}
        assert places["write-ahead log"].state == places["data files"].state == "not reachable"
        with psycopg.connect(limited[1]) as looking:  # somebody else, of whom this login is told little
            looking.execute("select txid_current()")
            with pytest.raises(Conflict, match="1 transactions"):
                await memory.rewrite_freed(done.receipt, space="team", confirm=True)
        anew = await memory.rewrite_freed(done.receipt, space="team", confirm=True)
        assert not anew.log_renewed  # it takes a superuser
        assert not (await memory.check_erasure(done.receipt, ["Lisbon"], space="team")).clean
