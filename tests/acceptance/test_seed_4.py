"""Acceptance of "Data Model: Sati Memory Middleware": its table is there, its interfaces exist.

Ours differs as the design says: ids are uuid, times timestamptz, an importance is ordered, and keys begin
with the space. A file that is written has the table as the text has it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import psycopg
import pytest
from psycopg import errors

from quipu import AsyncMemory, Memory
from quipu.errors import BadInput
from quipu.interfaces.server import create_app
from quipu.kernel.config import Settings
from quipu.longterm import (
    CATEGORIES,
    IMPORTANCES,
    SatiEvaluationInput,
    SatiMemoryResult,
    SatiRetrievalInput,
)

SEED = (Path(__file__).resolve().parent.parent / "fixtures" / "seeds" / "longterm.md").read_text("utf-8")
LINE = re.compile(
    r"^\| `(?P<name>\w+)` \| (?P<type>\w+) \| (?P<rule>[^|]*) \| (?P<about>[^|]*) \|$", re.MULTILINE
)
COLUMNS = {match["name"]: match.groupdict() for match in LINE.finditer(SEED)}
INDICES = re.findall(r"^- `(idx_\w+)` on `(\w+)`$", SEED, re.MULTILINE)
TYPES = {
    "TEXT": {"text", "uuid", "importance"},
    "DATETIME": {"timestamp with time zone"},
    "INTEGER": {"integer"},
    "BOOLEAN": {"boolean"},
}
OURS = """
select a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull
from pg_attribute a
where a.attrelid = 'longterm.long_term_memory'::regclass and a.attnum > 0 and not a.attisdropped
"""
INSERT = """
insert into long_term_memory (id, category, importance, summary, details, hash, source)
values (%s, %s, %s, %s, null, %s, 'conversation')
"""
STORE = {
    "should_store": True,
    "category": "pets",
    "importance": "high",
    "summary": "Has a dog called Rex",
    "reason": "told so",
}
RETRIEVAL = {"current_message": "What is my dog called?", "recent_messages": ["Hello"], "memory_limit": 5}
RELEVANT = {
    "relevant_memories": [{"summary": "Has a dog called Rex", "category": "pets", "importance": "high"}]
}
WRONG: tuple[dict[str, object], ...] = (
    {"should_store": True},
    {"summary": "Has a dog"},
    {"relevant_memories": []},
)
CONVERSATION = {
    "recent_conversation": [
        {"role": "user", "content": "I have a dog called Rex."},
        {"role": "assistant", "content": "Nice."},
    ],
    "existing_memory_summaries": ["Lives in Lisbon"],
}


@pytest.fixture
def inside(memory: Memory, address: str, space: str) -> Iterator[psycopg.Connection]:
    """A connection of the application that has entered the space, where the seed's names mean ours."""
    memory.longterm.add("Is in the space", space=space)
    with psycopg.connect(address, options="-c role=quipu_app -c search_path=longterm,core,public") as conn:
        conn.execute("select core.enter(%s)", [space])
        yield conn


def insert(conn: psycopg.Connection, category: str, importance: str, hash_: str) -> UUID:
    id_ = uuid4()
    conn.execute(INSERT.encode(), [id_, category, importance, f"{category} {importance}", hash_])
    return id_


def test_the_seed_is_read() -> None:
    assert len(COLUMNS) == 13
    assert len(INDICES) == 3
    told = COLUMNS["category"]["about"].removeprefix("Enum: ").split(", ")
    assert tuple(sorted(told)) == tuple(sorted(CATEGORIES))
    assert COLUMNS["importance"]["about"] == f"Enum: {', '.join(IMPORTANCES)}"


def test_every_column_of_the_seed_is_there(inside: psycopg.Connection) -> None:
    ours = {name: (kind, needed) for name, kind, needed in inside.execute(OURS.encode()).fetchall()}
    for name, column in COLUMNS.items():
        kind, needed = ours[name]
        assert kind.removeprefix("longterm.") in TYPES[column["type"]], name
        assert needed or "NOT NULL" not in column["rule"], name


def test_every_index_of_the_seed_is_there(inside: psycopg.Connection) -> None:
    made = dict(
        inside.execute("select indexname, indexdef from pg_indexes where schemaname = 'longterm'").fetchall()
    )
    for name, column in INDICES:  # more columns may follow: then it serves the order of lists too
        assert re.search(rf"long_term_memory USING btree \(space_id, {column}\b", made[name]), name


def test_an_id_is_a_uuid_of_version_4_and_of_one_memory(
    memory: Memory, inside: psycopg.Connection, space: str
) -> None:
    assert UUID(memory.longterm.add("Has a boat", space=space).id).version == 4
    id_ = insert(inside, "pets", "low", "4" * 64)
    again = [id_, "pets", "low", "Another", "5" * 64]
    with pytest.raises(errors.UniqueViolation):
        inside.execute(INSERT.encode(), again)


@pytest.mark.parametrize(
    ("column", "asked", "role"),
    [
        ("category", "category = 'pets'", "quipu_app"),
        ("archived", "archived", "quipu_app"),
        # Under row level security PostgreSQL looks up nothing by an enumeration: its "=" is not leakproof.
        ("importance", "importance = 'high'", "quipu_admin"),
    ],
)
def test_each_index_serves_what_its_column_is_asked_for(
    inside: psycopg.Connection, space: str, column: str, asked: str, role: str
) -> None:
    for category, importance, archived, n in (("context", "low", False, 3_000), ("pets", "high", True, 20)):
        inside.execute(
            "insert into long_term_memory (category, importance, archived, summary, hash)"
            " select %s, %s, %s, n || %s, md5(n || %s) || md5(%s) from generate_series(1, %s) n",
            [category, importance, archived, category, category, category, n],
        )
    inside.execute("set local role quipu_admin")
    inside.execute("analyze longterm.long_term_memory")
    (number,) = inside.execute("select id from core.spaces where name = %s", [space]).fetchone() or (0,)
    inside.execute(f"set local role {role}".encode())
    query = f"explain select id from long_term_memory where space_id = {number} and {asked}"
    plan = " ".join(line for (line,) in inside.execute(query.encode()).fetchall())
    assert re.search(rf"Index Cond: [^:]*\b{column}\b", plan), plan


def test_what_the_seed_leaves_out_has_its_defaults(inside: psycopg.Connection) -> None:
    id_ = insert(inside, "pets", "low", "0" * 64)
    row = inside.execute(
        "select created_at = now(), updated_at = now(), last_accessed_at, access_count, version,"
        " archived from long_term_memory where id = %s",
        [id_],
    ).fetchone()
    assert row == (True, True, None, 0, 1, False)


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_category_of_the_seed_is_kept(inside: psycopg.Connection, category: str) -> None:
    insert(inside, category, "medium", "1" * 64)


@pytest.mark.parametrize(
    ("category", "importance", "refused"),
    [
        ("food", "low", errors.CheckViolation),
        ("PETS", "low", errors.CheckViolation),
        ("pets", "critical", errors.InvalidTextRepresentation),
        ("pets", "High", errors.InvalidTextRepresentation),
    ],
)
def test_the_database_refuses_what_is_in_no_enumeration(
    inside: psycopg.Connection, category: str, importance: str, refused: type[psycopg.Error]
) -> None:
    with pytest.raises(refused):
        insert(inside, category, importance, "2" * 64)


def test_high_is_more_than_medium_and_medium_more_than_low(inside: psycopg.Connection) -> None:
    for n, importance in enumerate(("low", "high", "medium")):
        insert(inside, "pets", importance, str(n) * 64)
    ordered = inside.execute(
        "select importance from long_term_memory where category = 'pets' order by importance desc"
    ).fetchall()
    assert ordered == [("high",), ("medium",), ("low",)]
    (above,) = inside.execute(
        "select count(*) from long_term_memory where category = 'pets' and importance >= 'medium'"
    ).fetchall()
    assert above == (2,)


def test_a_hash_is_unique_among_live_memories_and_free_when_they_are_archived(
    inside: psycopg.Connection,
) -> None:
    id_ = insert(inside, "pets", "low", "3" * 64)
    with pytest.raises(errors.UniqueViolation), inside.transaction():
        insert(inside, "context", "low", "3" * 64)
    inside.execute("update long_term_memory set archived = true where id = %s", [id_])
    insert(inside, "context", "low", "3" * 64)


def test_before_the_agent_the_seed_s_input_gives_the_seed_s_result(
    memory: Memory, accepting: Settings, space: str
) -> None:
    memory.longterm.add("Has a dog called Rex", space=space, user="ana", category="pets", importance="high")
    asked = SatiRetrievalInput.model_validate(
        {"current_message": "What is my dog called?", "recent_messages": ["Hello"], "memory_limit": 5}
    )
    patient = replace(accepting, tuned={"longterm_timeout_ms": 60_000})  # this machine may be busy
    with Memory(settings=patient) as agent:
        found = agent.longterm.recover(asked, space=space, user="ana")
    assert isinstance(found, SatiMemoryResult)
    assert found.document() == {
        "relevant_memories": [{"summary": "Has a dog called Rex", "category": "pets", "importance": "high"}]
    }


def test_the_seed_s_documents_are_taken_as_they_stand(accepting: Settings, address: str, space: str) -> None:
    patient = replace(accepting, tuned={"longterm_timeout_ms": 60_000})
    with Memory(settings=patient) as agent:
        known = agent.longterm
        assert known.apply(STORE, space=space, user="ana").count("included") == 1
        assert known.apply({"should_store": False, "reason": "small talk"}, space=space).memories == ()
        assert known.recover(RETRIEVAL, space=space, user="ana").document() == RELEVANT
        assert SatiMemoryResult.of(known.evaluate(CONVERSATION)).summary == "The user has a dog called Rex."
        for wrong in WRONG:
            with pytest.raises(BadInput):
                known.apply(wrong, space=space)
        with pytest.raises(BadInput, match="current_message"):
            known.recover({"memory_limit": 3}, space=space)


@pytest.mark.anyio
async def test_the_seed_s_documents_are_taken_by_rest_and_the_async_memory(
    accepting: Settings, address: str, space: str
) -> None:
    patient = replace(accepting, tuned={"longterm_timeout_ms": 60_000})
    async with AsyncMemory(settings=patient) as agent:
        key = await agent.keys.create("seed 4", space=space, level="write")
        transport = httpx.ASGITransport(app=create_app(memory=agent))
        headers = {"authorization": f"Bearer {key.token}"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost", headers=headers
        ) as client:

            async def told(act: str, document: object) -> dict[str, Any]:
                answer = await client.post(f"/v1/longterm/{act}", json=document)
                assert answer.status_code == 200, answer.text
                return answer.json()

            applied = await told("apply", STORE)
            assert [one["action"] for one in applied["memories"]] == ["included"]
            assert (await told("recover", RETRIEVAL))["relevant_memories"] == RELEVANT["relevant_memories"]
            found = await told("evaluate", CONVERSATION)
            assert [one["summary"] for one in found["inclusions"]] == ["The user has a dog called Rex."]
            for act, wrong in (("apply", {"summary": "Has a dog"}), ("recover", {**RETRIEVAL, "asked": "a"})):
                assert (await client.post(f"/v1/longterm/{act}", json=wrong)).status_code == 422
        assert (await agent.longterm.apply(STORE, space=space)).count("restated") == 1
        assert (await agent.longterm.recover(RETRIEVAL, space=space)).document() == RELEVANT


def test_the_inputs_and_results_of_evaluation_are_typed() -> None:
    asked = SatiEvaluationInput.model_validate(
        {
            "recent_conversation": [{"role": "user", "content": "I have a dog."}],
            "existing_memory_summaries": [],
        }
    )
    assert asked.recent_conversation[0].role == "user"
    result = {"should_store": True, "category": "pets", "importance": "low", "summary": "Has a dog"}
    assert SatiMemoryResult.model_validate(result).document() == result


def test_a_file_that_is_written_has_exactly_the_table_and_indices_of_the_seed(
    memory: Memory, space: str, tmp_path: Path
) -> None:
    memory.longterm.add("Has a dog", space=space, category="pets")
    memory.longterm.export_sqlite(tmp_path / "santi-memory.db", space=space)
    with closing(sqlite3.connect(tmp_path / "santi-memory.db")) as conn:
        info = {row[1]: row for row in conn.execute("pragma table_info(long_term_memory)")}
        assert [*info] == [*COLUMNS]
        for name, column in COLUMNS.items():
            _, _, kind, needed, default, key = info[name]
            assert kind == column["type"]
            assert bool(needed) == ("NOT NULL" in column["rule"])
            assert bool(key) == ("PRIMARY KEY" in column["rule"])
            assert _default(column) == (None if default is None else str(default)), name
        made = conn.execute(
            "select name from sqlite_master where type = 'index' and sql is not null"
        ).fetchall()
        assert sorted(name for (name,) in made) == sorted(name for name, _ in INDICES)
        for name, column in INDICES:
            assert [row[2] for row in conn.execute(f"pragma index_info({name})")] == [column]
        assert conn.execute("select summary, archived from long_term_memory").fetchall() == [("Has a dog", 0)]
        with pytest.raises(sqlite3.IntegrityError, match="hash"):
            conn.execute(
                "insert into long_term_memory (id, category, importance, summary, hash)"
                " select 'x', category, importance, summary, hash from long_term_memory"
            )


def _default(column: dict[str, str]) -> str | None:
    """The default of a column, in whichever place the seed tells it."""
    if "Default current timestamp" in column["about"]:
        return "CURRENT_TIMESTAMP"
    told = re.search(r"DEFAULT (\S+)", column["rule"])
    return told[1] if told else None
