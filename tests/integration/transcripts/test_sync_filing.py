"""What a sync left to be filed is filed by recalls, as if it had been there from the beginning."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from coding_sessions import FINDINGS, OPINIONS, World

from quipu import AsyncMemory
from quipu.interfaces.cli import claude
from quipu.record import backlog
from quipu.record.readers.claude_code import read

_ENTRIES = """
select e.id & 16777215 as position, e.happened_at, e.by_user, e.asks, e.words, e.tokens, e.mixed_tokens,
    e.from_previous, e.from_before, e.from_next, e.terms
from core.recall_entries e
join core.spaces s on s.id = e.space_id
where s.name = %s order by e.happened_at, e.id
"""


def talk(made: World, turns: int) -> Path:
    session = made.session("/home/ana/garden")
    for number in range(turns):
        session.prompt(f"{made.chance.choice(OPINIONS)} ({number})")
        session.answer([{"type": "text", "text": f"{made.chance.choice(FINDINGS)} ({number})"}])
    return session.write()


def entries(url: str, space: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as conn:
        return conn.execute(_ENTRIES, [space]).fetchall()


async def test_late_entries_are_what_they_would_have_been(memory: AsyncMemory, url: str, root: Path) -> None:
    path = talk(World(root), 40)
    await memory.import_messages(read(path), space="at once")
    await memory.transcripts.sync([path], space="late")
    assert await memory.transcripts.waiting(space="late") == 80
    assert await memory.transcripts.index(space="late") == 80
    assert await memory.transcripts.waiting(space="late") == 0
    assert entries(url, "late") == entries(url, "at once")
    before, after = [await memory.recall("login test", space=space) for space in ("at once", "late")]
    assert [hit.text for hit in before] == [hit.text for hit in after]
    assert [hit.score for hit in before] == pytest.approx([hit.score for hit in after], abs=1e-3)


async def test_a_recall_files_the_latest_first_and_no_more_than_it_has_time_for(
    memory: AsyncMemory, url: str, root: Path, monkeypatch
) -> None:
    talk(World(root), 60)
    await memory.transcripts.sync([root])
    monkeypatch.setattr(backlog, "BEFORE_A_RECALL_SECONDS", 5e-3)
    hits = await memory.recall("login", space="garden")
    left = await memory.transcripts.waiting(space="garden")
    assert 0 < left < 120
    assert len(entries(url, "garden")) == 120 - left
    assert hits
    oldest = min(row[0] for row in entries(url, "garden"))
    assert oldest == left  # what is filed is the end of the session


async def test_messages_said_meanwhile_stand_after_those_that_wait(
    memory: AsyncMemory, url: str, root: Path
) -> None:
    path = talk(World(root), 3)
    await memory.transcripts.sync([root])
    said = [{"content": "And the aconite?", "role": "user"}, {"content": "It is poisonous."}]
    await memory.observe(said, space="garden", session=path.stem)
    hits = await memory.recall("aconite", space="garden", limit=2)
    assert hits[0].text == "And the aconite?"
    assert [row[0] for row in entries(url, "garden")] == list(range(8))


async def test_text_of_the_projects_is_found_after_a_sync(
    memory: AsyncMemory, root: Path, made: World
) -> None:
    await memory.transcripts.sync([root])
    hits = await memory.recall("Why does the login test fail?", space="my-boats", limit=1)
    assert hits[0].text == OPINIONS[1]
    assert claude.recordings(root / "projects")


async def test_rules_are_kept_as_sessions_are_taken_in(memory: AsyncMemory, root: Path) -> None:
    session = World(root).session("/home/ana/garden")
    session.prompt("Always run the tests before you commit. And the login page is too slow.")
    session.answer([{"type": "text", "text": "Very well."}])
    session.write()
    await memory.transcripts.sync([root])
    (rule,) = await memory.rules.list(space="garden")
    assert (rule.text, rule.user) == ("Always run the tests before you commit.", None)
    assert (
        "Always run the tests"
        in (await memory.recall_block("fix the login", budget_tokens=400, space="garden")).text
    )

    session.prompt("You no longer have to run the tests before you commit.")
    session.write()
    await memory.transcripts.sync([root])
    assert await memory.rules.list(space="garden") == []
    (ended,) = await memory.rules.list(space="garden", state="archived")
    assert (ended.id, ended.ended_by) == (rule.id, "rule")


async def test_what_an_agent_tells_its_helper_is_no_rule(memory: AsyncMemory, root: Path) -> None:
    world = World(root)
    session = world.session("/home/ana/garden")
    session.prompt("Look into the login.")
    session.write()
    helper = world.session("/home/ana/garden", agent="a1", parent=session)
    helper.prompt("Always answer in JSON.")
    helper.write()
    await memory.transcripts.sync([root])
    assert await memory.rules.list(space="garden") == []
