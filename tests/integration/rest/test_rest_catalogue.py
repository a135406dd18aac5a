"""SQL over REST tells nothing of the objects of another space, their names and sizes, and locks none."""

from __future__ import annotations

from typing import Any

import httpx
import psycopg
import pytest
from long_form import sized
from secret_names import EACH, NOBODYS, OBJECTS, Secrets, internal_name

from quipu import AsyncMemory

pytestmark = pytest.mark.anyio

READ = ("/v1/transcripts/query", "/v1/tables/query")
EVERY = (*READ, "/v1/tables/execute")
MODES = (
    "access share", "row share", "row exclusive", "share update exclusive",
    "share", "share row exclusive", "exclusive", "access exclusive",
)  # fmt: skip
ROWS = ("update", "no key update", "share", "key share")
STEP = sized(4, long=1)
"""Of the ways to lock, each so-manieth is tried on a relation, and another one on the next."""


@pytest.fixture(scope="module")
async def secrets(memory: AsyncMemory, module_url: str) -> Secrets:
    for space in ("victim", "other"):
        await memory.observe([{"content": "The boat is blue."}], space=space)
        await memory.transcripts.query("select 1", space=space)
        made = "create table notes (id serial primary key, body text)"
        await memory.tables.create_table("notes", made, description="N", embed_fields=["body"], space=space)
        await memory.tables.insert("notes", {"body": "A boat."}, space=space)
    for statement in OBJECTS:
        await memory.tables.execute(statement, space="victim", confirm=True)
    schema = await memory.tables.create_schema("memory", space="victim")
    return Secrets(module_url, internal_name(module_url, schema))


@pytest.fixture(scope="module")
async def client(clients: Any, secrets: Secrets) -> httpx.AsyncClient:
    return await clients("admin", space="other")


async def _ask(client: httpx.AsyncClient, path: str, statement: str) -> httpx.Response:
    answer = await client.post(path, json={"sql": statement})
    assert answer.status_code in {200, 422}, (path, statement, answer.text)
    return answer


@pytest.mark.long
@pytest.mark.parametrize("path", EVERY)
async def test_no_relation_of_the_catalogue_tells_of_another_space(
    client: httpx.AsyncClient, secrets: Secrets, path: str
) -> None:
    refused = 0
    for statement in secrets.relations():
        answer = await _ask(client, path, statement)
        assert not secrets.words.search(answer.text), statement
        refused += answer.status_code == 422
        # What everybody may read is about time zones and the words of SQL, or empty.
        assert answer.status_code == 422 or "pg_timezone" in statement, (statement, answer.text[:300])
    assert refused > 300 // EACH


@pytest.mark.long
@pytest.mark.parametrize("path", EVERY)
async def test_no_function_tells_of_an_object_of_another_space_by_its_number(
    client: httpx.AsyncClient, secrets: Secrets, path: str
) -> None:
    tried = 0
    for theirs, nobodys in secrets.calls():
        if "val(" in theirs and path == EVERY[-1]:
            continue  # who may run any code learns names by numbers: docs/decisions/security.md
        said = [(await _ask(client, path, statement)).text for statement in (theirs, nobodys)]
        assert not secrets.words.search(said[0]), theirs
        same = [
            text.replace(str(number), "N")
            for text, number in zip(said, (secrets.table, NOBODYS), strict=True)
        ]
        assert same[0] == same[1], (theirs, said)
        tried += 1
    assert tried > 150 // EACH


@pytest.mark.long
@pytest.mark.parametrize("path", READ)
async def test_no_number_becomes_the_name_of_what_it_is(
    client: httpx.AsyncClient, secrets: Secrets, path: str
) -> None:
    assert len(secrets.numbers) > 30
    for statement in secrets.by_number():
        answer = await _ask(client, path, statement)
        assert answer.status_code == 422, (statement, answer.text)
        assert not secrets.words.search(answer.text), (statement, answer.text)


@pytest.mark.long
async def test_no_lock_is_taken_on_what_is_not_ones_own(
    client: httpx.AsyncClient, secrets: Secrets, module_url: str
) -> None:
    names = [f"{secrets.schema}.known", "core.spaces", "core.recall_entries", "transcripts.messages",
             "tables.schemas", "embeddings", "schema_registry", "pg_catalog.pg_class"]  # fmt: skip
    for place, name in enumerate(names):
        forms = [f"lock table {name} in {mode} mode" for mode in MODES[1:]]
        forms += [f"select * from {name} for {mode}" for mode in ROWS]
        for statement in forms[place % STEP :: STEP]:
            for path in EVERY:
                answer = await _ask(client, path, statement)
                own = name in {"embeddings", "schema_registry"} and path == EVERY[-1]
                assert answer.status_code == 422 or own, (path, statement, answer.text)
                assert not secrets.words.search(answer.text), (path, statement, answer.text)
    held = "select count(*) from pg_locks l join pg_stat_activity a using (pid) where a.usename ~ '^quipu_'"
    with psycopg.connect(module_url, autocommit=True) as conn:
        row = conn.execute(
            held.encode() + b" and l.relation is not null and usename ~ '_[0-9a-f]{16}$'"
        ).fetchone()
    assert row == (0,)
