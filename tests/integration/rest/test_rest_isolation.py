"""Whoever may do everything in one space reads and changes nothing of another, through any route.

The routes come from the route table and the requests from the OpenAPI, with every name and id of the other
space in their places: a new route is tried by itself, and fails here if nobody can tell how to ask it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from fastapi import FastAPI
from filling import Asking, requests
from long_form import sized
from psycopg import sql
from route_table import Entry, entries
from seeding import KEY, SESSION, SETTINGS, TABLE, Known, seeded

from quipu import AsyncMemory

pytestmark = pytest.mark.anyio

OURS, THEIRS = "bob", "ana"
MARKS = {THEIRS: "aardvark", OURS: "bonobo"}
SECRETS = re.compile(  # a number of theirs, and not a part of a time
    rf"{MARKS[THEIRS]}|(?<!\d){SETTINGS[MARKS[THEIRS]]}(?!\d)", re.IGNORECASE
)
# What must stand in no answer: where things lie on the server, how it is written, what it asks PostgreSQL.
LEAKS = re.compile(
    r"Traceback|File \\?\"|site-packages|/usr/|/opt/|/tmp/|\.py\b|psycopg|postgres(ql)?://|SQLSTATE"
    r"|\binsert into core|\bselect .{1,80} from core\.|core\.current_space"
)

_SELECT = {"sql": f"select name from {TABLE}"}
# Requests that the OpenAPI cannot tell: what has to be true of somebody's own data, or belongs together.
MORE: dict[str, list[dict[str, Any]]] = {
    "POST /v1/import": [{"content": b'{"content": "A line.", "session": "shared"}\n'}],
    "POST /v1/forget": [
        {"json": {"session": SESSION}},
        {"json": {"user": "una"}},
        {"json": {"everything": True}},
    ],
    "POST /v1/ledger/set": [{"json": {"key": KEY, "value": "warm", "session": SESSION}}],
    "POST /v1/ledger/assume": [{"json": {"key": KEY, "value": "warm", "session": SESSION}}],
    "POST /v1/ledger/correct": [{"json": {"key": KEY, "value": "calm", "session": SESSION}}],
    "POST /v1/ledger/expire": [{"json": {"key": KEY, "session": SESSION}}],
    "POST /v1/ledger/delete": [
        {"json": {"key": KEY, "value": "warm", "session": SESSION}, "path": "/v1/ledger/set"},
        {"json": {"key": KEY, "session": SESSION}},
    ],
    "POST /v1/tables/row": [{"json": {"table": TABLE, "key": "1"}}],
    "POST /v1/tables/embedded": [{"json": {"table": TABLE, "key": "1"}}],
    "POST /v1/tables/query": [{"json": _SELECT}],
    "POST /v1/tables/insert": [{"json": {"table": TABLE, "data": {"name": "One more"}}}],
    "POST /v1/tables/update": [{"json": {"table": TABLE, "data": {"name": "Other"}, "where": {"id": 1}}}],
    "POST /v1/tables/delete": [{"json": {"table": TABLE, "where": {"id": 2}}}],
    "POST /v1/tables/execute": [{"json": {"sql": f"create index on {TABLE} (name)"}}],
    "POST /v1/tables/recreate": [
        {"json": {"table": TABLE, "sql": f"create table {TABLE} (id int primary key, name text)"}}
    ],
    "POST /v1/tables/schemas": [{"json": {"name": "expedition"}}],
    "POST /v1/tables/schemas/drop": [{"json": {"name": "memory"}}],
    "POST /v1/transcripts/query": [{"json": {"sql": "select * from messages"}}],
    "POST /v1/transcripts/search": [{"json": {"query": "timeout"}}],
    "POST /v1/transcripts/recall": [{"json": {"term": "timeout"}}],
}


def asked(entry: Entry, known: Known, schemas: Any, *, most: int = 1_000) -> list[Asking]:
    """Return what is sent to a route: its own requests, and at most so many made of the OpenAPI."""
    made = [] if entry.path.endswith("/import") else requests(entry, known, schemas)
    more = [
        Asking(
            entry.method,
            one.get("path", entry.path),
            one.get("params", {}),
            one.get("json"),
            one.get("content"),
        )
        for one in [*MORE.get(entry.name, []), *known.get(entry.name, [])]
    ]
    return [*more, *made[:most]]


async def send(client: httpx.AsyncClient, one: Asking, **params: str) -> httpx.Response:
    return await client.request(
        one.method, one.path, params={**one.params, **params}, json=one.json, content=one.content
    )


def held(url: str, space: str) -> dict[str, str]:
    """A digest of every row of a space, by table; those of its own tables, too."""
    found: dict[str, str] = {}
    with psycopg.connect(url) as conn:
        row = conn.execute("select id from core.spaces where name = %s", [space]).fetchone()
        assert row is not None
        columns = conn.execute(
            "select table_schema, table_name from information_schema.columns c"
            " join information_schema.tables using (table_schema, table_name)"
            " where column_name = 'space_id' and table_type = 'BASE TABLE'"
        ).fetchall()
        for schema, table in columns:
            query = sql.SQL("select t::text from {} t where space_id = %s order by 1")
            rows = conn.execute(query.format(sql.Identifier(schema, table)), row).fetchall()
            found[f"{schema}.{table}"] = hashlib.sha256(repr(rows).encode()).hexdigest() if rows else ""
        own = conn.execute("select schema_name from tables.schemas where space_id = %s", row).fetchall()
        for (schema,) in own:
            rows = conn.execute(
                sql.SQL("select t::text from {} t order by 1").format(sql.Identifier(schema, TABLE))
            ).fetchall()
            found[schema] = repr(rows)
    return found


@pytest.fixture(scope="module")
async def known(memory: AsyncMemory, tmp_path_factory: pytest.TempPathFactory) -> Known:
    """What is known of the other space."""
    root: Path = tmp_path_factory.mktemp("recorded")
    found = await seeded(memory, MARKS, root)
    return found[THEIRS]


@pytest.mark.long
async def test_no_route_shows_or_changes_anything_of_another_space(
    app: FastAPI, clients: Any, known: Known, module_url: str, memory: AsyncMemory
) -> None:
    table = [one for one in entries(app) if one.of_space]
    schemas = app.openapi()["components"]["schemas"]
    client = await clients("admin", space=OURS)
    before, snapshots = held(module_url, THEIRS), await memory.snapshots.list(space=THEIRS)
    assert sum(map(bool, before.values())) > 40  # of so many tables there is something to be changed
    shown: list[tuple[Asking, str]] = []
    for entry in table:
        tried = asked(entry, known, schemas, most=sized(2, long=1_000))
        assert (await send(client, tried[0], space=THEIRS)).status_code == 403, entry.name
        for one in tried:
            answer = await send(client, one)
            assert answer.status_code < 500, (one, answer.text)
            assert not SECRETS.search(answer.text), (one, answer.text)
            assert not LEAKS.search(answer.text), (one, answer.text)
            if answer.status_code == 200 and "application/json" in answer.headers["content-type"]:
                told = answer.json()
                if one.json is not None and isinstance(told, dict) and told.get("confirm"):
                    shown.append((one, told["confirm"]))
    for one, token in shown:
        answer = await send(client, Asking(one.method, one.path, one.params, {**one.json, "confirm": token}))
        assert answer.status_code in {200, 404, 412}, (one, answer.text)
        assert not SECRETS.search(answer.text), (one, answer.text)
    assert held(module_url, THEIRS) == before
    assert await memory.snapshots.list(space=THEIRS) == snapshots != []
    await _asked_by_who_may(await clients("admin", space=THEIRS), table, known, schemas)


async def _asked_by_who_may(
    client: httpx.AsyncClient, table: Sequence[Entry], known: Known, schemas: Any
) -> None:
    """The same requests do something, and tell of the space, where they are asked by who may."""
    # What takes messages back comes last: the others need them.
    table = sorted(table, key=lambda one: (one.method != "GET", "/messages/" in one.name))
    useless: dict[str, str] = {}
    secrets = 0
    for entry in table:
        for one in asked(entry, known, schemas):
            answer = await send(client, one)
            if answer.is_success:
                secrets += bool(SECRETS.search(answer.text))
                break
        else:
            useless[entry.name] = answer.text
    assert not useless, "\n".join(f"{name}: {text}" for name, text in useless.items())
    assert secrets > 40  # so many routes can tell of the space
