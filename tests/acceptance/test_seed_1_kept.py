"""What the tables of "Schema Changes for Memory Extraction" are for: recorded sessions, and what is learned.

Sessions are taken in and read through the public doors; what came of it is asked in the words of the text.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from ccrecall import ccrecall
from coding_sessions import START, Session, World
from psycopg import errors
from seed_1 import BY_CATEGORY, BY_TEXT, INSERT, MARK, NOW, UNPROCESSED, entered, record, run

from quipu import Memory, QuipuError
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kinds.transcripts.extract.model import Extraction

BOATS = "/home/ana/boats"
SPACE = "recorded boats"
SAID = {
    "preferences": "I prefer tabs over spaces",
    "corrections": "No, the config is in settings.yml",
    "patterns": "Every time you change the schema run make gen",
    "knowledge": "the api runs on port 8080",
    "context": "We decided to go with postgres",
    "todo": "we still need to add rate limiting",
}


@dataclass(frozen=True)
class Taken:
    """Sessions that were recorded and read, in one space: of a person, of a subagent, and one resumed."""

    memory: Memory
    first: Session
    helper: Session
    other: Session


@pytest.fixture(scope="module")
def taken(accepting: Settings, address: str) -> Iterator[Taken]:
    assert address
    with tempfile.TemporaryDirectory() as root, Memory(settings=accepting, clock=FrozenClock(NOW)) as memory:
        world = World(Path(root))
        first = world.session(BOATS)
        for text in SAID.values():
            first.prompt(text)
            first.says("Done.")
        first.tool("Bash", {"command": "pnpm install --frozen-lockfile"}, "I always prefer npm here.")
        helper = first.subagent("a7f3")
        helper.prompt("I prefer spaces over tabs")
        other = world.session(BOATS, at=START + timedelta(days=1))
        other.prompt(SAID["preferences"])
        other.summary_of(first, "Tabs in the boats")
        for session in (first, helper, other):
            session.write()
        memory.transcripts.sync([root], space=SPACE)
        memory.lessons.extract(space=SPACE)
        yield Taken(memory, first, helper, other)


def asked(address: str, statement: str, *values: object, space: str = SPACE) -> list[dict[str, Any]]:
    with entered(address, space) as conn:
        return run(conn, statement, *values)


# Current Schema


def test_a_session_stores_what_its_transcript_tells_of_it(taken: Taken, address: str) -> None:
    (row,) = asked(address, "select * from sessions where id = ?", taken.first.id)
    truth = taken.first.truth
    assert {name: row[name] for name in ("id", "project_path", "git_branch", "cwd", "summary")} == {
        "id": taken.first.id,
        "project_path": BOATS,
        "git_branch": "main",
        "cwd": BOATS,
        "summary": "Tabs in the boats",
    }
    assert (row["first_timestamp"], row["last_timestamp"]) == (truth.first, truth.last)


def test_the_id_of_a_session_is_its_key_in_its_space(address: str, space: str) -> None:
    with entered(address, space) as conn:
        record(conn, "s-1", days=0)
        with pytest.raises(errors.UniqueViolation), conn.transaction():
            record(conn, "s-1", days=1)
        conn.commit()
    with entered(address, f"{space} next door") as conn:
        record(conn, "s-1", days=0)
        assert [row["id"] for row in run(conn, UNPROCESSED)] == ["s-1"]


def test_a_session_has_a_project_and_needs_nothing_else(address: str, space: str) -> None:
    details = "insert into session_details (session_id, project_path) select id, ? from core.sessions"
    with entered(address, space) as conn:
        conn.execute("insert into core.sessions (space_id, name) values (core.current_space(), 's-1')")
        with pytest.raises(errors.NotNullViolation), conn.transaction():
            run(conn, details, None)
        run(conn, details, BOATS)
        (row,) = run(conn, "select git_branch, cwd, first_timestamp, last_timestamp, summary from sessions")
        assert set(row.values()) == {None}


# New: memories Table


def test_one_session_produces_many_memories_each_of_its_category(taken: Taken, address: str) -> None:
    found = asked(
        address,
        "select m.category, m.session_id, m.confidence, m.created_at, m.updated_at"
        " from sessions s join memories m on m.session_id = s.id where s.id = ?",
        taken.first.id,
    )
    assert {row["category"] for row in found} == {*SAID}
    assert all(0 < row["confidence"] <= 1 for row in found)
    assert {row["created_at"] for row in found} == {row["updated_at"] for row in found} == {NOW}


@pytest.mark.parametrize("category", [*SAID])
def test_what_is_said_is_found_under_the_category_of_the_text(
    taken: Taken, address: str, category: str
) -> None:
    (row,) = asked(address, BY_CATEGORY, category)
    words = {word.strip(",.").lower() for word in SAID[category].split() if len(word) > 4}
    assert len(words & {word.strip(",.`").lower() for word in row["fact"].split()}) >= len(words) / 2
    lessons = taken.memory.lessons.list(space=SPACE, category=category)
    assert [one.fact for one in lessons] == [row["fact"]]


def test_several_sessions_that_say_the_same_are_sources_of_one_memory(taken: Taken, address: str) -> None:
    sources = asked(
        address,
        "select s.session_id from memory_sources s join memories m on m.id = s.memory_id"
        " where m.category = ? order by s.extracted_at, s.turn_index",
        "preferences",
    )
    assert {row["session_id"] for row in sources} == {taken.first.id, taken.other.id}


def test_messages_are_what_is_read_and_tool_calls_inform_no_memory(taken: Taken, address: str) -> None:
    said = asked(address, "select content_text from messages where session_id = ?", taken.first.id)
    assert {*SAID.values()} <= {row["content_text"] for row in said}
    (call,) = asked(
        address,
        "select tool_name from tool_calls c join sessions s on s.session_number = c.session_id"
        " where s.id = ? and tool_name = 'Bash'",
        taken.first.id,
    )
    assert call["tool_name"] == "Bash"
    assert asked(address, BY_TEXT, "npm") == []
    assert asked(address, BY_TEXT, "spaces over tabs") == []  # said to a subagent by an agent


def test_a_memory_has_a_key_of_its_own_also_where_none_is_given(address: str, space: str) -> None:
    given = uuid4()
    with entered(address, space) as conn:
        run(conn, INSERT, given, None, "A fact.", "knowledge", 0.5, NOW, NOW)
        with pytest.raises(errors.UniqueViolation), conn.transaction():
            run(conn, INSERT, given, None, "Another.", "knowledge", 0.5, NOW, NOW)
        with pytest.raises(errors.NotNullViolation), conn.transaction():
            run(conn, INSERT, None, None, "Another.", "knowledge", 0.5, NOW, NOW)
        conn.execute("insert into memories (fact) values ('By hand.')")
        (row,) = run(
            conn, "select id, session_id, created_at = now() as now from memories where id <> ?", given
        )
        assert isinstance(row["id"], UUID)
        assert (row["session_id"], row["now"]) == (None, True)
        conn.commit()
    with entered(address, f"{space} next door") as conn:
        run(conn, INSERT, given, None, "A fact of theirs.", "knowledge", 0.5, NOW, NOW)
        assert len(run(conn, BY_TEXT, "fact")) == 1


@pytest.mark.parametrize("confidence", [0.0, 0.5, 1.0, None])
def test_a_confidence_is_between_none_and_all(address: str, space: str, confidence: float | None) -> None:
    with entered(address, space) as conn:
        run(conn, INSERT, uuid4(), None, "A fact.", "knowledge", confidence, NOW, NOW)
        (row,) = run(conn, BY_CATEGORY, "knowledge")
        assert row["confidence"] == confidence
        with pytest.raises(errors.CheckViolation), conn.transaction():
            run(conn, INSERT, uuid4(), None, "A fact.", "knowledge", -0.01, NOW, NOW)


def test_a_memory_tells_when_it_was_extracted_and_when_it_was_changed(
    memory: Memory, address: str, space: str, clock: FrozenClock
) -> None:
    lesson = memory.lessons.add("The mast is green.", space=space, category="knowledge")
    clock.advance(timedelta(days=1))
    memory.lessons.edit(lesson.id, space=space, fact="The mast is blue.")
    (row,) = asked(address, "select fact, created_at, updated_at from memories", space=space)
    assert row["fact"] == "The mast is blue."
    assert row["updated_at"] - row["created_at"] == timedelta(days=1)


def test_a_category_is_a_word_and_may_be_one_of_your_own(address: str, space: str) -> None:
    with entered(address, space) as conn:
        run(conn, INSERT, uuid4(), None, "Sails are dear.", "house rules", 0.5, NOW, NOW)
        assert [row["fact"] for row in run(conn, BY_CATEGORY, "house rules")] == ["Sails are dear."]
        with pytest.raises(errors.CheckViolation), conn.transaction():
            run(conn, INSERT, uuid4(), None, "Sails are dear.", "Preferences", 0.5, NOW, NOW)


def test_a_session_that_is_forgotten_takes_what_only_it_said(
    memory: Memory, address: str, space: str
) -> None:
    with entered(address, space) as conn:
        record(conn, "s-1", days=0)
        run(conn, INSERT, UUID(int=1), "s-1", "Of the session.", "knowledge", 0.5, NOW, NOW)
        run(conn, INSERT, UUID(int=2), None, "By hand.", "knowledge", 0.5, NOW, NOW)
    memory.forget(space=space, session="s-1", confirm=True)
    assert [row["fact"] for row in asked(address, BY_CATEGORY, "knowledge", space=space)] == ["By hand."]


PLANS = {
    "idx_memories_session": "select fact from memories where session_id = 'session 7'",
    "idx_memories_category": BY_CATEGORY.replace("?", "'rare'"),
    "idx_memories_created": "select fact from memories order by created_at desc limit 10",
}


def test_memories_are_found_by_the_indexes_of_the_text(address: str, space: str) -> None:
    """By session, by category, and the latest, among two thousand of which few are of each."""
    with entered(address, space) as conn:
        conn.execute(
            "insert into core.sessions (space_id, name)"
            " select core.current_space(), 'session ' || n from generate_series(1, 200) n"
        )
        conn.execute(
            "insert into memories (session_id, fact, category, created_at)"
            " select 'session ' || 1 + n % 200, 'Fact ' || n,"
            " case when n % 500 = 0 then 'rare' else 'common' end,"
            " now() - n * interval '1 minute' from generate_series(1, 2000) n"
        )
        conn.execute("reset role")
        conn.execute("analyze transcripts.memories")
        conn.execute("set local role quipu_app")
        plans = {
            index: json.dumps(conn.execute(f"explain (format json) {query}".encode()).fetchall())
            for index, query in PLANS.items()
        }
        conn.rollback()
    assert {index: f'"Index Name": "{index}"' in plan for index, plan in plans.items()} == dict.fromkeys(
        PLANS, True
    )


# ALTER: sessions Table


def test_what_was_extracted_is_marked_with_when_and_not_read_again(taken: Taken, address: str) -> None:
    assert asked(address, UNPROCESSED) == []
    rows = asked(address, "select id, memories_extracted, extraction_attempted_at from sessions")
    assert {row["id"]: row["extraction_attempted_at"] for row in rows} == {
        taken.first.id: NOW,
        taken.other.id: NOW,
        taken.helper.name: None,  # nobody spoke to it but an agent
    }
    assert taken.memory.lessons.extract(space=SPACE).sessions == ()


class Failing:
    """An extractor that gets no answer."""

    name, version = "failing", 1

    async def extract(self, turns: object, *, project: str | None = None) -> Extraction:
        raise QuipuError("no answer")


def test_an_attempt_that_failed_is_noted_and_leaves_the_session_unprocessed(
    memory: Memory, address: str, space: str, clock: FrozenClock
) -> None:
    with entered(address, space) as conn:
        conn.execute(
            "insert into session_details (session_id, project_path) select id, $1 from core.sessions", [BOATS]
        )
    (one,) = memory.lessons.extract(space=space, extractor=Failing()).sessions
    assert one.status == "failed"
    (row,) = asked(address, "select * from sessions", space=space)
    assert (row["memories_extracted"], row["extraction_attempted_at"]) == (0, clock.now())
    assert [waiting["id"] for waiting in asked(address, UNPROCESSED, space=space)] == [row["id"]]
    with entered(address, space) as conn:
        run(conn, MARK, NOW + timedelta(days=1), row["id"])
    assert asked(address, UNPROCESSED, space=space) == []
    assert memory.lessons.extract(space=space).sessions == ()  # somebody said that it is done


# Usage Patterns


def test_a_memory_that_sql_inserts_is_found_at_every_door(memory: Memory, address: str, space: str) -> None:
    with entered(address, space) as conn:
        run(conn, INSERT, uuid4(), None, "The api runs on port 8080.", "knowledge", 0.9, NOW, NOW)
    question = "Which port does the api run on?"
    hits = memory.recall(question, space=space, kinds=["lesson"])
    assert [hit.text for hit in hits] == ["The api runs on port 8080."]
    (found,) = memory.lessons.search(question, space=space)
    assert found.lesson.fact == "The api runs on port 8080."
    (listed,) = memory.lessons.list(space=space)
    assert (listed.category, listed.confidence) == ("knowledge", pytest.approx(0.9))


def test_memories_of_a_category_come_surest_first_then_latest(address: str, space: str) -> None:
    with entered(address, space) as conn:
        for fact, confidence, days in (("b", 0.5, 1), ("c", 0.5, 0), ("a", 0.9, 0), ("d", 0.1, 2)):
            at = NOW + timedelta(days=days)
            run(conn, INSERT, uuid4(), None, fact, "todo", confidence, at, at)
        assert [row["fact"] for row in run(conn, BY_CATEGORY, "todo")] == ["a", "b", "c", "d"]


def test_a_text_is_found_within_a_fact_as_it_is_written(address: str, space: str) -> None:
    with entered(address, space) as conn:
        for day, fact in enumerate(("Use 100 µm of varnish.", "Résumé: Ana's oars", "上限は五です")):
            at = NOW + timedelta(days=day)
            run(conn, INSERT, uuid4(), None, fact, "knowledge", 0.5, at, at)
        found = {
            text: [row["fact"] for row in run(conn, BY_TEXT, text)] for text in ("0 µm", "a's", "五", "ana")
        }
        assert found == {
            "0 µm": ["Use 100 µm of varnish."],
            "a's": ["Résumé: Ana's oars"],
            "五": ["上限は五です"],
            "ana": [],
        }
        assert len(run(conn, BY_TEXT, "")) == 3


# Migration SQL (Complete)


def test_a_file_of_the_text_is_migrated_used_in_its_words_and_taken_in(
    memory: Memory, address: str, space: str, tmp_path: Path
) -> None:
    path = ccrecall(tmp_path / "ccrecall.db")
    at = int(NOW.timestamp() * 1000)
    memory.transcripts.migrate_sqlite(path)
    with closing(sqlite3.connect(path)) as db, db:
        assert "s-1" in [row[0] for row in db.execute(UNPROCESSED)]
        db.execute(INSERT, (str(UUID(int=5)), "s-1", "The mast is green.", "knowledge", 0.9, at, at))
        db.execute(MARK, (at, "s-1"))
        assert "s-1" not in [row[0] for row in db.execute(UNPROCESSED)]
        assert db.execute(BY_TEXT, ("mast is",)).fetchall() == [("The mast is green.", "knowledge", "s-1")]
    memory.transcripts.import_sqlite(path, space=space)
    (row,) = asked(address, "select id, fact, confidence, created_at from memories", space=space)
    assert (row["id"], row["fact"]) == (UUID(int=5), "The mast is green.")
    assert row["created_at"] == datetime.fromtimestamp(at / 1000, UTC)
