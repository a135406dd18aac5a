"""Bad input at the doors of record, recall and keys: a clear problem, nothing lost, nothing leaked."""

from __future__ import annotations

import gzip
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from route_table import entries

pytestmark = pytest.mark.anyio

PATHS = ["observe", "recall", "recall/many", "recall/block", "why", "reinforce", "forget", "keys", "import"]
BODIES = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"[" * 5000,
    b"\xff\xfe",
    b'{"question": 5}',
    b'{"question": "\\ud800"}',
    b'{"question": "\\u0000"}',
    b'{"question": "a", "limit": 1e400}',
    b'{"question": "a", "limit": 99999999999999999999}',
    b'{"question": "a", "since": "yesterday"}',
    b'{"question": "a", "since": "9999-12-31"}',
    b'{"question": "a", "user": "\\u0000"}',
    b'{"question": "a", "kinds": ["\\ud800"]}',
    b'{"question": "a", "kind": "message", "id": "1"}',
    b'{"questions": [""]}',
    b'{"questions": ["a"], "limit": 1001}',
    b'{"messages": []}',
    b'{"messages": [{}]}',
    b'{"messages": [{"content": 5}]}',
    b'{"messages": [{"content": "a", "time": "x"}]}',
    b'{"messages": [{"content": "a", "session": {"a": 1}}]}',
    b'{"hits": [{"kind": "longterm", "id": "9223372036854775808"}]}',
    b'{"hits": [{"kind": "message", "id": "x"}]}',
    b'{"name": "\\ud800"}',
    b'{"name": "a", "space": "\\u0000"}',
    b'{"name": "a", "level": "king"}',
    b'{"session": "\\ud800"}',
    b'{"message": "x", "confirm": "\\ud800"}',
    b'{"unknown": 1}',
]
TELL_TALE = ("select ", "insert ", "core.", "psycopg", "Traceback", "site-packages", ".py", "/var/", "/home/")


@pytest.mark.parametrize("path", PATHS)
async def test_what_cannot_be_taken_is_told_as_a_problem_and_nothing_leaks(clients: Any, path: str) -> None:
    client: httpx.AsyncClient = await clients("admin")
    for body in BODIES:
        for form in ("application/json", "text/plain"):
            answer = await client.post(f"/v1/{path}?space=bad", content=body, headers={"content-type": form})
            assert answer.status_code < 500, (body, answer.text)
            assert not [word for word in TELL_TALE if word in answer.text], (body, answer.text)
            if answer.status_code >= 400:
                assert answer.headers["content-type"] == "application/problem+json"
                assert answer.json()["status"] == answer.status_code


@pytest.mark.parametrize(
    "query",
    ["space=", "space=%00", f"space={'x' * 513}", "space=a&limit=0", "space=a&limit=x", "space=a&cursor=%00"],
)
async def test_a_query_that_cannot_be_taken_is_refused(clients: Any, query: str) -> None:
    client: httpx.AsyncClient = await clients("admin")
    assert (await client.get(f"/v1/sessions?{query}")).status_code == 422


async def test_paths_that_lead_nowhere_are_not_found(clients: Any) -> None:
    client: httpx.AsyncClient = await clients("admin")
    for path in ("/v1/keys/%00", "/v1/keys/%ff", "/v1/keys/a%2fb", "/v1/%00", "/..%2f..%2fetc/passwd"):
        answer = await client.delete(path)
        assert answer.status_code in (404, 405), path
        assert answer.headers["content-type"] == "application/problem+json"


async def test_nothing_of_what_was_refused_was_kept(clients: Any) -> None:
    client: httpx.AsyncClient = await clients("admin")
    said = {"messages": [{"content": "Good."}, {"content": ""}]}
    assert (await client.post("/v1/observe?space=half", json=said)).status_code == 422
    hits = await client.post("/v1/recall?space=half", json={"question": "Good?"})
    assert hits.json()["hits"] == []


async def test_the_type_of_a_problem_leads_to_what_it_is(clients: Any) -> None:
    client: httpx.AsyncClient = await clients("admin")
    problem = (await client.post("/v1/recall", json={"question": "Who?"})).json()
    told = await client.get(problem["type"])
    assert told.json() == {"type": problem["type"], "title": problem["title"]}
    assert (await client.get("/problems/dreams")).status_code == 404


async def test_no_door_unpacks_a_request(clients: Any, app: FastAPI) -> None:
    client: httpx.AsyncClient = await clients("admin")
    bomb = gzip.compress(b" " * 10_000_000)
    for entry in entries(app):
        if entry.method not in ("POST", "PUT", "PATCH", "DELETE"):
            continue
        for packed in ("gzip", "deflate", "br", "zstd", "identity, gzip"):
            answer = await client.request(
                entry.method,
                entry.path.replace("{", "").replace("}", ""),
                content=bomb,
                headers={"content-encoding": packed, "content-type": "application/json"},
            )
            assert (answer.status_code, answer.json()["field"]) == (422, "Content-Encoding"), entry.name
    plain = await client.post(
        "/v1/recall?space=bad", json={"question": "a"}, headers={"content-encoding": "identity"}
    )
    assert plain.status_code == 200


async def test_every_route_refuses_json_nested_without_end(clients: Any, app: FastAPI) -> None:
    client: httpx.AsyncClient = await clients("admin")
    for entry in entries(app):
        if "application/json" not in entry.operation.get("requestBody", {}).get("content", {}):
            continue
        for body in (b"[" * 100_000, b'{"a":' * 101 + b"1" + b"}" * 101):
            answer = await client.request(
                entry.method,
                entry.path.replace("{", "").replace("}", ""),
                content=body,
                headers={"content-type": "application/json; charset=utf-8"},
            )
            assert answer.status_code == 422, entry.name
            assert answer.json()["detail"] == "body: it is nested more than 100 deep.", entry.name
            assert answer.json()["field"] == "body"


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        (
            "longterm/recover",
            {"message": "a", "current_message": "a"},
            "message and current_message are the same: give one of them",
        ),
        (
            "longterm/apply",
            {"should_store": True},
            "what is to be stored has a category, an importance and a summary",
        ),
    ],
)
async def test_a_rule_of_several_fields_is_told_in_our_words(
    clients: Any, path: str, body: dict[str, Any], told: str
) -> None:
    client: httpx.AsyncClient = await clients("admin")
    answer = await client.post(f"/v1/{path}?space=bad", json=body)
    assert answer.status_code == 422
    assert told in answer.json()["detail"]
    assert "Value error" not in answer.text
