"""What the texts on transcripts and episodes require of a row and fill in, and where ours asks less."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from demands import columns
from psycopg import errors
from psycopg.rows import dict_row

from quipu import Memory

SEEDS = Path(__file__).resolve().parent.parent / "fixtures" / "seeds"
EPISODES, TRANSCRIPTS = ((SEEDS / name).read_text("utf-8") for name in ("episodes.md", "transcripts.md"))
EPISODE = {
    "id": "gen_random_uuid()",
    "intent": """'{"type": "exploration"}'""",
    "context": "'{}'",
    "action": "'Looked at telescopes.'",
    "emotion": "'{}'",
    "outcome": "'Chosen.'",
    "gist": "'Ana chose a telescope.'",
    "salience": "0.75",
    "freshness": "0.75",
    "topic": "'astronomy'",
    "salience_factors": "'{}'",
}


REQUIRED = [name for name, rest in columns(EPISODES, "episodes").items() if "NOT NULL" in rest]


@pytest.fixture
def sql(address: str, space: str, memory: Memory) -> Iterator[psycopg.Connection[dict[str, Any]]]:
    """A connection of the application in the space; names of both schemas mean ours."""
    assert memory
    with psycopg.Connection[dict[str, Any]].connect(
        address,
        row_factory=dict_row,
        options="-c role=quipu_app -c search_path=episodes,transcripts,public",
    ) as conn:
        conn.execute("select core.enter(%s)", [space])
        yield conn


def insert(sql: psycopg.Connection[dict[str, Any]], table: str, row: dict[str, str]) -> dict[str, Any]:
    statement = f"insert into {table} ({', '.join(row)}) values ({', '.join(row.values())})"
    sql.execute(statement.encode())
    (kept,) = sql.execute(f"select * from {table}".encode()).fetchall()
    return kept


def test_the_columns_of_the_text_are_read() -> None:
    assert set(REQUIRED) == {*EPISODE} - {"id"}
    assert len(columns(EPISODES, "episodes")) == 20
    assert len(columns(TRANSCRIPTS, "memories")) == 7


@pytest.mark.parametrize("column", [name for name in REQUIRED if name != "freshness"])
def test_an_episode_lacks_nothing_that_the_text_requires(
    sql: psycopg.Connection[dict[str, Any]], column: str
) -> None:
    with pytest.raises(errors.NotNullViolation):
        insert(sql, "episodes", {**EPISODE, column: "null"})


def test_an_episode_without_the_rest_has_the_defaults_and_begins_at_freshness_one(
    sql: psycopg.Connection[dict[str, Any]],
) -> None:
    row = insert(sql, "episodes", EPISODE)
    assert (row["open_loops"], row["access_count"], row["last_accessed_at"]) == ([], 0, None)
    assert row["created_at"] == row["updated_at"] is not None
    assert (row["deleted_at"], row["exchange_id"]) == (None, None)
    assert row["freshness"] == 1.0  # whatever is inserted, it is computed
    assert 0 < row["activation_score"] < 1


def test_a_conversation_needs_neither_a_user_nor_a_topic_and_has_the_defaults(
    sql: psycopg.Connection[dict[str, Any]], space: str
) -> None:
    sql.execute("insert into conversations (id) values ('0b3eb120-6e4d-46da-8c66-a1c5f3d80a11')")
    (row,) = sql.execute("select * from conversations where session like '0b3eb120%'").fetchall()
    assert (row["user_id"], row["topic"], row["title"], row["status"]) == (None, "", None, "active")
    assert row["created_at"] is not None
    assert row["updated_at"] is not None


def test_a_memory_needs_its_fact_and_nothing_else(sql: psycopg.Connection[dict[str, Any]]) -> None:
    with pytest.raises(errors.NotNullViolation), sql.transaction():
        insert(sql, "memories", {"fact": "null"})
    row = insert(sql, "memories", {"fact": "'Tabs, not spaces.'"})
    assert (row["session_id"], row["category"], row["confidence"]) == (None, None, None)


def test_a_session_that_nobody_tried_to_read_says_so(sql: psycopg.Connection[dict[str, Any]]) -> None:
    sql.execute(
        "insert into transcripts.session_details (session_id, project_path)"
        " select id, '/home/ana' from core.sessions limit 1"
    )
    (row,) = sql.execute("select * from transcripts.sessions").fetchall()
    assert (row["memories_extracted"], row["extraction_attempted_at"]) == (0, None)
