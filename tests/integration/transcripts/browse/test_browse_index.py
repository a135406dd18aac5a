"""The text index: made late, exact whoever writes meanwhile, and following every change."""

from __future__ import annotations

from datetime import timedelta

import anyio
import psycopg
import pytest
from recording import START, Recording, boats

from quipu import AsyncMemory
from quipu.kernel.base.clock import FrozenClock, SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.browse.browse import AsyncBrowse
from quipu.recall.generations import Models
from quipu.recall.search import Search
from quipu.recall.signatures import Cache

pytestmark = pytest.mark.anyio
HERE = {"space": "boats"}


async def uuids(browse: AsyncBrowse, query: str, **narrowed: object) -> set[str]:
    return {hit.uuid for hit in (await browse.search(query, limit=50, **HERE, **narrowed)).hits}  # type: ignore[arg-type]


async def test_what_is_not_indexed_is_found_as_if_it_were(mine: AsyncBrowse, database: Database) -> None:
    asked = ("token fixed", '"it was set"', "timet*", "look -menu", "cafe", "船票", "fix-login OR csrf")
    async with database.write("boats"):  # while somebody writes, nothing new is indexed
        late = [await uuids(mine, query) for query in asked]
        assert (await mine.search("token", **HERE)).unindexed > 0
    done = await mine.index_texts(**HERE)
    assert (done.lines > 0, done.left) == (True, 0)
    assert [await uuids(mine, query) for query in asked] == late
    assert (await mine.search("token", **HERE)).unindexed == 0
    assert all(late)


async def test_filters_hold_for_what_is_not_indexed_too(mine: AsyncBrowse, database: Database) -> None:
    filters = (
        {"tool": "Bash"},
        {"errors": True},
        {"role": "user"},
        {"part": "input"},
        {"project": "ferries"},
        {"session": "s-1"},
    )
    async with database.write("boats"):
        late = [
            await uuids(mine, "csrf_token OR login OR timetable OR lisbon", **narrowed)
            for narrowed in filters
        ]
    await mine.index_texts(**HERE)
    assert [
        await uuids(mine, "csrf_token OR login OR timetable OR lisbon", **narrowed) for narrowed in filters
    ] == late
    assert late[0] == {"s-1-t2-call", "s-1-t2-result"}
    assert late[1] == {"s-1-t2-result"}
    assert late[4] == {"u3", "a3", "s-2-t5-call"}


async def test_a_line_that_is_committed_late_is_not_passed_over(
    url: str, mine: AsyncBrowse, database: Database
) -> None:
    await mine.index_texts(**HERE)
    with psycopg.connect(url) as slow, psycopg.connect(url) as quick:
        for conn, name in ((slow, "slow"), (quick, "quick")):
            conn.execute("set local role quipu_app")
            conn.execute("select core.enter('boats')")
            conn.execute("select pg_advisory_xact_lock_shared(hashtextextended('boats', 7310522003))")
            conn.execute(
                "insert into transcripts.lines (session_id, uuid, type, happened_at, content_text)"
                " select id, %s, 'system', now(), 'a walrus' from core.sessions where name = 's-2'",
                [name],
            )
        quick.commit()
        assert await uuids(mine, "walrus") == {"quick"}
        await mine.index_texts(**HERE)
        slow.commit()
    assert await uuids(mine, "walrus") == {"quick", "slow"}
    assert (await mine.index_texts(**HERE)).left == 0
    assert await uuids(mine, "walrus") == {"quick", "slow"}


async def test_several_may_index_at_once(mine: AsyncBrowse, url: str) -> None:
    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(lambda: mine.index_texts(**HERE))
    await mine.index_texts(**HERE)
    with psycopg.connect(url) as conn:
        lines = conn.execute("select count(distinct line_id) from transcripts.texts").fetchone()
        given = conn.execute("select count(*) from transcripts.lines").fetchone()
    assert lines == given


async def test_a_changed_text_is_found_by_its_new_words_only(mine: AsyncBrowse, url: str) -> None:
    await mine.index_texts(**HERE)
    with psycopg.connect(url) as conn:
        conn.execute("update transcripts.tool_results set content = 'all walruses' where tool_call_id = 't2'")
        conn.execute("update transcripts.lines set thinking = 'walrus' where uuid = 'a1'")
    assert await mine.unindexed(**HERE) == 2
    assert await uuids(mine, "walrus*") == {"s-1-t2-result", "a1"}
    assert await uuids(mine, "csrf_token") == set()
    assert await mine.unindexed(**HERE) == 0


async def test_what_is_erased_leaves_the_index_with_its_lines(mine: AsyncBrowse, url: str) -> None:
    await mine.index_texts(**HERE)
    with psycopg.connect(url) as conn:
        conn.execute(
            "delete from transcripts.lines where session_id = (select id from core.sessions where name ="
            " 's-1')"
        )
        left = conn.execute(
            "select count(*) from transcripts.texts where session_id ="
            " (select id from core.sessions where name = 's-1')"
        ).fetchone()
    assert left == (0,)
    assert await uuids(mine, "csrf_token OR cookie") == {"g1", "agent-7-t4-call", "agent-7-t4-result"}


async def test_a_line_that_a_resumed_session_repeats_is_one_hit(mine: AsyncBrowse, url: str) -> None:
    with psycopg.connect(url) as conn:
        again = Recording(conn, "boats")
        again.session("s-9")
        again.line("s-9", "a2", "assistant", "Fixed: the token was read before it was set.", nobody=True)
    (hit,) = (await mine.search('"it was set"', **HERE)).hits
    assert {hit.session, *hit.also_in} == {"s-1", "s-9"}


async def test_the_index_of_words_is_used_by_the_application(mine: AsyncBrowse, url: str) -> None:
    with psycopg.connect(url) as conn:
        conn.execute(
            "insert into transcripts.lines (space_id, session_id, uuid, type, happened_at, content_text)"
            " select space_id, id, 'walrus ' || n, 'system', now(), 'walrus ' || n"
            " from core.sessions, generate_series(1, 2000) n where name = 's-2'"
        )
    await mine.index_texts(**HERE)
    told: list[str] = []
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("analyze transcripts.texts")
        conn.execute("load 'auto_explain'")
        for name, value in {
            "auto_explain.log_min_duration": "0",
            "auto_explain.log_nested_statements": "on",
            "auto_explain.log_level": "notice",
        }.items():
            conn.execute("select set_config(%s, %s, false)", [name, value])
        conn.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
        conn.execute("set role quipu_app")
        with conn.transaction():
            conn.execute("select core.enter('boats')")
            found = conn.execute(
                "select * from transcripts.matching(format('%s/token', core.current_space())::tsquery,"
                " null, null,"
                " null, null, false, null, null, null, 'relevance', 10)"
            ).fetchall()
    assert {row[2] for row in found} == {"", "t2"}
    assert any("texts_terms" in text for text in told), told


async def test_another_space_is_neither_searched_nor_counted(mine: AsyncBrowse, url: str) -> None:
    with psycopg.connect(url) as conn:
        boats(conn, "others")
    await mine.index_texts(**HERE)
    await mine.index_texts(space="others")
    ours = await mine.search("token", **HERE)
    assert ours.total == (await mine.search("token", space="others")).total
    assert (await mine.search("token", space="nowhere")).hits == ()


OLD = START + timedelta(days=60)


async def test_compaction_says_first_what_it_would_replace_and_changes_nothing(
    database: Database, mine: AsyncBrowse, url: str
) -> None:
    later = AsyncBrowse(database, clock=FrozenClock(OLD))
    preview = await later.compact(**HERE)
    assert not preview.done
    assert {one.tool: one.results for one in preview.tools} == {"Read": 1, "Grep": 1}
    assert preview.bytes_saved > 1_000
    assert (await mine.compact(**HERE)).tools == ()  # nothing is old by that clock
    with psycopg.connect(url) as conn:
        assert conn.execute("select count(compacted_at) from transcripts.tool_results").fetchone() == (0,)


async def test_compaction_is_recorded_followed_by_the_index_and_never_done_twice(
    database: Database, mine: AsyncBrowse, url: str
) -> None:
    await mine.index_texts(**HERE)
    assert await uuids(mine, "pass", part="result") == {"s-1-t1-result"}
    later = AsyncBrowse(database, clock=FrozenClock(OLD))
    preview, done = await later.compact(**HERE), await later.compact(confirm=True, **HERE)
    assert (done.done, done.tools) == (True, preview.tools)
    assert (await later.compact(confirm=True, **HERE)).tools == ()
    assert await uuids(mine, "pass", part="result") == set()
    assert await uuids(mine, "compacted bytes") == {"s-1-t1-result", "agent-7-t4-result"}
    with psycopg.connect(url) as conn:
        row = conn.execute(
            "select content, compacted_bytes, compacted_at from transcripts.tool_results where"
            " tool_call_id = 't1'"
        ).fetchone()
    assert row is not None
    assert "src/app.py" in row[0]
    assert (row[1], row[2]) == (len("def login():\n" + "  pass\n" * 200), OLD)
    stats = await mine.stats(**HERE)
    assert stats is not None
    assert stats.totals.compacted == 2


async def test_messages_near_in_meaning_join_a_query_of_plain_words_and_no_other(
    settings: Settings, database: Database, url: str
) -> None:
    async with AsyncMemory(settings=settings) as memory:
        said = [
            {"id": "f1", "content": "The ferry to the island leaves at eight."},
            {"id": "f2", "content": "Bread is baked in the morning."},
        ]
        await memory.observe(said, space="boats", session="s-1")
    with psycopg.connect(url) as conn:
        known = Recording(conn, "boats")
        conn.execute("insert into transcripts.session_details (session_id) select id from core.sessions")
        conn.execute(
            "insert into transcripts.lines (session_id, uuid, type, happened_at, message_id)"
            " select session_id, external_id, 'user', happened_at, id from core.messages"
        )
        assert known.number
    async with Models.open(database, settings) as models:
        recall = Search(models, clock=SystemClock(), cache=Cache())
        browse = AsyncBrowse(database, clock=SystemClock(), search=recall)
        both = (await browse.search("ferry island", **HERE)).hits[0]
        assert both.parts.keys() == {"words", "meaning"}
        near = (await browse.search("ferry to another island", **HERE)).hits
        assert (near[0].uuid, near[0].parts.keys()) == ("f1", {"meaning"})
        for query, more in (
            ('ferry "another island"', {}),
            ("ferry another isl*", {}),
            ("ferry to another island", {"meaning": False}),
            ("ferry to another island", {"sort": "time"}),
            ("ferry to another island", {"tool": "Bash"}),
        ):
            assert (await browse.search(query, **HERE, **more)).hits == (), query  # type: ignore[arg-type]
