"""Routes as mem0's MemoryClient 2.2.1 calls them; the shapes are those that it reads."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from quipu import AsyncMemory
from quipu.interfaces.server import MOUNTS, create_app, peer

pytestmark = pytest.mark.anyio
BASE = "/compat/mem0"
ANA = {"user_id": "ana"}


@pytest.fixture(scope="module")
def app(memory: AsyncMemory) -> FastAPI:
    """A server that stands in for mem0's platform too."""
    return create_app(memory=memory, mounts=[*MOUNTS, peer("mem0")])


@pytest.fixture
async def client(clients: Any, request: pytest.FixtureRequest) -> httpx.AsyncClient:
    """A client with a key for a space that the test has to itself, sent as mem0's client sends it."""
    made = await clients("write", space=request.node.name)
    made.headers["authorization"] = made.headers["authorization"].replace("Bearer", "Token")
    return made


async def add(client: httpx.AsyncClient, text: str, **named: Any) -> str:
    body = {"messages": [{"role": "user", "content": text}], "infer": False, **named}
    answer = await client.post(f"{BASE}/v3/memories/add/", json=body)
    assert answer.status_code == 200, answer.text
    (result,) = answer.json()["results"]
    assert result["event"] == "ADD"
    return result["id"]


async def test_a_memory_goes_the_whole_way(client: httpx.AsyncClient) -> None:
    ping = (await client.get(f"{BASE}/v1/ping/")).json()
    assert ping["project_id"].startswith("test_a_memory")
    at = await add(client, "I live in Lisbon.", metadata={"topic": "home"}, app_id="shop", **ANA)
    one = (await client.get(f"{BASE}/v1/memories/{at}/")).json()
    assert (one["memory"], one["metadata"], one["app_id"]) == ("I live in Lisbon.", {"topic": "home"}, "shop")
    asked = {"query": "Where does Ana live?", "filters": {"AND": [ANA, {"topic": "home"}]}, "top_k": 3}
    found = (await client.post(f"{BASE}/v3/memories/search/", json=asked)).json()["results"]
    assert [hit["id"] for hit in found] == [at]
    assert found[0]["score"] > 0.1
    changed = (await client.put(f"{BASE}/v1/memories/{at}/", json={"text": "I live in Porto."})).json()
    assert (changed["id"], changed["memory"]) == (at, "I live in Porto.")
    assert (await client.delete(f"{BASE}/v1/memories/{at}/")).json() == {
        "message": "Memory deleted successfully!"
    }
    rows = (await client.get(f"{BASE}/v1/memories/{at}/history/")).json()
    assert [row["event"] for row in rows] == ["ADD", "UPDATE", "DELETE"]


async def test_lists_come_in_pages(client: httpx.AsyncClient) -> None:
    for number in range(5):
        await add(client, f"note {number}", **ANA)
    pages = [
        (await client.post(f"{BASE}/v3/memories/?page={page}&page_size=2", json={"filters": ANA})).json()
        for page in (1, 2, 3, 4)
    ]
    assert [len(page["results"]) for page in pages] == [2, 2, 1, 0]
    assert [page["count"] for page in pages] == [5, 5, 5, 5]
    assert pages[0]["previous"] is None
    assert pages[0]["next"].endswith("page_size=2&page=2")
    assert pages[2]["next"] is None
    wrong = await client.post(f"{BASE}/v3/memories/?page=0", json={"filters": ANA})
    assert wrong.status_code == 422


async def test_many_are_changed_and_deleted_or_none(client: httpx.AsyncClient) -> None:
    first, second = await add(client, "a", **ANA), await add(client, "b", **ANA)
    body = {"memories": [{"memory_id": first, "text": "A"}, {"memory_id": second, "text": "B"}]}
    done = (await client.put(f"{BASE}/v1/batch/", json=body)).json()
    assert done == {"message": "Successfully updated 2 memories"}
    missing = {"memories": [{"memory_id": first}, {"memory_id": "nobody"}]}
    assert (await client.request("DELETE", f"{BASE}/v1/batch/", json=missing)).status_code == 404
    assert (await client.get(f"{BASE}/v1/memories/{first}/")).json()["memory"] == "A"
    body = {"memories": [{"memory_id": first}, {"memory_id": second}]}
    assert (await client.request("DELETE", f"{BASE}/v1/batch/", json=body)).status_code == 200
    assert (await client.get(f"{BASE}/v1/memories/{first}/")).status_code == 404


async def test_entities_are_counted_and_deleted(client: httpx.AsyncClient) -> None:
    await add(client, "a", **ANA)
    await add(client, "b", user_id="ana", agent_id="bot/1")
    await add(client, "c", app_id="shop")
    listed = (await client.get(f"{BASE}/v1/entities/")).json()
    assert [(one["type"], one["name"], one["total_memories"]) for one in listed["results"]] == [
        ("agent", "bot/1", 1),
        ("app", "shop", 1),
        ("user", "ana", 2),
    ]
    gone = await client.delete(f"{BASE}/v2/entities/user/ana/")
    assert gone.status_code == 200
    assert (await client.get(f"{BASE}/v1/entities/")).json()["count"] == 1
    assert (await client.delete(f"{BASE}/v2/entities/planet/x/")).status_code == 404
    assert (await client.delete(f"{BASE}/v1/memories/")).status_code == 422
    assert (await client.delete(f"{BASE}/v1/memories/?app_id=shop")).status_code == 200
    assert (await client.get(f"{BASE}/v1/entities/")).json()["count"] == 0


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v3/memories/add/", b"{"),
        ("POST", "/v3/memories/add/", b"[]"),
        ("POST", "/v3/memories/add/", b'{"messages": [{"role": "user", "content": "x"}]}'),
        ("POST", "/v3/memories/add/", b'{"messages": 5, "user_id": "ana"}'),
        ("POST", "/v3/memories/add/", b'{"messages": "x", "user_id": "ana", "metadata": 5}'),
        ("POST", "/v3/memories/", b"{}"),
        ("POST", "/v3/memories/", b'{"filters": 5}'),
        ("POST", "/v3/memories/", b'{"filters": {"user_id": "ana", "OR": 5}}'),
        ("POST", "/v3/memories/search/", b'{"filters": {"user_id": "ana"}}'),
        ("POST", "/v3/memories/search/", b'{"query": "x", "filters": {"user_id": "ana"}, "top_k": "many"}'),
        ("PUT", "/v1/batch/", b'{"memories": [{"text": "x"}]}'),
        ("DELETE", "/v1/batch/", b'{"memories": 5}'),
    ],
)
async def test_what_cannot_be_is_refused(
    client: httpx.AsyncClient, method: str, path: str, body: bytes
) -> None:
    answer = await client.request(method, BASE + path, content=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["detail"]


async def test_a_key_decides_the_space_the_level_and_the_person(clients: Any) -> None:
    writer = await clients("write", space="one")
    at = await add(writer, "mine", **ANA)
    reader, other, every = (
        await clients("read", space="one"),
        await clients("read", space="two"),
        await clients("read"),
    )
    body = {"messages": "x", "infer": False, **ANA}
    assert (await reader.get(f"{BASE}/v1/memories/{at}/")).status_code == 200
    assert (await reader.post(f"{BASE}/v3/memories/add/", json=body)).status_code == 403
    assert (await reader.delete(f"{BASE}/v1/memories/{at}/")).status_code == 403
    assert (await other.get(f"{BASE}/v1/memories/{at}/")).status_code == 404
    assert (await every.get(f"{BASE}/v1/memories/{at}/")).status_code == 422
    headers = {"quipu-space": "one"}
    assert (await every.get(f"{BASE}/v1/memories/{at}/", headers=headers)).status_code == 200
    assert (await other.get(f"{BASE}/v1/memories/{at}/", headers=headers)).status_code == 403
    bob = await clients("write", space="one", user="bob")
    assert (await bob.get(f"{BASE}/v1/memories/{at}/")).status_code == 404
    assert (await bob.post(f"{BASE}/v3/memories/add/", json=body)).status_code in (403, 422)
    nobody = await clients.with_token(None)
    assert (await nobody.get(f"{BASE}/v1/ping/")).status_code == 401


async def test_without_being_named_at_the_start_there_are_no_routes(memory: AsyncMemory) -> None:
    transport = httpx.ASGITransport(app=create_app(memory=memory))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        assert (await client.get(f"{BASE}/v1/ping/")).status_code == 404
