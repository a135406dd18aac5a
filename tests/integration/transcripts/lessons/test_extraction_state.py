"""Whether memories were extracted from a session stands beside it, and finds the unprocessed by an index."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from coding_sessions import OPINIONS, World
from scripted_extractor import Scripted, finding

from quipu import AsyncMemory
from quipu.errors import LanguageFailed
from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.extract.model import Extraction, Extractor, SessionTurn

pytestmark = pytest.mark.anyio

UNPROCESSED = """
select id, project_path, last_timestamp from transcripts.sessions
where memories_extracted = 0
order by last_timestamp desc
"""
MANY = """
with known as (
    insert into core.sessions (space_id, name)
    select core.current_space(), 'many ' || n from generate_series(1, 2000) n returning id
), details as (
    insert into transcripts.session_details (session_id, last_line_at) select id, now() from known
)
insert into transcripts.extractions (session_id, extractor, version, status, attempted_at)
select id, 'rules', 1, 'done', now() from known where id % 100 > 0
"""
ATTEMPT = """
insert into transcripts.extractions (session_id, extractor, version, status, attempted_at)
select id, %(extractor)s, 1, %(status)s, %(at)s from core.sessions where name = 's'
on conflict (space_id, session_id, extractor) do update
    set status = excluded.status, attempted_at = excluded.attempted_at
"""


def plan_of(conn: psycopg.Connection, query: str) -> str:
    (plan,) = conn.execute(f"explain (format json) {query}".encode()).fetchone() or ("",)
    return json.dumps(plan)


async def test_the_unprocessed_of_many_sessions_are_found_by_their_index(
    memory: AsyncMemory, url: str
) -> None:
    await memory.observe([{"content": "Hello."}], space="boats")
    with psycopg.connect(url) as conn:
        conn.execute("select core.enter('boats')")
        conn.execute(MANY)
        conn.execute("analyze core.sessions, transcripts.session_details, transcripts.extractions")
        conn.execute("set local role quipu_app")
        plan = plan_of(conn, UNPROCESSED)
        assert '"idx_sessions_extraction"' in plan
        assert "Seq Scan" not in plan
        assert '"Relation Name": "extractions"' not in plan
        assert len(conn.execute(UNPROCESSED.encode()).fetchall()) == 20


async def test_a_session_follows_its_extractions_whichever_comes_first(memory: AsyncMemory, url: str) -> None:
    """An extractor that failed set the mark of another, which had not, back to 0."""
    await memory.observe([{"content": "Hello."}], space="boats", session="s")
    with psycopg.connect(url, options="-c role=quipu_app") as conn:
        conn.execute("select core.enter('boats')")

        def state() -> tuple[object, ...] | None:
            return conn.execute(
                "select memories_extracted, extraction_status, extractor,"
                " extract(day from extraction_attempted_at) from transcripts.sessions"
            ).fetchone()

        def attempt(extractor: str, status: str, day: int) -> tuple[object, ...] | None:
            at = datetime(2026, 3, day, tzinfo=UTC)
            conn.execute(ATTEMPT, {"extractor": extractor, "status": status, "at": at})
            return state()

        assert attempt("rules", "done", 1) is None  # read before a line of it was seen
        conn.execute("insert into transcripts.session_details (session_id) select id from core.sessions")
        assert state() == (1, "done", "rules", 1)
        assert attempt("rules", "failed", 2) == (1, "failed", "rules", 2)
        assert attempt("model", "failed", 3) == (1, "failed", "model", 3)
        assert attempt("rules", "done", 4) == (1, "done", "rules", 4)
        assert attempt("rules", "none", 5) == (0, "none", "rules", 5)
        conn.execute("delete from transcripts.extractions where extractor = 'rules'")
        assert state() == (0, "failed", "model", 3)
        conn.execute("update transcripts.session_details set parent_session = 'other'")
        assert state() == (1, "failed", "model", 3)  # nobody waits for a subagent
        conn.execute("update transcripts.session_details set parent_session = null")
        conn.execute("delete from transcripts.extractions")
        assert state() == (0, "none", None, None)


async def test_a_session_that_an_extractor_broke_off_waits_until_one_reads_it_to_its_end(
    memory: AsyncMemory, url: str
) -> None:
    """Half of it counted as extracted; and where another had read it all, the one that failed counted."""
    for name in ("broken", "read"):
        await memory.observe([{"content": f"I prefer tabs in {name}."}], space="boats", session=name)
    with psycopg.connect(url, options="-c role=quipu_app") as conn:
        conn.execute("select core.enter('boats')")
        conn.execute("insert into transcripts.session_details (session_id) select id from core.sessions")
    await memory.lessons.extract(space="boats", session="read")
    half = Scripted(1, [finding("The user prefers tabs.", 0)], error="The tokens of today are used up.")

    class Dead(Scripted):
        async def extract(self, turns: Sequence[SessionTurn], *, project: str | None = None) -> Extraction:
            raise LanguageFailed("no answer")

    async def waiting(extractor: Extractor) -> list[str]:
        await memory.lessons.extract(space="boats", extractor=extractor, again=True)
        with psycopg.connect(url, options="-c role=quipu_app") as conn:
            conn.execute("select core.enter('boats')")
            return [row[0] for row in conn.execute(UNPROCESSED.encode()).fetchall()]

    assert await waiting(half) == ["broken"]
    assert await waiting(Dead(1, [])) == ["broken"]
    assert await waiting(Scripted(1, [])) == []
    assert await waiting(half) == []


async def test_a_resumed_session_waits_though_the_one_it_repeats_was_extracted(
    memory: AsyncMemory, root: Path, database: Database
) -> None:
    first = World(root).session("/home/ana/boats")
    first.prompt(OPINIONS[0])
    first.write()

    async def waiting() -> list[str]:
        async with database.snapshot_read("boats") as tx:
            assert tx is not None
            return [row[0] for row in await (await tx.conn.execute(UNPROCESSED.encode())).fetchall()]

    await memory.transcripts.sync([root], space="boats")
    assert await waiting() == [first.name]
    await memory.lessons.extract(space="boats")
    assert await waiting() == []
    resumed = first.fork()
    resumed.prompt(OPINIONS[1])
    resumed.write()
    await memory.transcripts.sync([root], space="boats")
    assert await waiting() == [resumed.name]
    await memory.lessons.extract(space="boats")
    assert await waiting() == []
