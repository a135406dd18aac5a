"""Rows that SQL copies, empties or writes as nobody could read them leave the index and all others whole."""

from __future__ import annotations

from typing import LiteralString
from uuid import uuid4

import psycopg
import pytest
from by_hand import entered, known, lessons
from psycopg.types.json import Jsonb

from quipu import AsyncMemory

pytestmark = pytest.mark.anyio
SPACE = "sql"
FIRST = "Ana prefers espresso.", "Has a dog named Tejo"


async def kept(memory: AsyncMemory) -> None:
    """A session, a lesson and a long-term memory, all in the index."""
    await memory.observe([{"content": "The train to Porto is late."}], space=SPACE, session="s-1")
    await memory.lessons.add(FIRST[0], space=SPACE, category="preferences")
    await memory.longterm.add(FIRST[1], space=SPACE)


TABLES: tuple[LiteralString, LiteralString] = ("transcripts.memories", "longterm.long_term_memory")


@pytest.mark.parametrize("at_once", ["one statement", "one transaction", "two transactions"])
async def test_rows_that_sql_copies_back_with_all_their_columns_are_found(
    memory: AsyncMemory, url: str, at_once: str
) -> None:
    """They brought the entries along that were taken from the index with them."""
    await kept(memory)
    with entered(url, SPACE) as conn:
        for table in TABLES:
            if at_once == "one statement":
                moved = f"with gone as (delete from {table} returning *) insert into {table} table gone"
                conn.execute(moved)
                continue
            conn.execute(f"create temp table saved on commit preserve rows as table {table}")
            conn.execute(f"delete from {table}")
            if at_once == "two transactions":
                conn.commit()
                conn.execute("select core.enter(%s)", [SPACE])
            conn.execute(f"insert into {table} table saved")
            conn.execute("drop table saved")
    assert await lessons(memory, "espresso", SPACE) == [FIRST[0]]
    assert await known(memory, "What is the dog named?", SPACE) == [FIRST[1]]


@pytest.mark.parametrize("change", ["entry_id = null", "entry_id = -7", "id = gen_random_uuid()"])
async def test_a_row_keeps_its_entry_whatever_sql_says_of_it(
    memory: AsyncMemory, url: str, change: LiteralString
) -> None:
    await kept(memory)
    with entered(url, SPACE) as conn:
        for table, text in zip(TABLES, ("fact", "summary"), strict=True):
            conn.execute(f"update {table} set {change}")
            other = {"id": str(uuid4()), text: "Rows a canoe", "hash": "c" * 64, "normal_form": None}
            copied = f"insert into {table} select (jsonb_populate_record(m, %s)).* from {table} m"
            conn.execute(copied, [Jsonb(other)])
    assert await lessons(memory, "espresso", SPACE) == [FIRST[0]]
    assert await known(memory, "What is the dog named?", SPACE) == [FIRST[1]]
    assert await lessons(memory, "canoe", SPACE) == ["Rows a canoe"]


async def test_a_change_beside_an_entry_is_told_and_found(memory: AsyncMemory, url: str) -> None:
    await kept(memory)
    with entered(url, SPACE) as conn:
        conn.execute("update transcripts.memories set fact = 'Ana prefers matcha.', entry_id = null")
        edits = conn.execute("select fact from transcripts.memory_edits")
        assert edits.fetchall() == [(FIRST[0],)]
    assert await lessons(memory, "espresso", SPACE) == []
    assert await lessons(memory, "matcha", SPACE) == ["Ana prefers matcha."]


async def test_what_the_index_follows_is_not_truncated(memory: AsyncMemory, url: str) -> None:
    await kept(memory)
    facts = (
        "ledger.chat_session_memory",
        "ledger.chat_user_preferences",
        "ledger.chat_recommendation_evidence",
    )
    with psycopg.connect(url) as conn:
        for table in (*TABLES, *facts):
            with pytest.raises(psycopg.errors.FeatureNotSupported, match=table), conn.transaction():
                conn.execute(f"truncate {table} cascade".encode())
    assert await lessons(memory, "espresso", SPACE) == [FIRST[0]]


EPISODE = """
insert into episodes.episodes (id, intent, context, action, emotion, outcome, gist, salience, freshness,
    topic, salience_factors, open_loops)
select gen_random_uuid(), coalesce(e -> 'intent', '{}'), coalesce(e -> 'context', '{}'), 'Rowed.',
    coalesce(e -> 'emotion', '{}'), 'Wet.', 'Ana rowed a canoe.', 0.5, 0.5, 'boats',
    coalesce(e -> 'salience_factors', '{}'), coalesce(e -> 'open_loops', '[]')
from (select %s::jsonb as e) x
"""
PARTS = "intent", "context", "emotion", "salience_factors", "open_loops"


@pytest.mark.parametrize("value", ["[" * 2_000 + "]" * 2_000, "1e4300"], ids=["deep", "large"])
async def test_json_that_no_program_reads_is_refused_in_an_episode(
    memory: AsyncMemory, url: str, value: str
) -> None:
    """One of them kept all others from being listed."""
    await kept(memory)
    with entered(url, SPACE) as conn:
        conn.execute(EPISODE, ["{}"])
        for part in PARTS:
            json = f'{{"{part}": [{value}]}}' if part == "open_loops" else f'{{"{part}": {{"a": {value}}}}}'
            with pytest.raises(psycopg.errors.CheckViolation), conn.transaction():
                conn.execute(EPISODE, [json])
        with pytest.raises(psycopg.errors.CheckViolation), conn.transaction():
            conn.execute("update episodes.messages set metadata = %s", [f'{{"a": {value}}}'])
    (episode,) = await memory.episodes.list(space=SPACE)
    assert episode.gist == "Ana rowed a canoe."
