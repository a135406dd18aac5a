"""What another system wrote, sent to a server by its administrator: previewed, taken in, shown and undone."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = pytest.mark.anyio

_EXPORT = json.dumps(
    [{"id": "m-1", "memory": "Prefers tea.", "user_id": "ana", "hash": "x", "metadata": {"topic": "drinks"}}]
).encode()


async def test_a_file_is_previewed_taken_in_shown_and_undone(clients: Any) -> None:
    client = await clients("admin", space="ana")
    named = {"name": "get_all.json"}
    told = (await client.post("/v1/imports", content=_EXPORT, params={**named, "preview": True})).json()
    assert (told["done"], told["source"], told["records"]) == (False, "mem0", {"document": 1})
    assert told["dropped"] == {"memory.hash": 1}
    assert (await client.get("/v1/imports")).json()["items"] == []
    done = (await client.post("/v1/imports", content=_EXPORT, params=named)).json()
    (listed,) = (await client.get("/v1/imports")).json()["items"]
    assert (listed["id"], listed["label"], listed["records"]) == (done["id"], "get_all.json", {"document": 1})
    (record,) = (await client.get(f"/v1/imports/{done['id']}/records")).json()["items"]
    assert record["raw"]["memory"] == "Prefers tea."
    hits = (await client.post("/v1/recall", json={"question": "Who prefers tea?"})).json()["hits"]
    why = {"question": "Who prefers tea?", "kind": hits[0]["kind"], "id": hits[0]["id"]}
    assert (await client.post("/v1/why", json=why)).json()["origin"]["source_id"] == "m-1"
    shown = (await client.post(f"/v1/imports/{done['id']}/undo", json={})).json()
    assert shown["shown"]["rows"] == {"documents": 1}
    undone = await client.post(f"/v1/imports/{done['id']}/undo", json={"confirm": shown["confirm"]})
    assert undone.json()["shown"]["done"]
    assert (await client.get("/v1/imports")).json()["items"] == []


async def test_who_does_not_administer_the_space_imports_nothing(clients: Any) -> None:
    for level in ("read", "write"):
        client = await clients(level, space="ana")
        assert (
            await client.post("/v1/imports", content=_EXPORT, params={"name": "a.json"})
        ).status_code == 403
        assert (await client.get("/v1/imports")).status_code == 403


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"name": "../a.json"}, "name"),
        ({"name": ".."}, "name"),
        ({"name": "a.json", "source": "nobody"}, "source"),
        ({"name": "a.json", "names": "Ana"}, "names"),
        ({"name": "a.bin"}, "path"),
    ],
)
async def test_bad_requests_name_their_field(clients: Any, params: dict[str, str], field: str) -> None:
    client = await clients("admin", space="ana")
    answer = await client.post("/v1/imports", content=b"\x00nothing", params=params)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert "quipu-import" not in answer.text
