"""Each column of a view that SQL writes takes what is written or is refused by name: none is passed over."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from quipu import AsyncMemory

SPACE = "views"
Connection = psycopg.Connection[dict[str, Any]]
VIEWS = """
select n.nspname || '.' || c.relname as view, array_agg(a.attname::text order by a.attnum) as columns,
    array_agg(format_type(a.atttypid, null) order by a.attnum) as types,
    bool_or(t.tgtype & 4 > 0) as inserts
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
    and n.nspname in ('ledger', 'transcripts', 'episodes', 'longterm')
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
join lateral (
    select bit_or(tgtype) as tgtype from pg_trigger where tgrelid = c.oid and tgtype & 64 > 0
        and tgname <> 'refused'
) t on t.tgtype is not null
where c.relkind = 'v'
group by 1
"""
ROWS = {
    "episodes.episodes": {
        "id": UUID(int=7),
        "intent": Jsonb({"type": "planning"}),
        "context": Jsonb({}),
        "action": "Compared two boats.",
        "emotion": Jsonb({}),
        "outcome": "",
        "gist": "Ana chose the blue boat.",
        "salience": 0.5,
        "topic": "boats",
        "salience_factors": Jsonb({"novelty": 2}),
        "access_count": 3,
    },
    "episodes.conversations": {"id": UUID(int=8), "user_id": "ana", "topic": "boats"},
    "ledger.chat_sessions": {"id": UUID(int=9)},
}
OTHERS: dict[str, Any] = {
    "text": "other",
    "uuid": UUID(int=1),
    "jsonb": Jsonb({"other": True}),
    "double precision": 0.875,
    "timestamp with time zone": datetime(2031, 5, 4, tzinfo=UTC),
    "boolean": True,
    "vector": "[1]",
    "integer": 5,
    "bigint": 5,
    "smallint": 5,
}
BY_COLUMN: dict[str, Any] = {
    "status": "archived",
    "open_loops": Jsonb(["Who packs?"]),
    "mode": "ACT",
    "memories_extracted": 1,
    "card_type": "risk",
    "location_count": 2,
    "started_at": datetime(2021, 5, 4, tzinfo=UTC),
    "ledger.chat_sessions.status": "ended",
}
WRITTEN = {
    "episodes.episodes": {
        *("intent", "context", "action", "emotion", "outcome", "gist", "salience", "topic", "exchange_id"),
        *("salience_factors", "open_loops", "updated_at", "access_count", "deleted_at"),
    },
    "episodes.conversations": {"user_id", "topic", "title", "status", "updated_at", "thread_id"},
    "episodes.messages": {"mode", "metadata"},
    "transcripts.sessions": {"memories_extracted", "extraction_attempted_at"},
    "ledger.chat_sessions": {
        *("started_at", "ended_at", "status", "card_type", "location_count", "model", "prompt_version"),
        *("rule_version", "distinct_id", "trace_id", "first_insight_latency_ms", "had_fallback", "meta"),
    },
}

REFUSED = {
    "episodes.episodes": {
        *("space_id", "session_id", "thread_id", "builder", "builder_version", "version"),
        *("freshness", "activation_score", "embedding"),
    },
    "episodes.conversations": {"session", "messages", "space_id", "session_number"},
}


@pytest.fixture
async def conn(memory: AsyncMemory, url: str) -> AsyncIterator[Connection]:
    """SQL of an application, where there is a row in every view that it writes."""
    await memory.observe([{"content": "Hello."}], space=SPACE, session="s")
    with psycopg.Connection[dict[str, Any]].connect(url, row_factory=dict_row) as conn:
        conn.execute("set role quipu_app")
        conn.execute("select core.enter(%s)", [SPACE])
        conn.execute("insert into transcripts.session_details (session_id) select id from core.sessions")
        for view, row in ROWS.items():
            insert(conn, view, row)
        yield conn
        conn.rollback()


def insert(conn: Connection, view: str, row: dict[str, Any]) -> None:
    names = sql.SQL(", ").join(map(sql.Identifier, row))
    values = sql.SQL(", ").join([sql.Placeholder()] * len(row))
    statement = sql.SQL("insert into {} ({}) values ({})").format(
        sql.Identifier(*view.split(".")), names, values
    )
    conn.execute(statement, [*row.values()])


def asked_for(view: str, column: str, kind: str) -> Any:
    return BY_COLUMN.get(f"{view}.{column}", BY_COLUMN.get(column, OTHERS[kind]))


def shown(conn: Connection, view: str, key: str, value: object) -> dict[str, Any]:
    found = sql.SQL("select * from {} where {} = %s")
    (row,) = conn.execute(
        found.format(sql.Identifier(*view.split(".")), sql.Identifier(key)), [value]
    ).fetchall()
    return row


def plain(value: Any) -> Any:
    return value.obj if isinstance(value, Jsonb) else value


pytestmark = pytest.mark.anyio


async def test_an_update_of_each_column_takes_effect_or_is_refused(conn: Connection) -> None:
    written: dict[str, set[str]] = {}
    unnamed: list[tuple[str, str]] = []
    for view, columns, kinds, _ in (row.values() for row in conn.execute(VIEWS).fetchall()):
        first = sql.SQL("select id from {} limit 1").format(sql.Identifier(*view.split(".")))
        id_ = ROWS[view]["id"] if view in ROWS else (conn.execute(first).fetchone() or {})["id"]
        before = shown(conn, view, "id", id_)
        update = sql.SQL("update {} set {} = %s where id = %s")
        for column, kind in zip(columns, kinds, strict=True):
            asked = asked_for(view, column, kind)
            place = update.format(sql.Identifier(*view.split(".")), sql.Identifier(column))
            try:
                with conn.transaction(force_rollback=True):
                    conn.execute(place, [asked, id_])
                    assert shown(conn, view, "id", id_)[column] == plain(asked) != before[column], column
                written.setdefault(view, set()).add(column)
            except psycopg.Error as refused:
                unnamed += [(view, column)] if column not in str(refused) else []
    assert (written, unnamed) == (WRITTEN, [])


async def test_an_insert_of_each_column_takes_effect_or_is_refused(conn: Connection) -> None:
    refused: dict[str, set[str]] = {}
    for view, columns, kinds, inserts in (row.values() for row in conn.execute(VIEWS).fetchall()):
        if not inserts or view not in ROWS:
            continue
        for column, kind in zip(columns, kinds, strict=True):
            asked = asked_for(view, column, kind)
            key = "name" if column == "name" else "id"  # a session is known by one of them
            row = ROWS[view] | {"id": UUID(int=10), column: asked}
            row = {name: value for name, value in row.items() if {key, name} != {"id", "name"}}
            try:
                with conn.transaction(force_rollback=True):
                    insert(conn, view, row)
                    kept = shown(conn, view, key, row[key])[column]
                    assert kept == plain(asked) or kept == pytest.approx(asked), (view, column)
            except psycopg.Error:
                refused.setdefault(view, set()).add(column)
    assert refused == REFUSED


@pytest.mark.parametrize(
    ("verb", "view", "way_out"),
    [
        ("insert", "transcripts.sessions", "quipu transcripts sync"),
        ("delete", "transcripts.sessions", "forget(session="),
        ("insert", "transcripts.messages", "quipu transcripts sync"),
        ("update", "transcripts.messages", "observe()"),
        ("delete", "transcripts.messages", "forget(message="),
        ("delete", "episodes.conversations", "status"),
        ("delete", "episodes.messages", "forget(message="),
        ("insert", "ledger.chat_messages", "observe()"),
        ("update", "ledger.chat_messages", "observe()"),
        ("delete", "ledger.chat_messages", "forget(message="),
        ("insert", "ledger.chat_tool_calls", "observe()"),
        ("insert", "ledger.evidence_coverage", "computed from"),
        ("insert", "ledger.evidence_recency", "computed from"),
        ("insert", "ledger.assumption_friction", "computed from"),
        ("insert", "ledger.source_reliability", "computed from"),
        ("insert", "ledger.source_recency", "computed from"),
        ("insert", "ledger.first_insight", "computed from"),
    ],
)
async def test_a_statement_that_a_view_does_not_take_is_refused_with_the_way_out(
    conn: Connection, verb: str, view: str, way_out: str
) -> None:
    """PostgreSQL's own words told to write a trigger."""
    conn.execute(
        "insert into transcripts.lines (session_id, uuid, type, happened_at)"
        " select id, 'line', 'user', now() from core.sessions where name = 's'"
    )
    statement = {"insert": "insert into {} default values", "update": "update {} set session_id = session_id"}
    with pytest.raises(psycopg.errors.FeatureNotSupported, match=f"cannot {verb} rows of {view}") as refused:
        conn.execute(statement.get(verb, "delete from {}").format(view).encode())
    assert way_out in (refused.value.diag.message_hint or "")


async def test_a_use_is_noted_with_its_time_and_what_somebody_says_an_episode_weighs_is_what_it_weighs(
    conn: Connection,
) -> None:
    at = datetime(2031, 5, 4, tzinfo=UTC)
    conn.execute(
        "update episodes.episodes set access_count = access_count + 1, last_accessed_at = %s,"
        " salience = 0.75",
        [at],
    )
    row = shown(conn, "episodes.episodes", "id", ROWS["episodes.episodes"]["id"])
    assert (row["access_count"], row["last_accessed_at"]) == (4, at)
    assert row["salience"] == pytest.approx(0.75)
    conn.execute("update episodes.episodes set access_count = access_count + 1")
    for refused in (
        "access_count = 1",
        "last_accessed_at = null",
        "last_accessed_at = now()",
        "salience = 0.01",
    ):
        with pytest.raises(psycopg.errors.FeatureNotSupported, match=refused.split()[0]), conn.transaction():
            conn.execute(f"update episodes.episodes set {refused}".encode())


async def test_what_the_text_has_an_episode_begin_with_is_taken_and_what_is_worked_out_is_not(
    conn: Connection,
) -> None:
    row = ROWS["episodes.episodes"] | {"id": UUID(int=11), "access_count": 0}
    insert(conn, "episodes.episodes", row | {"freshness": 0.5, "activation_score": 1.0, "embedding": None})
    begun = shown(conn, "episodes.episodes", "id", UUID(int=11))
    assert begun["freshness"] == 1.0
    for column, asked in (("freshness", 0.4), ("activation_score", 0.4), ("embedding", "[1,2]")):
        with pytest.raises(psycopg.errors.FeatureNotSupported, match=column) as refused, conn.transaction():
            insert(conn, "episodes.episodes", row | {"id": UUID(int=12), column: asked})
        assert "leave them out" in str(refused.value.diag.message_hint)
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="salience"), conn.transaction():
        insert(conn, "episodes.episodes", row | {"id": UUID(int=12), "salience": 0.01, "access_count": 9})
    with pytest.raises(psycopg.errors.NotNullViolation), conn.transaction():
        insert(conn, "episodes.episodes", row | {"id": UUID(int=12), "salience": None})
