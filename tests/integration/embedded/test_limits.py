"""What one caller may take of a server: memory, temporary room, time, connections, turns."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import anyio
import httpx
import pytest
from long_form import LONG
from notes_table import make_notes

from quipu import AsyncMemory
from quipu.errors import LimitReached, TooManyRequests
from quipu.interfaces.server import create_app
from quipu.kernel.config import Settings
from quipu.kernel.db.turns import Turns

pytestmark = pytest.mark.anyio

TOO_MUCH = {
    "memory": "select string_agg(repeat('x', 1000000), '') from generate_series(1, 1000)",
    "memory of an array": "select array_agg(repeat('x', 100000) || n) from generate_series(1, 30000) n",
    "length": "select length(repeat('x', 1000000000) || repeat('x', 1000000000))",
    "a regular expression": r"select 'a' ~ '(((a{1,200}){1,200}){1,200})'",
    "temporary room": "select count(*) from (select n, md5(n::text) from generate_series(1, 20000000) n "
    "order by 2 offset 5) x",
    "depth": "select " + "(" * 20000 + "1" + ")" * 20000,
    "columns": "select " + ", ".join(["1"] * 2000),
    "time": "select pg_sleep(60)",
}


@pytest.fixture
def home_to_copy(migrated_home: Path) -> Path:
    return migrated_home


@pytest.fixture
async def memory(settings: Settings) -> AsyncIterator[AsyncMemory]:
    """A memory whose statements have five seconds, and its processes 700 MB."""
    own = replace(settings, embedding_model="hashing", statement_seconds=5.0, backend_memory_mb=700)
    async with AsyncMemory(settings=own) as opened:
        await make_notes(opened)
        yield opened


@pytest.mark.long
async def test_whoever_asks_for_too_much_is_told_so_and_nobody_else_is_hurt(memory: AsyncMemory) -> None:
    app = create_app(memory=memory)
    key = (await memory.keys.create("ana", space="ana", level="admin")).token
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app=app),
                base_url="http://localhost",
                headers={"authorization": f"Bearer {key}"},
                timeout=None,
            )
        )
        for number, (what, statement) in enumerate(TOO_MUCH.items()):
            if (
                LONG or number % 2 == 0
            ):  # each takes seconds: the long form asks for all of them at both doors
                answer = await client.post("/v1/transcripts/query", json={"sql": statement})
                assert answer.status_code == 422, (what, answer.text)
                assert answer.json()["hint"], what
            if LONG or number % 2 == 1:
                with pytest.raises(LimitReached):
                    await memory.tables.query(statement, space="ana")
        answer = await client.post("/v1/tables/query", json={"sql": TOO_MUCH["length"]})
        assert answer.status_code == 422, answer.text
        assert (await client.post("/v1/recall", json={"question": "What?"})).status_code == 200


async def test_statements_beyond_those_at_once_wait_and_are_told_to_come_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("quipu.kernel.db.turns._WAIT_SECONDS", 0.2)
    turns = Turns(2)
    async with turns.take("ana"):
        with pytest.raises(TooManyRequests):
            async with turns.take("ana"):
                pytest.fail("a space has half of the turns")
        async with turns.take("bo"):
            pass
        with anyio.fail_after(60):  # a turn that was given back is there for the next
            async with turns.take("bo"):
                pass
