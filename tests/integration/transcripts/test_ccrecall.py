"""A file of ccrecall taken in, written again, and compared with what it was."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from ccrecall import CWD, GUESSED, SECRET, START, at, ccrecall

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict, NotFound
from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.sqlite import rules

pytestmark = pytest.mark.anyio


def table(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(query).fetchall()


async def stored(database: Database, space: str, query: str) -> list[tuple[Any, ...]]:
    async with database.snapshot_read(space) as tx:
        assert tx is not None
        return await (await tx.conn.execute(query.encode())).fetchall()


async def test_everything_of_the_file_is_taken_in(
    memory: AsyncMemory, database: Database, tmp_path: Path
) -> None:
    report = await memory.transcripts.import_sqlite(ccrecall(tmp_path / "c.db", memories=True))
    assert report.spaces == {"my-boat": 1, "api": 1}
    assert report.new == {
        "messages": 5,
        "lines": 9,
        "tool_calls": 1,
        "tool_results": 1,
        "teams": 1,
        "team_members": 1,
        "team_tasks": 1,
        "memories": 4,
    }
    assert sum(report.redacted.values()) == 2
    found = await stored(
        database, "my-boat", "select type, content_text from transcripts.messages order by timestamp"
    )
    assert found[0] == ("user", "Paint the mast green, please.")
    assert found[4][0] == "assistant"
    assert SECRET not in str(found)
    assert [hit.text for hit in await memory.recall("Which port has the API?", space="api")]


async def test_what_the_origin_got_wrong_is_right(
    memory: AsyncMemory, database: Database, tmp_path: Path
) -> None:
    report = await memory.transcripts.import_sqlite(ccrecall(tmp_path / "c.db", memories=True))
    assert report.repaired == {
        rules.WRONG_PROJECTS: 1,
        rules.SHORT_SPANS: 2,
        rules.REPEATED_TOKENS: 1,
        rules.REPEATED_RESULTS: 1,
        rules.LEFT_OUT_THINKING: 1,
        rules.ODD_MEMORIES: 6,
    }
    ((project, first, last),) = await stored(
        database, "my-boat", "select project_path, first_timestamp, last_timestamp from transcripts.sessions"
    )
    assert (project, first, last) == (CWD, at(0), at(122))
    ((read, spent),) = await stored(
        database, "my-boat", "select sum(input_tokens), sum(output_tokens) from transcripts.messages"
    )
    assert (read, spent) == (12, 52)
    thinking = await stored(
        database, "my-boat", "select thinking from transcripts.messages where thinking is not null"
    )
    assert thinking == [("Green, not blue.\n\nOr teal?",)]
    noise = await stored(database, "my-boat", "select uuid from transcripts.messages where is_noise")
    assert noise == [("n-1",)]


async def test_memories_are_found_and_keep_their_times(
    memory: AsyncMemory, database: Database, tmp_path: Path
) -> None:
    await memory.transcripts.import_sqlite(ccrecall(tmp_path / "c.db", memories=True))
    kept = await stored(
        database,
        "my-boat",
        "select fact, category, round(confidence::numeric, 2)::text, created_at, origin, project_path"
        " from transcripts.memories order by fact",
    )
    assert kept[-1] == ("The user wants the mast green.", "preferences", "0.90", at(0), "imported", CWD)
    assert SECRET not in str(kept)
    assert [row[1:3] for row in kept if row[0].startswith("The token")] == [("knowledge", "0.80")]
    hits = await memory.recall(
        "What colour does the user want for the mast?", space="my-boat", kinds=["lesson"]
    )
    assert hits[0].text == "The user wants the mast green."
    made = await memory.transcripts.bootstrap(space="my-boat", query="colour of the mast", project=CWD)
    assert made.memories[0].fact == "The user wants the mast green."
    marked = await stored(
        database, "my-boat", "select memories_extracted, extractor from transcripts.sessions"
    )
    assert marked == [(1, "ccrecall")]


async def test_memories_that_say_the_same_become_one(
    memory: AsyncMemory, database: Database, tmp_path: Path
) -> None:
    path = ccrecall(tmp_path / "c.db", memories=True)
    with closing(sqlite3.connect(path)) as db, db:
        columns = "session_id, fact, category, confidence, created_at, updated_at"
        db.execute(
            f"insert into memories (id, {columns})"
            f" select 'twin', session_id, upper(fact) || ' !', category, 0.99, created_at, updated_at"
            " from memories where session_id is not null order by id limit 1"
        )
    report = await memory.transcripts.import_sqlite(path)
    assert report.new["memories"] == 4
    again = await memory.transcripts.import_sqlite(path)
    assert "memories" not in again.new
    kept = [one for space in ("my-boat", "api") for one in await memory.lessons.list(space=space)]
    assert [one.judged for one in kept].count(0.99) == 1
    surest = max(kept, key=lambda one: one.judged)
    with pytest.raises(Conflict):  # what is written by hand meets what was imported
        await memory.lessons.add(
            f"{surest.fact}.",
            space="my-boat" if surest.project == CWD else "api",
            category=surest.category or "",
            project=surest.project,
        )


async def test_a_summary_becomes_that_of_its_session(
    memory: AsyncMemory, database: Database, tmp_path: Path
) -> None:
    file = ccrecall(tmp_path / "c.db")
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("update sessions set summary = 'Painting the mast' where id = 's-1'")
    await memory.transcripts.import_sqlite(file)
    assert await stored(database, "my-boat", "select title, summary, source from transcripts.sessions") == [
        ("Painting the mast", "Painting the mast", "ccrecall")
    ]


async def test_doing_it_again_changes_nothing(memory: AsyncMemory, tmp_path: Path) -> None:
    file = ccrecall(tmp_path / "c.db", memories=True)
    await memory.transcripts.import_sqlite(file)
    before = file.read_bytes()
    again = await memory.transcripts.import_sqlite(file)
    assert again.new == {}
    assert again.known == 13
    assert file.read_bytes() == before


async def test_all_may_go_to_one_space(memory: AsyncMemory, tmp_path: Path) -> None:
    report = await memory.transcripts.import_sqlite(ccrecall(tmp_path / "c.db"), space="all")
    assert report.spaces == {"all": 2}
    assert [one.name for one in await memory.spaces()] == ["all"]


async def test_what_goes_in_comes_out(memory: AsyncMemory, tmp_path: Path) -> None:
    theirs, ours = ccrecall(tmp_path / "theirs.db", memories=True), tmp_path / "ours.db"
    await memory.transcripts.import_sqlite(theirs)
    report = await memory.transcripts.export_sqlite(ours)
    assert report.written["messages"] == 9
    words = (
        "select uuid, session_id, parent_uuid, type, model, content_text, timestamp from messages"
        " order by uuid"
    )
    hidden, shown = str(table(theirs, words)).replace(SECRET, "*"), str(table(ours, words))
    shown = re.sub(r"\[redacted:[a-z_-]+\]", "*", shown)
    assert shown == hidden
    calls = "select id, message_uuid, session_id, tool_name from tool_calls"
    assert table(ours, calls) == table(theirs, calls)
    results = "select distinct tool_call_id, message_uuid, session_id, content, is_error from tool_results"
    assert table(ours, results) == table(theirs, results)
    for name in ("teams", "team_members", "team_tasks"):
        assert table(ours, f"select * from {name}") == table(theirs, f"select * from {name}")
    assert table(ours, "select id, project_path, cwd, first_timestamp from sessions order by id") == [
        ("s-1", CWD, CWD, START),
        ("s-2", "/srv/api", None, START),
    ]
    assert table(ours, "select fact, category, created_at from memories where category = 'preferences'") == [
        ("The user wants the mast green.", "preferences", START)
    ]
    assert table(ours, "select count(*) from memories") == [(4,)]
    assert table(ours, "select session_id, turn_index from memory_sources") == [("s-1", 1)]


async def test_the_origin_finds_words_in_the_file(memory: AsyncMemory, tmp_path: Path) -> None:
    await memory.transcripts.import_sqlite(ccrecall(tmp_path / "theirs.db"))
    await memory.transcripts.export_sqlite(tmp_path / "ours.db")
    search = (
        "select m.uuid from messages_fts f join messages m on m.rowid = f.rowid"
        " where messages_fts match 'mast' order by bm25(messages_fts, 10, 1)"
    )
    assert {row[0] for row in table(tmp_path / "ours.db", search)} == {"u-1", "a-1"}


async def test_a_file_that_we_wrote_can_be_taken_in_elsewhere(
    memory: AsyncMemory, database: Database, tmp_path: Path
) -> None:
    await memory.transcripts.import_sqlite(ccrecall(tmp_path / "theirs.db", memories=True))
    await memory.transcripts.export_sqlite(tmp_path / "ours.db")
    report = await memory.transcripts.import_sqlite(tmp_path / "ours.db", space="copy")
    assert report.new["lines"] == 9
    assert rules.WRONG_PROJECTS not in report.repaired
    assert rules.SHORT_SPANS not in report.repaired
    same = (
        "select uuid, type, content_text, thinking from transcripts.messages where session_id = 's-1'"
        " order by uuid"
    )
    assert await stored(database, "copy", same) == await stored(database, "my-boat", same)


async def test_a_transcript_that_the_file_was_made_from_brings_nothing_twice(
    memory: AsyncMemory, database: Database, tmp_path: Path
) -> None:
    asked = {
        "type": "user",
        "uuid": "u-1",
        "message": {"role": "user", "content": "Paint the mast green, please."},
    }
    later = {"type": "user", "uuid": "u-9", "message": {"role": "user", "content": "And the boom?"}}
    file = tmp_path / "s-1.jsonl"
    about = {"sessionId": "s-1", "cwd": CWD, "timestamp": at(0).isoformat()}
    file.write_text("".join(json.dumps({**line, **about}) + "\n" for line in (asked, later)))
    await memory.transcripts.import_sqlite(ccrecall(tmp_path / "c.db"))
    report = await memory.transcripts.sync([file])
    assert (report.spaces["my-boat"].lines, report.spaces["my-boat"].known) == (1, 1)
    await memory.transcripts.index(space="my-boat")
    said = await stored(database, "my-boat", "select content from core.messages where content like 'Paint%'")
    assert said == [("Paint the mast green, please.",)]


async def test_memories_are_written_back_into_the_file_they_were_learned_from(
    memory: AsyncMemory, database: Database, tmp_path: Path
) -> None:
    file = ccrecall(tmp_path / "c.db")
    await memory.transcripts.import_sqlite(file)
    async with database.write("my-boat") as tx:
        await tx.conn.execute(
            "insert into transcripts.memories (session_id, fact, category, confidence)"
            " values ('s-1', 'Learned.', 'todo', 0.5)"
        )
    done = await memory.transcripts.migrate_sqlite(file, write_memories=True)
    assert done.memories == 1
    written = table(file, "select session_id, fact, category, confidence from memories")
    assert written == [("s-1", "Learned.", "todo", 0.5)]
    assert (await memory.transcripts.migrate_sqlite(file)).changed == ()


async def test_files_that_cannot_be_used_are_refused(memory: AsyncMemory, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        await memory.transcripts.import_sqlite(tmp_path / "none.db")
    (tmp_path / "text.db").write_text("no database" * 100)
    with pytest.raises(BadInput, match="no SQLite file"):
        await memory.transcripts.import_sqlite(tmp_path / "text.db")
    with pytest.raises(Conflict):
        await memory.transcripts.export_sqlite(tmp_path / "text.db")
    with pytest.raises(BadInput):
        await memory.transcripts.export_sqlite(tmp_path / "no" / "such.db")
    assert os.listdir(tmp_path) == ["text.db"]


async def test_a_file_without_contents_as_json_is_rebuilt_from_its_tables(
    memory: AsyncMemory, database: Database, tmp_path: Path
) -> None:
    file = ccrecall(tmp_path / "c.db")
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("update messages set content_json = null")
    report = await memory.transcripts.import_sqlite(file)
    assert (report.new["tool_calls"], report.new["tool_results"]) == (1, 1)
    calls = await stored(
        database, "my-boat", "select tool_input ->> 'file_path', path from transcripts.tool_calls"
    )
    assert calls == [(f"{CWD}/mast.py", f"{CWD}/mast.py")]
    assert GUESSED not in json.dumps(calls)
