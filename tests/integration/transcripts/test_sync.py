"""A sync of recorded sessions gives exactly what happened in them, however often it is done."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from coding_sessions import World
from told import everything, expected, sessions, tokens

from quipu import AsyncMemory
from quipu.interfaces.cli import claude


async def test_a_sync_tells_the_truth(memory: AsyncMemory, url: str, root: Path, made: World) -> None:
    """Spans, projects, tokens, titles, parents: what the system it comes from had wrong."""
    report = await memory.transcripts.sync([root])
    assert report.troubles == ()
    assert sessions(url) == expected(made)
    assert tokens(url) == made.tokens()
    boats, shop = report.spaces["my-boats"], report.spaces["web.shop"]
    assert boats.lines + shop.lines == sum(truth.lines for truth in made.sessions.values())
    assert boats.messages + shop.messages == sum(len(truth.said) for truth in made.sessions.values())
    assert boats.unknown == made.unknown
    assert boats.passed == made.passed
    assert (boats.prompts, boats.teams, boats.tasks) == (1, 1, 2)
    assert (shop.prompts, shop.tasks) == (1, 1)


async def test_a_second_sync_changes_nothing(memory: AsyncMemory, url: str, root: Path, made: World) -> None:
    await memory.transcripts.sync([root])
    before = everything(url)
    again = await memory.transcripts.sync([root])
    assert (again.spaces, again.troubles) == ({}, ())
    assert everything(url) == before


async def test_copied_lines_are_shown_by_both_sessions_and_cost_once(
    memory: AsyncMemory, url: str, root: Path, made: World
) -> None:
    await memory.transcripts.sync([root])
    copies = psycopg.connect(url).execute(
        "select count(*) from (select uuid from transcripts.lines group by uuid having count(*) = 2) t"
    )
    assert copies.fetchone() == (next(iter(made.sessions.values())).lines - 1,)  # the queued one has no uuid
    assert tokens(url) == made.tokens()


async def test_sync_and_import_agree(memory: AsyncMemory, root: Path, made: World) -> None:
    """What the one took in, the other knows, in both orders."""
    files = claude.recordings(root / "projects")
    await memory.transcripts.sync([root], space="first synced")
    report = await memory.import_messages(claude.messages(files), space="first synced")
    said = sum(len(truth.said) for truth in made.sessions.values())
    assert (report.imported, report.duplicates, report.refused) == (0, said, ())
    assert (await memory.import_messages(claude.messages(files), space="first imported")).imported == said
    synced = await memory.transcripts.sync([root], space="first imported")
    assert synced.spaces["first imported"].messages == 0
    assert synced.lines == sum(truth.lines for truth in made.sessions.values())


async def test_what_came_since_is_taken_in(memory: AsyncMemory, url: str, root: Path, made: World) -> None:
    session = made.session("/home/ana/garden")
    session.prompt("Plant the beans.")
    session.write()
    await memory.transcripts.sync([root])
    session.says("Done.")
    session.prompt("And the peas?")
    path = session.write()
    report = await memory.transcripts.sync([root])
    assert report.spaces["garden"].lines == 3
    whole = path.read_bytes()
    session.says("Yes.")
    session.write()
    path.write_bytes(path.read_bytes()[:-20])  # the last line is being written
    assert (await memory.transcripts.sync([root])).lines == 1
    path.write_bytes(whole + path.read_bytes()[len(whole) :])
    session.path.unlink()
    session.pending = [json.dumps(record) for record in session.records]
    session.write()
    assert (await memory.transcripts.sync([root])).lines == 1
    assert sessions(url)[session.name] == session.truth


async def test_a_file_that_was_rewritten_is_read_anew(
    memory: AsyncMemory, url: str, root: Path, made: World
) -> None:
    """Lines that are gone from it stay, those that are new come in, nothing is there twice."""
    session = made.session("/home/ana/garden")
    for number in range(6):
        session.prompt(f"Plant bed {number}.")
    path = session.write()
    await memory.transcripts.sync([root])
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[3:]))
    report = await memory.transcripts.sync([root])
    assert "rewritten" in report.troubles[0].reason
    assert (report.lines, sessions(url)[session.name].lines) == (0, 6)
    session.prompt("And a seventh.")
    session.write()
    assert (await memory.transcripts.sync([root])).lines == 1
    assert sessions(url)[session.name] == session.truth


async def test_one_space_for_all_projects(memory: AsyncMemory, root: Path, made: World) -> None:
    report = await memory.transcripts.sync([root], space="all")
    assert set(report.spaces) == {"all"}
    assert report.spaces["all"].sessions == len(made.sessions)


def begin(root: Path) -> None:
    """Make a transcript in which nothing stands yet."""
    next(root.rglob("*.jsonl")).with_name("begun.jsonl").touch()


async def test_pending_tells_what_a_sync_would_read(memory: AsyncMemory, root: Path, made: World) -> None:
    found = await memory.transcripts.pending([root])
    report = await memory.transcripts.sync([root])
    assert {name: (one.files, one.bytes) for name, one in found.items()} == {
        name: (one.files, one.bytes) for name, one in report.spaces.items()
    }
    begin(root)
    assert await memory.transcripts.pending([root]) == {}


async def test_the_details_of_lines_are_kept(memory: AsyncMemory, url: str, root: Path, made: World) -> None:
    await memory.transcripts.sync([root])
    with psycopg.connect(url) as conn:
        marks = conn.execute(
            "select count(*) filter (where is_meta), count(*) filter (where is_compact_summary),"
            " count(*) filter (where is_sidechain), count(*) filter (where thinking is not null),"
            " count(distinct git_branch) from transcripts.lines"
        ).fetchone()
        spilled = conn.execute(
            "select length(content), spilled_from from transcripts.tool_results"
            " where spilled_from is not null limit 1"
        ).fetchone()
        edited = conn.execute(
            "select distinct path from transcripts.tool_calls where tool_name = 'Edit'"
        ).fetchall()
        logical = conn.execute(
            "select count(*) from transcripts.lines"
            " where logical_parent_uuid is not null and parent_uuid is null"
        ).fetchone()
        images = conn.execute(
            "select blocks from transcripts.lines where blocks::text like '%image/png%'"
        ).fetchone()
    assert marks == (2, 2, 6, 9, 2)
    assert spilled is not None
    assert spilled[0] == 60_000 + len("\nThe end of the long output.")
    assert edited == [("/home/ana/my-boats/src/tide.py",)]
    assert logical == (2,)
    assert images == (
        [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data_characters": 12}}],
    )


async def test_forgetting_a_session_leaves_nothing_of_it_and_a_sync_does_not_bring_it_back(
    memory: AsyncMemory, url: str, root: Path, made: World
) -> None:
    session = made.session("/home/ana/garden")
    session.prompt("Plant the aconite.")
    session.tool("Bash", {"command": "echo aconite"}, "aconite")
    session.titled(ai="aconite")
    session.write()
    await memory.transcripts.sync([root])
    assert any("aconite" in row for rows in everything(url).values() for row in rows)
    await memory.forget(space="garden", session=session.name, confirm=True)
    left = {name for name, rows in everything(url).items() for row in rows if "aconite" in row}
    assert left == set()
    assert (await memory.transcripts.sync([root])).lines == 0


@pytest.mark.parametrize("first", ["forgotten before it is filed", "forgotten after it is filed"])
async def test_forgetting_a_message_takes_its_line(
    memory: AsyncMemory, url: str, root: Path, made: World, first: str
) -> None:
    session = made.session("/home/ana/garden")
    line = session.prompt("Plant the aconite.")
    session.says("Planted.")
    session.write()
    await memory.transcripts.sync([root])
    if "after" in first:
        assert await memory.recall("aconite", space="garden")
    await memory.forget(space="garden", message=line["uuid"], confirm=True)
    assert not [row for rows in everything(url).values() for row in rows if "aconite" in row]
