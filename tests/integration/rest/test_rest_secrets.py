"""A secret that is sent through any text field of any route is nowhere afterwards.

The fields come from the OpenAPI: a new one is tried by itself.
"""

from __future__ import annotations

import logging
import random
import string
from collections.abc import Iterator
from typing import Any

import pytest
from everywhere import found, in_catalogue
from fastapi import FastAPI
from filling import Asking, CannotBeFilled
from long_form import LONG, sized
from route_table import Entry, entries
from seeding import Known, seeded
from test_rest_isolation import asked, send
from text_fields import leaves, placed, texts

from quipu import AsyncMemory

pytestmark = pytest.mark.anyio

SPACE, MARK = "ana", "aardvark"
_JSON = "application/json"
_DRAWN = random.Random(7)


def secret() -> str:
    """A key that is one word, so that it is found among the terms of the index as well."""
    return "AK" + "IA" + "".join(_DRAWN.choices(string.ascii_uppercase + "234567", k=16))


_IN_TABLES = (
    *("default '{s}'", "check (name <> '{s}')", "default E'\\x20{s}'", "default $a${s}$a$", "/* {s} */"),
    *(', "{s}" text', ", {s} text", "constraint c_{s} not null", "default 'x' || '{s}'"),
    *("generated always as ('{s}') stored", "default U&'{s}'", "default 'a'\n'{s}'", "default '''{s}'''"),
)
_IN_STATEMENTS = (
    *("comment on table boats is '{s}'", "comment on column boats.name is '{s}'"),
    *("create index {s} on boats (name)", "create index on boats ((name || '{s}'))"),
    *("alter table boats rename name to {s}", "alter table boats alter column name set default '{s}'"),
    *("alter table boats add column {s} text", "create view {s} as select 1 as one"),
    *("create view v_1 as select '{s}' as one", "insert into boats (name) values ('{s}')"),
    *("update boats set name = '{s}'", "select '{s}'", "create index on boats (name) where name = '{s}'"),
)


def statements() -> Iterator[tuple[str, Asking, str]]:
    """Statements of agents with a secret in each place where SQL has a name or a literal."""
    for number, shape in enumerate(_IN_TABLES):
        text, name = secret(), f"secrets_{number}"
        columns = f"id int generated always as identity primary key, name text {shape.replace('{s}', text)}"
        body = {
            "name": name,
            "sql": f"create table {name} ({columns})",
            "description": "Boats.",
            "embed_fields": [],
        }
        yield shape, Asking("POST", "/v1/tables/create", {}, body), text
    for sql in _IN_STATEMENTS:
        text = secret()
        yield sql, Asking("POST", "/v1/tables/execute", {}, {"sql": sql.replace("{s}", text)}), text


@pytest.fixture(scope="module")
async def known(memory: AsyncMemory, tmp_path_factory: pytest.TempPathFactory) -> Known:
    found = await seeded(memory, {SPACE: MARK}, tmp_path_factory.mktemp("recorded"))
    return found[SPACE]


def tried(entry: Entry, base: Asking, schemas: Any) -> Iterator[tuple[str, Asking, str]]:
    """The request with a secret in each of its fields: what is called how, the request, the secret."""
    for one in entry.operation.get("parameters", []):
        if one["in"] == "header" or one["name"] == "confirm":
            continue
        text = secret()
        if one["in"] == "path":
            path = entry.path.replace(f"{{{one['name']}}}", text)
            yield one["name"], Asking(base.method, path, base.params, base.json), text
        else:
            yield (
                one["name"],
                Asking(base.method, base.path, {**base.params, one["name"]: text}, base.json),
                text,
            )
    content = entry.operation.get("requestBody", {}).get("content", {})
    if _JSON in content:
        for at in dict.fromkeys([*texts(content[_JSON]["schema"], schemas), *leaves(base.json)]):
            text = secret()
            yield str(at), Asking(base.method, base.path, base.params, placed(base.json, at, text)), text


@pytest.mark.long
async def test_no_route_keeps_a_secret_in_any_field(
    app: FastAPI,
    clients: Any,
    known: Known,
    module_url: str,
    memory: AsyncMemory,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    schemas = app.openapi()["components"]["schemas"]
    client = await clients("admin")
    sent: dict[str, str] = {}
    named = set[str]()
    failed: list[tuple[str, str, str]] = []
    repeated: list[tuple[str, str, str]] = []
    taken = 0
    for entry in sorted(entries(app), key=lambda one: one.method != "GET"):
        try:
            bases = asked(entry, known, schemas)
        except CannotBeFilled:
            bases = [Asking(entry.method, entry.path)]
        every = list(tried(entry, bases[0], schemas)) if bases else []
        new = [one for one in every if one[0] not in named]  # the short form tries each name once, each route
        named.update(name for name, _, _ in new)
        for name, one, text in every if LONG else new or every[:1]:
            params = {"space": SPACE} if entry.of_space and name != "space" else {}
            answer = await send(client, one, **params)
            failed += [(entry.name, name, answer.text)] if answer.status_code >= 500 else []
            taken += answer.is_success
            sent[text] = f"{entry.name} {name}"
            if not answer.is_success and text in answer.text:
                repeated.append((entry.name, name, answer.text[:300]))
    for name, one, text in statements():
        answer = await send(client, one, space=SPACE)
        sent[text] = f"{one.path} {name}"
        failed += [(one.path, name, answer.text)] if answer.status_code >= 500 else []
        repeated += [(one.path, name, answer.text)] if text in answer.text else []
    await memory.work(concurrency=4)
    kept = {*found(module_url, sent), *in_catalogue(module_url, sent)}
    places = sorted(f"{sent[text]} -> {place}" for place, text in kept)
    assert not [*failed, *repeated, *places], "\n".join(map(str, [*failed, *repeated, *places]))
    logged = [record.getMessage() for record in caplog.records if record.name.startswith("quipu")]
    assert not [line for line in logged if any(text in line for text in sent)]
    assert len(sent) > sized(150, long=250)
    assert taken > sized(30, long=60)  # so many are taken, and lose the secret
