"""The ledger by HTTP: keys of other programs, defaults, whose a session is, evidence beyond what is kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from pydantic import BaseModel

from quipu import AsyncMemory
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio
KEY = "baseline.foh.Lisbon.dinner"


class Diet(BaseModel):
    avoids: list[str]


async def posted(client: httpx.AsyncClient, path: str, **body: Any) -> Any:
    answer = await client.post(f"/v1{path}", json=body)
    assert answer.is_success, answer.text
    return answer.json()


async def refused(client: httpx.AsyncClient, path: str, **body: Any) -> Any:
    """The field of a refusal."""
    answer = await client.post(f"/v1{path}", json=body)
    assert answer.status_code == 422, answer.text
    return answer.json()["field"]


async def got(client: httpx.AsyncClient, path: str, **asked: Any) -> Any:
    answer = await client.get(f"/v1{path}", params=asked)
    assert answer.is_success, answer.text
    return answer.json()


async def test_keys_that_a_program_registered_are_written_shown_and_ended(
    clients: Any, server_settings: Settings, module_url: str
) -> None:
    client = await clients("write", space="shapes")
    dana: dict[str, Any] = {"key": "diet", "user": "dana"}
    async with AsyncMemory(settings=replace(server_settings, database_url=module_url)) as program:
        program.ledger.register("diet", Diet, namespace="constraint", scope="cross_session")
        await program.ledger.set("diet", {"avoids": ["nuts"]}, space="shapes", user="dana")
        for act in ("set", "assume", "correct"):
            assert await refused(client, f"/ledger/{act}", value={"avoids": [1]}, **dana) == "value.avoids.0"
        await posted(client, "/ledger/set", value={"avoids": ["fish"]}, **dana)
        assert not (await posted(client, "/ledger/assume", value={"avoids": []}, **dana))["stands"]
        await posted(client, "/ledger/correct", value={"avoids": ["milk"]}, **dana)
        ended = await posted(client, "/ledger/expire", **dana)
        await posted(client, f"/ledger/events/{ended['event']['id']}/undo")
        await posted(client, "/ledger/delete", **dana)
        events = (await got(client, "/ledger/history", **dana))["items"]
        seen = await program.ledger.history("diet", space="shapes", user="dana")
    assert [one["id"] for one in events] == [event.id for event in seen]
    assert [one["event_type"] for one in events][-3:] == ["fact_expired", "fact_set", "fact_deleted"]
    assert {one["namespace"] for one in events} == {"constraint"}
    keys = {one["pattern"]: one for one in (await got(client, "/ledger/keys"))["items"]}
    assert keys["diet"]["shape"]["properties"]["avoids"]["items"] == {"type": "string"}
    assert keys["diet"]["registered_at"] is not None
    assert keys["ui.response_depth"]["registered_at"] is None
    bound = await clients("write", space="shapes", user="bob")
    assert await refused(bound, "/ledger/set", key="diet", value={"avoids": 1}) == "value.avoids"
    assert (await posted(bound, "/ledger/set", key="diet", value={"avoids": []}))["event"]["user"] == "bob"


async def test_a_default_is_an_assumption_until_somebody_confirms_it(clients: Any) -> None:
    client = await clients("write", space="defaults")
    here: dict[str, Any] = {"session": "s1"}
    await posted(client, "/ledger/sessions", user="dana", **here)
    event = (await posted(client, "/ledger/set", key=KEY, value={"value": 4}, source="default", **here))[
        "event"
    ]
    assert (event["event_type"], event["assumed"], event["confidence_cap"]) == (
        "assumption_set",
        True,
        "medium",
    )
    (disclosed,) = (await got(client, "/ledger/assumptions", **here))["items"]
    assert (disclosed["key"], disclosed["source"]) == (KEY, "default")
    confirmed = await posted(client, "/ledger/set", key=KEY, value={"value": 4}, **here)
    assert confirmed["event"]["event_type"] == "assumption_corrected"
    assert (await got(client, "/ledger/assumptions", **here))["items"] == []


async def test_a_session_is_its_one_users_and_of_several_nobodys(clients: Any) -> None:
    client = await clients("write", space="owners")
    await posted(client, "/observe", messages=[{"content": "My boat is green."}], session="s1", user="dana")
    assert await refused(client, "/ledger/set", key="boat", value="red", session="s1", user="bob") == "user"
    assert await refused(client, "/ledger/sessions", session="s1", user="bob") == "user"
    noted = await posted(client, "/ledger/set", key="boat", value="green", session="s1")
    assert noted["event"]["user"] == "dana"
    await posted(client, "/observe", messages=[{"content": "Mine is red."}], session="s1", user="bob")
    shared = await client.post(
        "/v1/ledger/set", json={"key": "boats", "value": 2, "session": "s1", "user": "bob"}
    )
    assert (shared.status_code, shared.json()["field"]) == (422, "user")
    assert "(bob, dana)" in shared.text
    assert (await posted(client, "/ledger/set", key="boats", value=2, session="s1"))["event"]["user"] is None


async def test_evidence_beyond_what_is_kept_is_counted(clients: Any) -> None:
    client = await clients("write", space="left out")
    await posted(client, "/ledger/sessions", session="s1")
    at = datetime.now(UTC) - timedelta(days=2)
    pieces = [
        {"theme": "wait_time", "place_id": f"p{n}", "published_at": at.isoformat(), "weight": 0.5}
        for n in range(12)
    ]
    kept = await posted(
        client,
        "/evidence/recommendations",
        action="One more at the door.",
        session="s1",
        location="Oslo",
        time_window="Friday",
        confidence="high",
        source="reviews",
        evidence=pieces,
    )
    assert (kept["evidence_count"], kept["evidence_left_out"]) == (10, 2)
    shown = await got(client, f"/evidence/recommendations/{kept['id']}")
    assert shown["evidence_left_out"] == 2
