"""What was forgotten does not come back with an import, also of lines that have no id of their own."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

import anyio
import psycopg
import pytest
from patience import PATIENCE_SECONDS

from quipu import AsyncMemory
from quipu.record.model import Report
from quipu.record.readers.jsonl import FromFile

pytestmark = pytest.mark.anyio
TIME = "2026-03-01T10:00:00Z"
LINES = [
    {"content": "I live in Lisbon.", "user": "marisol", "session": "s1", "time": TIME},
    {"content": "The ferry leaves at nine.", "user": "marisol", "session": "s2", "time": TIME},
    {"content": "Noted.", "role": "assistant", "session": "s2", "id": "1", "time": TIME},
    {"content": "I like tea.", "user": "ben", "session": "s3", "id": "1", "time": TIME},
]


@pytest.mark.parametrize(
    ("named", "withheld"),
    [({}, 4), ({"user": "marisol"}, 3), ({"session": "s2"}, 2), ({"message": "1"}, 2)],
)
async def test_lines_are_known_again_by_what_they_say_or_by_their_id_in_their_session(
    memory: AsyncMemory, named: Mapping[str, str], withheld: int
) -> None:
    await memory.import_messages(LINES, space="team")
    await memory.forget(space="team", **named, confirm=True)
    done = await memory.import_messages(LINES, space="team")
    assert (done.withheld, done.imported, done.duplicates) == (withheld, 0, 4 - withheld)
    assert (await memory.import_messages(LINES, space="other")).imported == 4
    again = await memory.import_messages(LINES, space="team", erased_too=True)
    assert (again.withheld, again.imported) == (0, withheld)


async def test_what_is_said_anew_is_no_recording(memory: AsyncMemory) -> None:
    """Who forgets a message to say it in other words may keep its id; and a session goes on."""
    await memory.import_messages(LINES, space="team")
    await memory.forget(space="team", session="s3", confirm=True)
    said = [{"content": "I like coffee.", "session": "s3", "id": "1"}]
    assert (await memory.observe(said, space="team")).imported == 1
    later = [{"content": "With milk.", "session": "s3", "time": datetime.now(UTC).isoformat()}]
    assert (await memory.import_messages(later, space="team")).imported == 1


async def test_retention_is_no_erasure(memory: AsyncMemory, url: str) -> None:
    await memory.import_messages(LINES, space="team")
    with psycopg.connect(url) as conn:
        conn.execute("update core.messages set recorded_at = recorded_at - interval '3 days'")
    gone = await memory.ledger.retention(space="team", session_days=1, confirm=True)
    assert gone.sessions == 3
    again = await memory.import_messages(LINES, space="team")
    assert (again.imported, again.withheld) == (4, 0)


@pytest.mark.parametrize("named", [{}, {"user": "marisol"}, {"session": "s1"}])
async def test_an_import_that_is_under_way_takes_in_no_more_of_what_is_forgotten(
    memory: AsyncMemory, url: str, named: Mapping[str, str]
) -> None:
    """Its first messages are stored by then; the file has more of them, which were never stored."""
    stored, gate, done = anyio.Event(), threading.Event(), list[Report]()

    def lines() -> Iterator[dict[str, str]]:
        for number in range(1_200):
            if number == 1_000:
                gate.wait(PATIENCE_SECONDS)
            yield {"content": f"Bearing {number} of the light.", "user": "marisol", "session": "s1"}

    async def take() -> None:
        told = FromFile(lines())
        done.append(await memory.import_messages(told, space="team", progress=lambda _: stored.set()))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(take)
        await stored.wait()
        await memory.forget(space="team", **named, confirm=True)
        gate.set()
    assert done[0].withheld >= 400
    with psycopg.connect(url) as conn:
        for table in ("messages", "sessions", "recall_entries"):
            assert conn.execute(f"select count(*) from core.{table}".encode()).fetchone() == (0,), table


async def test_the_hashes_tell_nobody_anything(memory: AsyncMemory, url: str) -> None:
    await memory.import_messages(LINES, space="team")
    await memory.forget(space="team", confirm=True)
    with psycopg.connect(url) as conn:
        for role in ("quipu_app", "quipu_see", "quipu_person"):
            right = "select has_table_privilege(%s, 'core.tombstones', 'select, insert, update, delete')"
            assert conn.execute(right, [role]).fetchone() == (False,), role
        rows = str(conn.execute("select t::text from core.tombstones t").fetchall())
        assert not any(word in rows for word in ("team", "marisol", "s1"))
