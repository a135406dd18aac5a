"""How PostgreSQL runs what recall and observe ask of it, as the application and under row level security.

The plans are those of real calls on thousands of messages: on the connection that filled an empty database,
whose plans were made before there was anything to plan by, and on a new one after the tables were tidied.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import anyio
import psycopg
import pytest
import read_standby
from long_form import sized
from plans import IN_FUNCTIONS, NAMES, Plans, Scan, allow
from pooler import WANTED
from psycopg import sql

from quipu import AsyncMemory
from quipu.app.kinds import PACKAGES
from quipu.kernel.base.scope import acting_for
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Database
from quipu.recall.signatures import Cache
from quipu.upkeep.maintenance import tidy

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        WANTED or read_standby.WANTED,
        reason="a session of the server tells its plans; a pooler gives one to nobody",
    ),
]

MESSAGES = sized(8_000, long=20_000)  # more than the search may look at
COMMON = [f"common{n}" for n in range(50)]
RARE = [f"word{n}" for n in range(3_000)]
QUESTION = "What did P5 say about word1, word1234 and common7 last year?"
PERSON = "U8"
FILTERS = ({"user": "U7"}, {"session": "s5"}, {"kinds": ["message"]}, {"since": "2020-01-01T00:00:00Z"})
READS = {
    "search",
    "tails",
    "lock_threads",
    "known_names",
    "known_messages",
    "lock_sessions",
    "owner",
    "cite_linked",
}
WRITES = {"refit_entries", "refit_vectors", "file_entries", "insert_messages", "grow_sessions"}
INDEXES = {
    "recall_entries": "recall_entries_pkey",
    "recall_vectors": "recall_vectors_pkey",
    "recall_postings": "recall_postings_pkey",
    "recall_terms": "recall_terms_pkey",
    "recall_threads": "recall_threads_pkey",
}
LARGE = {"recall_entries", "recall_vectors", "recall_postings"}
# A row for each space or model: read through they cost no more than an index.
SMALL = {"spaces", "recall_generations", "recall_kinds"}


@dataclass(frozen=True)
class Seen:
    """The plans of the connection that filled the database, those of one that came later, those of one that
    acts for one person, and how many rows each table has."""

    first: Plans
    later: Plans
    bound: Plans
    sizes: dict[str, int]
    all_postings: str  # the plan by which one person would read all of them


def lines(count: int) -> Iterator[dict[str, object]]:
    chance = random.Random(5)
    for n in range(count):
        yield {
            "id": f"m{n}",
            "content": " ".join(chance.choices(COMMON, k=2) + chance.choices(RARE, k=6)),
            "session": f"s{n // 50}" if n % 10 else None,
            "speaker": f"P{n % 700}",
            "user": f"U{n % 50}",
        }


async def watch(settings: Settings, *, fill: bool) -> Plans:
    """Observe, recall and forget in every way, on one connection; how it was run."""
    plans = Plans()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("quipu.kernel.db.arrays.register", plans.meet)
        patch.setattr("quipu.upkeep.maintenance.BULK_ENTRIES", 10**9)
        async with AsyncMemory(settings=settings) as memory:
            if fill:
                # Without erasures: one vacuums what it touched, and plans would go by those few rows until
                # autovacuum, which is off here, analyzes the tables.
                await call_everything(memory, erase=False)
                await memory.import_messages(lines(MESSAGES), space="big")
                for n in range(3):
                    await memory.import_messages(lines(50), space=f"small{n}")
            await plans.listen()
            await call_everything(memory)
            (conn,) = plans.connections
            assert await (await conn.execute("select current_user")).fetchone() == ("quipu_app",)
    return plans


async def watch_bound(settings: Settings) -> tuple[Plans, str]:
    """Recall for one person, who has messages in sessions of many and a session of their own; how it was run,
    and how they would read all postings."""
    plans = Plans()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("quipu.kernel.db.arrays.register", plans.meet)
        async with AsyncMemory(settings=settings) as memory:
            said = [{"content": f"word{n} boat", "user": PERSON if n % 2 else None} for n in range(40)]
            await memory.observe(said, space="big", session="own")
            with acting_for(PERSON):
                assert await memory.recall(QUESTION, space="big")
                plans.connections[:] = plans.connections[-1:]
                await plans.listen()
                for n in range(7):  # from the sixth on by a plan for any values, if that seems as good
                    assert await memory.recall(QUESTION, space="big")
                    await memory.observe([{"content": f"anew{n}"}], space="big", session=f"next{n}")
                patch.setattr(Cache, "get", lambda *_, **__: None)
                for _ in range(7):
                    assert await memory.recall(QUESTION, space="big")
            (conn,) = plans.connections
            assert await (await conn.execute("select current_user")).fetchone() == ("quipu_person",)
            await conn.execute("set auto_explain.log_min_duration = -1")
            planned = await conn.execute("explain select from core.recall_postings")
            told = "\n".join(line for (line,) in await planned.fetchall())
    return plans, told


async def call_everything(memory: AsyncMemory, *, erase: bool = True) -> None:
    for session in ("s6", "s5", None):
        for _ in range(2):
            said = [{"content": "word1 boat", "speaker": "P5"}, {"content": "common1 boat?", "speaker": "P6"}]
            await memory.observe(said, space="big", session=session, user="U7")
        await memory.observe([{"id": "m51", "content": "other"}], space="big", session=f"{session} anew")
    for filter in ({}, *FILTERS):
        hits = await memory.recall(QUESTION, space="big", limit=10, **filter)
        await memory.why(hits[0])
    for what in ({"session": "s6"}, {"user": "U7", "session": "s5"}) if erase else ():
        receipt = await memory.forget(space="big", confirm=True, **what)
        assert receipt.counts["messages"] > 0


async def tidy_up(url: str, settings: Settings) -> None:
    async with Database.open(url, settings, packages=PACKAGES) as database:
        await tidy(database)


def sizes_of(url: str) -> dict[str, int]:
    with psycopg.connect(url) as conn:
        conn.execute("analyze")
        rows = conn.execute(
            "select relname, reltuples from pg_class"
            " where relnamespace::regnamespace::text !~ '^(pg_|information_schema$)'"
            " and relkind in ('r', 'i') order by reltuples"  # of two tables of one name the larger counts
        )
        return {table: int(count) for table, count in rows.fetchall()}


@pytest.fixture(scope="module")
def seen(server: embedded.EmbeddedServer, server_settings: Settings) -> Iterator[Seen]:
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        conn.execute("create database plans template template")
    url = server.conninfo("plans")
    allow(url)
    with psycopg.connect(url, autocommit=True) as conn:  # so that nobody comes by and makes new plans
        rows = conn.execute(
            "select relnamespace::regnamespace::text, relname from pg_class where relkind = 'r'"
            " and relnamespace in ('core'::regnamespace, 'ledger'::regnamespace)"
        )
        for place in rows.fetchall():
            statement = sql.SQL("alter table {} set (autovacuum_enabled = off)")
            conn.execute(statement.format(sql.Identifier(*place)))
    settings = replace(server_settings, database_url=url, pool_size=1)
    first = anyio.run(partial(watch, settings, fill=True))
    anyio.run(tidy_up, url, settings)
    later = anyio.run(partial(watch, settings, fill=False))
    bound, all_postings = anyio.run(watch_bound, settings)
    yield Seen(first, later, bound, sizes_of(url), all_postings)
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        conn.execute("drop database plans with (force)")


def scans(plans: Plans, queries: set[str]) -> set[tuple[str, Scan]]:
    """The scans of our tables; the catalogue is PostgreSQL's own."""
    ours = [(query, scan) for query in queries for scan in plans.scans[query]]
    return {(query, scan) for query, scan in ours if scan.table not in SMALL and scan.table[:3] != "pg_"}


@pytest.fixture(params=["first", "later"])
def plans(request: pytest.FixtureRequest, seen: Seen) -> Plans:
    return getattr(seen, request.param)


def test_every_query_of_a_call_was_seen(plans: Plans) -> None:
    assert plans.scans.keys() >= READS | WRITES
    assert set(NAMES.values()) >= READS | WRITES


def test_the_search_reads_postings_from_their_index_alone_and_everything_else_by_its_key(
    plans: Plans,
) -> None:
    found = {(scan.table, scan.how, scan.index) for _, scan in scans(plans, {"search"})}
    assert found == {
        (table, "Index Only Scan" if table == "recall_postings" else "Index Scan", index)
        for table, index in INDEXES.items()
    }


def test_once_tidied_the_search_visits_no_page_of_the_postings_but_of_those_just_written(seen: Seen) -> None:
    assert sum(scan.heap_fetches for _, scan in scans(seen.later, {"search"})) < 50


def test_nothing_is_read_through_to_write_a_message_or_to_recall_one(plans: Plans) -> None:
    read = scans(plans, READS | WRITES)
    assert [(query, scan) for query, scan in read if scan.index is None] == []
    # An index can be read through as well: by the space alone, the rest being a filter or a join.
    # The search has a bound of its own. Lines are said again here: then more are cited, each by its key.
    bounds = {"search": float("inf"), "cite_linked": 100}
    assert [(query, scan) for query, scan in read if scan.rows > bounds.get(query, 20)] == []


def test_the_search_looks_at_a_few_thousand_entries_at_most(plans: Plans) -> None:
    looked = [scan for _, scan in scans(plans, {"search"}) if scan.table != "recall_postings"]
    assert [scan for scan in looked if scan.rows > 6_000] == []


def test_what_was_written_since_is_found_by_its_version(plans: Plans) -> None:
    assert {scan.index for _, scan in scans(plans, {"signatures"})} == {"recall_entries_version"}


def test_an_erasure_reads_no_table_more_than_once(plans: Plans, seen: Seen) -> None:
    read = scans(plans, set(plans.scans) - {"search"})
    assert "recall_postings" in {scan.table for scan in plans.scans[IN_FUNCTIONS]}
    assert [(query, scan) for query, scan in read if scan.rows > 1.1 * seen.sizes[scan.table]] == []


def test_a_recall_for_one_person_reads_no_entries_through(seen: Seen) -> None:
    assert seen.bound.scans.keys() >= {
        "signatures",
        "signatures_of_person",
        "signatures_of_sessions",
        "sessions_of_person",
        "search",
    }
    read = scans(seen.bound, set(seen.bound.scans))
    large = [(query, scan) for query, scan in read if scan.table in LARGE]
    assert {scan.table for _, scan in large} == LARGE
    most = seen.sizes["recall_entries"] / 4
    assert [(query, scan) for query, scan in large if scan.index is None or scan.rows > most] == []


def test_no_policy_reads_all_entries_to_show_a_person_some_postings(seen: Seen) -> None:
    assert "(id = recall_postings.entry_id)" in seen.all_postings
    assert "entry_id = (hashed" not in seen.all_postings
