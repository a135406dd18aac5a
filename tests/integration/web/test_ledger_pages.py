"""The pages of the ledger: assumptions, as-of, corrections, evidence."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from typing import Any

from page_client import HOSTILE, Browser, faults

from quipu import AsyncMemory
from quipu.kinds.ledger.evidence.model import EvidenceReference

SPACE = "ledger <pages>"


async def seen(client: Browser, path: str, **query: str | int) -> str:
    answer = await client.get(path, params={"space": SPACE, **query})
    assert answer.status_code == 200, answer.text
    assert faults(answer.text) == []
    assert len(answer.content) < 100_000
    return answer.text


async def test_the_slider_shows_what_was_known_then(client: Browser, memory: AsyncMemory) -> None:
    for rooms in (2, 3, 4):
        await memory.ledger.set("rooms", rooms, space=SPACE, user="ana", scope="cross_session")
    await memory.ledger.set("note", HOSTILE, space=SPACE, user="ana", scope="cross_session")
    now = await seen(client, "/ledger", user="ana")
    assert '<input id="step" name="step" type="range" min="0" max="4" step="1" value="4">' in now
    assert ">4</td>" in now
    assert "&lt;script&gt;alert" in now
    then = await seen(client, "/ledger", user="ana", step=1)
    assert "after change 2 of 4" in then
    assert ">3</td>" in then
    assert "&lt;script&gt;" not in then
    later = unescape(re.findall(r'href="([^"]*)">Later<', then)[0])
    assert "after change 3 of 4" in (await client.get(later)).text


async def test_an_assumption_is_confirmed_or_put_right(client: Browser, memory: AsyncMemory) -> None:
    for key in ("seats", "tables"):
        await memory.ledger.assume(key, 10, space=SPACE, user="ben", scope="cross_session")
    assert "Confirm" in await seen(client, "/ledger")
    address = f"/ledger/correct?space={SPACE}&user=ben&key="
    assert (await client.submit(f"{address}seats", {"act": "confirm", "value": ""})).status_code == 303
    assert (await client.submit(f"{address}tables", {"value": "12", "reason": "counted"})).status_code == 303
    state = await memory.ledger.state(space=SPACE, user="ben")
    assert [(one.value, one.assumed) for one in state.values()] == [(10, False), (12, False)]
    history = await seen(client, "/ledger/history", key="tables", user="ben")
    assert "“counted”" in history
    undo = unescape(re.findall(r'href="([^"]*)">Undo<', history)[0])
    assert "Undo this change?" in (await client.get(undo)).text
    assert (await client.submit(undo, {"confirmed": "yes"})).status_code == 303
    assert (await memory.ledger.state(space=SPACE, user="ben"))["tables"].value == 10
    assert (await client.post(f"{address}seats", data={"value": "1"})).status_code == 403


async def test_a_recommendation_shows_its_evidence_by_theme(client: Browser, memory: AsyncMemory) -> None:
    review: dict[str, Any] = {"place_id": "p", "published_at": datetime.now(UTC)}
    session = await memory.ledger.open_session(space=SPACE, session="s", user="ana")
    kept = await memory.evidence.recommend(
        "Add one <b>server</b>",
        space=SPACE,
        session=session,
        location="Main",
        time_window="dinner",
        confidence="low",
        source="reviews",
        evidence=[
            EvidenceReference(theme="wait_time", excerpt=HOSTILE, review_id_hash="1", **review),
            EvidenceReference(
                theme="food_quality", excerpt="The soup was cold.", review_id_hash="2", **review
            ),
        ],
    )
    assert "Add one &lt;b&gt;server" in await seen(client, "/ledger")
    assert str(kept.id) in await seen(client, "/ledger/recommendations")
    page = await seen(client, f"/ledger/recommendations/{kept.id}")
    assert "The soup was cold." in page
    assert "The soup was cold." not in await seen(
        client, f"/ledger/recommendations/{kept.id}", theme="wait_time"
    )


async def test_a_long_ledger_is_read_page_by_page(client: Browser, memory: AsyncMemory) -> None:
    for number in range(60):
        await memory.ledger.set("count", number, space="long", user="ana", scope="cross_session")
    first = (await client.get("/ledger", params={"space": "long"})).text
    second = (await client.get(unescape(re.findall(r'rel="next" href="([^"]*)"', first)[0]))).text
    assert second.count("<td><a href") == 20  # a link to the key and one to the person
    assert 'rel="next"' not in second
    events = await memory.ledger.events(space="long", limit=60)
    assert [event.new for event in events] == list(range(59, -1, -1))
    assert await memory.ledger.events(space="long", user="ana", before=events[50].id) == events[51:]
