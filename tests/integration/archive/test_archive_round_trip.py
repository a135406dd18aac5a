"""What an archive carries comes back as it was: the archive of a space that was taken in is the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
import seeding
from archive_space import SPACE
from long_form import sized

from quipu import AsyncMemory
from quipu.kernel.config import Settings
from quipu.testing import FrozenClock
from quipu.upkeep.archive.tables import CARRIED

pytestmark = pytest.mark.anyio


def records(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.ndjson"))}


async def test_an_archive_that_was_taken_in_is_written_the_same(
    full: AsyncMemory, other: AsyncMemory, tmp_path: Path
) -> None:
    await full.archives.export(tmp_path / "first", space=SPACE)
    first = records(tmp_path / "first")
    assert {name.removesuffix(".ndjson") for name in first} == {one.kind for one in CARRIED}
    done = await other.archives.load(tmp_path / "first", space="elsewhere")
    lines = {name.removesuffix(".ndjson"): data.count(b"\n") for name, data in first.items()}
    assert done.records == {**lines, "tables": 1}
    assert done.withheld == {}
    await other.archives.export(tmp_path / "second", space="elsewhere")
    assert records(tmp_path / "second") == first


ASKED = tuple(
    f"{asks} {what} {when}?"
    for asks in ("Where does Una live", "What did", "Who has", "Why did", "Which boat")
    for what in ("the aardvark", "Una", "the harbour", "nobody", "the report", "the loop", "Docker", "boats")
    for when in ("", "in March 2026", "yesterday", "near the harbour", "as a pet")
)
QUESTIONS = ASKED[:: sized(4, long=1)]


async def answers(settings: Settings, space: str) -> list[list[tuple[str, str, float]]]:
    """What each question finds at one moment, once everything is filed."""
    async with AsyncMemory(settings=settings, clock=FrozenClock(datetime(2027, 1, 1, tzinfo=UTC))) as asking:
        for _ in range(3):
            await asking.recall("aardvark", space=space)
        hits = [await asking.recall(question, space=space, limit=10) for question in QUESTIONS]
        return [[(hit.kind, hit.text, hit.score) for hit in found] for found in hits]


@pytest.mark.long
async def test_the_same_questions_find_the_same(
    full: AsyncMemory,
    other: AsyncMemory,
    server_settings: Settings,
    full_url: str,
    other_url: str,
    tmp_path: Path,
) -> None:
    assert len(QUESTIONS) == sized(50, long=200)
    await full.archives.export(tmp_path / "space.tar", space=SPACE)
    await other.archives.load(tmp_path / "space.tar", space=SPACE)
    before = await answers(replace(server_settings, database_url=full_url), SPACE)
    after = await answers(replace(server_settings, database_url=other_url), SPACE)
    assert sum(map(len, before)) > len(QUESTIONS)
    for question, one, two in zip(QUESTIONS, before, after, strict=True):
        assert [hit[:2] for hit in one] == [hit[:2] for hit in two], question
        assert [hit[2] for hit in one] == pytest.approx([hit[2] for hit in two], abs=1.01e-6), question


async def test_tables_of_agents_come_back_with_rows_grants_and_what_they_are_for(
    full: AsyncMemory, other: AsyncMemory, tmp_path: Path
) -> None:
    await full.tables.create_schema("plans", description="What is planned.", space=SPACE)
    await full.tables.grant("helper", "read", schema="plans", space=SPACE)
    insert = "insert into plans.steps (what) select 'step ' || n from generate_series(1, 300) n"
    make = "create table plans.steps (id int generated always as identity primary key, what text not null)"
    schema = {"space": SPACE, "schema": "plans"}
    await full.tables.execute(make.replace("plans.", ""), **schema, confirm=True)
    await full.tables.execute(insert.replace("plans.", ""), **schema, confirm=True)
    await full.archives.export(tmp_path / "a.tar.gz", space=SPACE)
    await other.archives.load(tmp_path / "a.tar.gz", space="elsewhere")
    for memory, space in ((full, SPACE), (other, "elsewhere")):
        ask = "select what from steps order by id"
        rows = await memory.tables.query(ask, limit=500, space=space, schema="plans")
        assert [row["what"] for row in rows.results] == [f"step {n}" for n in range(1, 301)]
    schemas = {one.name: one.description for one in await other.tables.schemas(space="elsewhere")}
    assert schemas == {one.name: one.description for one in await full.tables.schemas(space=SPACE)}
    grants = await other.tables.grants(schema="plans", space="elsewhere")
    assert [(one.agent, one.permission) for one in grants] == [("helper", "read")]
    await other.tables.insert("steps", {"what": "one more"}, space="elsewhere", schema="plans")


async def test_what_is_written_next_gets_numbers_of_its_own(
    full: AsyncMemory, other: AsyncMemory, other_url: str, tmp_path: Path
) -> None:
    await full.archives.export(tmp_path / "a", space=SPACE)
    await other.archives.load(tmp_path / "a", space=SPACE)
    for number in range(3):
        await other.observe([{"content": f"new {number}"}], space=SPACE)
        await other.observe([{"content": f"new {number}"}], space=SPACE, session=f"new {number}")
        await other.observe([{"content": f"more {number}"}], space=SPACE, session=seeding.SESSION)
    assert (await other.ledger.set("new", "one", space=SPACE, session=seeding.SESSION)).event is not None
    assert (await other.ledger.set("new", "one", space=SPACE, user=seeding.USER)).event is not None
    await seeding.longterm(other, SPACE, "bonobo")
    await seeding.documents(other, SPACE, "bonobo")
    with psycopg.connect(other_url) as conn:
        reached = conn.execute("select max(id) from core.sessions").fetchone()
        given = conn.execute("select last_value from core.sessions_id_seq").fetchone()
    assert reached is not None
    assert given is not None
    assert given >= reached
    assert "new 2" in [hit.text for hit in await other.recall("What is new 2?", space=SPACE)]


class Stopped(Exception):
    """The import is cut off here."""


async def test_an_import_that_is_cut_off_leaves_nothing_and_can_be_done_again(
    full: AsyncMemory, other: AsyncMemory, tmp_path: Path
) -> None:
    await full.archives.export(tmp_path / "first", space=SPACE)
    for left in (0, 1, 20, 55):
        calls = iter(range(left))

        def step(_records: int, calls: Iterator[int] = calls) -> None:
            if next(calls, None) is None:
                raise Stopped

        with pytest.raises(Stopped):
            await other.archives.load(tmp_path / "first", space=SPACE, progress=step)
        assert await other.sessions(space=SPACE) == []
        assert await other.recall("aardvark", space=SPACE) == []
    await other.archives.load(tmp_path / "first", space=SPACE)
    await other.archives.export(tmp_path / "second", space=SPACE)
    assert records(tmp_path / "second") == records(tmp_path / "first")
