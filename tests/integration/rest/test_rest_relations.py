"""Saying by HTTP what replaces what."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.anyio

SAID = [
    {"id": "m1", "content": "I live in Hamburg.", "time": "2026-01-05", "session": "s"},
    {"id": "m/2", "content": "I moved to Lisbon.", "time": "2026-05-04", "session": "s"},
]
BOTH = {"newer": "m/2", "older": "m1"}


async def test_a_link_is_made_shown_and_taken_back(clients: Any) -> None:
    client = await clients("write", space="ana")
    await client.post("/v1/observe", json={"messages": SAID})
    made = (await client.post("/v1/relate", json={**BOTH, "reason": "moved"})).json()
    assert made["newer"]["source"]["message"] == "m/2"
    assert (made["made_by"], made["reason"], made["strength"], made["removed_at"]) == (
        "person",
        "moved",
        1.0,
        None,
    )
    assert (await client.get("/v1/relations", params={"message": "m1"})).json() == {"items": [made]}
    gone = (await client.post("/v1/unrelate", json=BOTH)).json()
    assert gone["removed_by"] == "person"
    named = {"message": "m/2", "session": "s"}
    assert (await client.get("/v1/relations", params=named)).json() == {"items": [gone]}


async def test_what_cannot_be_is_a_problem_that_names_the_field(clients: Any) -> None:
    client = await clients("write", space="ana")
    await client.post("/v1/observe", json={"messages": SAID})
    turned = await client.post("/v1/relate", json={"newer": "m1", "older": "m/2"})
    assert (turned.status_code, turned.json()["field"]) == (422, "older")
    unknown = await client.post("/v1/relate", json={**BOTH, "older": "m9"})
    assert unknown.status_code == 404
    assert (await client.post("/v1/unrelate", json=BOTH)).status_code == 404
    assert (await client.post("/v1/relate", json={"newer": "m/2"})).status_code == 422


async def test_reading_does_not_let_anybody_link(clients: Any) -> None:
    writer, reader = await clients("write", space="ana"), await clients("read", space="ana")
    await writer.post("/v1/observe", json={"messages": SAID})
    assert (await reader.post("/v1/relate", json=BOTH)).status_code == 403
    assert (await reader.post("/v1/unrelate", json=BOTH)).status_code == 403
    assert (await reader.get("/v1/relations", params={"message": "m1"})).status_code == 200


async def test_a_key_of_one_user_links_what_is_theirs(clients: Any) -> None:
    writer = await clients("write", space="ana")
    for user in ("una", "otto"):
        said = [{**one, "id": f"{one['id']} {user}", "user": user, "session": user} for one in SAID]
        await writer.post("/v1/observe", json={"messages": said})
    una = await clients("write", space="ana", user="una")
    own = {"newer": "m/2 una", "older": "m1 una"}
    assert (await una.post("/v1/relate", json=own)).status_code == 200
    for other in ({**own, "older": "m1 otto"}, {"newer": "m/2 otto", "older": "m1 otto"}):
        assert (await una.post("/v1/relate", json=other)).status_code == 404
    assert (await una.get("/v1/relations", params={"message": "m1 otto"})).status_code == 404
    assert len((await una.get("/v1/relations", params={"message": "m1 una"})).json()["items"]) == 1
