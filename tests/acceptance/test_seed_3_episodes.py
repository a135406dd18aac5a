"""Episodes as "Data Schemas" describes them, through the public doors and in plain SQL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from math import exp
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from quipu import Memory
from quipu.kernel.base.clock import FrozenClock

# The columns of "PostgreSQL - Episodes Table", as written there; FLOAT, TIMESTAMP and vector(768) are
# double precision, timestamptz and a vector of the model's length (docs/decisions/episodes.md).
COLUMNS = {
    "id": "uuid",
    "intent": "jsonb",
    "context": "jsonb",
    "action": "text",
    "emotion": "jsonb",
    "outcome": "text",
    "gist": "text",
    "salience": "double precision",
    "freshness": "double precision",
    "embedding": "USER-DEFINED",
    "topic": "text",
    "exchange_id": "text",
    "activation_score": "double precision",
    "salience_factors": "jsonb",
    "open_loops": "jsonb",
    "created_at": "timestamp with time zone",
    "updated_at": "timestamp with time zone",
    "last_accessed_at": "timestamp with time zone",
    "access_count": "integer",
    "deleted_at": "timestamp with time zone",
}

# Column by column in the order of the text, with the values that it gives as examples.
INSERT = """
INSERT INTO episodes (id, intent, context, action, emotion, outcome, gist, salience, freshness, embedding,
    topic, exchange_id, activation_score, salience_factors, open_loops, created_at, updated_at,
    last_accessed_at, access_count)
VALUES ('0b3eb120-6e4d-46da-8c66-a1c5f3d80a11',
    '{"type": "exploration", "direction": "open-ended"}',
    '{"situational": "evening at home", "conversational": "follow-up", "constraints": ["small budget"]}',
    'Looked at three telescopes.',
    '{"type": "joy", "valence": "positive", "intensity": "low", "arc": "steady"}',
    'The smaller telescope was chosen.', 'Ana looked for a telescope and chose the smaller one.',
    0.75, 0.75, NULL, 'astronomy', 'x-17', 1.0,
    '{"novelty": 2, "emotional": 2, "commitment": 1, "unresolved": true}',
    '["Question X remains unresolved"]'::jsonb, NOW() - interval '10 hours', NOW(), NULL, 0)
"""

TALK = (
    "Hi, I want to plan a trip to Lisbon in May.",
    "Great, when do you want to go?",
    "On 14 May. I decided to take the night train from Madrid.",
    "Noted: the night train from Madrid on 14 May.",
    "I'm so happy! Could you send me a list of hotels?",
    "I'll send you a list of hotels tomorrow.",
)


@pytest.fixture
def sql(address: str, space: str, memory: Memory) -> Iterator[psycopg.Connection[dict[str, Any]]]:
    """A connection as the application, in the space, which finds ``episodes`` without a schema."""
    with psycopg.Connection[dict[str, Any]].connect(address, row_factory=dict_row) as conn:
        conn.execute(
            "select set_config('quipu.space', name, false), set_config('quipu.space_id', id::text, false)"
            " from core.spaces where name = %s",
            (space,),
        )
        conn.execute("set role quipu_app")
        conn.execute("set search_path to episodes, public")
        yield conn


def test_the_table_has_the_columns_of_the_text(sql: psycopg.Connection[dict[str, Any]]) -> None:
    rows = sql.execute(
        "select column_name, data_type from information_schema.columns"
        " where table_schema = 'episodes' and table_name = 'episodes'"
    ).fetchall()
    found = {row["column_name"]: row["data_type"] for row in rows}
    assert {name: found.get(name) for name in COLUMNS} == COLUMNS


def test_what_is_inserted_as_written_fades_and_is_recalled(
    sql: psycopg.Connection[dict[str, Any]], memory: Memory, space: str
) -> None:
    sql.execute(INSERT)
    row = sql.execute(
        "SELECT gist, salience, freshness, activation_score, access_count, deleted_at FROM episodes"
        " WHERE intent->>'type' = 'exploration' AND deleted_at IS NULL ORDER BY freshness DESC"
    ).fetchone()
    assert row is not None
    assert row["salience"] == 0.75
    assert row["freshness"] == pytest.approx(exp(-0.05 * (1 - 0.75) * 10), abs=1e-4)
    assert 0.5 < row["activation_score"] < 1
    sql.commit()
    (hit, *_) = memory.recall("Which telescope did Ana choose?", space=space, kinds=("episodes",))
    assert hit.text.startswith("Ana looked for a telescope")
    why = {reason.signal for reason in memory.why(hit).reasons}
    assert {"activation", "freshness"} <= why


def test_soft_delete_takes_it_out_of_recall_and_an_access_refreshes_it(
    sql: psycopg.Connection[dict[str, Any]], memory: Memory, space: str
) -> None:
    sql.execute(INSERT)
    sql.execute("UPDATE episodes SET access_count = access_count + 1, last_accessed_at = NOW()")
    row = sql.execute("SELECT salience, freshness, access_count, last_accessed_at FROM episodes").fetchone()
    assert row is not None
    assert row["freshness"] == pytest.approx(1, abs=1e-3)
    assert 0.75 < row["salience"] <= 0.95
    assert row["access_count"] == 1
    sql.execute("UPDATE episodes SET deleted_at = NOW()")
    sql.commit()
    assert memory.recall("telescope", space=space, kinds=("episodes",)) == []


def test_a_conversation_becomes_an_episode_with_real_workers(
    sql: psycopg.Connection[dict[str, Any]], memory: Memory, clock: FrozenClock, space: str
) -> None:
    at = clock.now()
    memory.observe(
        [
            {
                "role": "user" if place % 2 == 0 else "assistant",
                "content": text,
                "time": at + timedelta(minutes=place),
            }
            for place, text in enumerate(TALK)
        ],
        space=space,
        session="trip",
        user="ana",
    )
    clock.advance(timedelta(hours=5))
    assert memory.work(topics=("memory_chunker", "episodic_memory")).failed == 0
    row = sql.execute("SELECT * FROM episodes WHERE user_name = 'ana'").fetchone()
    assert row is not None
    assert row["intent"]["type"] == "planning"
    assert set(row["context"]) == {"situational", "conversational", "constraints"}
    assert set(row["emotion"]) == {"type", "valence", "intensity", "arc"}
    assert set(row["salience_factors"]) == {"novelty", "emotional", "commitment", "unresolved"}
    assert row["open_loops"] != []
    assert 0.1 <= row["salience"] <= 1
    assert len(json.loads(str(row["embedding"]))) == 384
    curve = memory.episodes.curve(str(row["id"]), space=space)
    assert curve.points[0].state.freshness > curve.points[-1].state.freshness
    assert curve.now == clock.now()
