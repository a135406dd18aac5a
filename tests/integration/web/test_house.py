"""The pages on the memory itself: settings, keys, spaces, erasure."""

from __future__ import annotations

import re
from html import unescape

import pytest
from page_client import Browser, faults

from quipu import AsyncMemory


async def test_a_setting_is_kept_for_a_space_and_forgotten(client: Browser, memory: AsyncMemory) -> None:
    where = "/config/settings/episode_boost?space=other"
    page = (await client.get(where)).text
    assert "(default)" in page
    done = await client.submit(where, {"value": "0.5", "where": "one"})
    assert done.status_code == 303
    assert "episode_boost is 0.5 now (kept for this space)." in (await client.get(where)).text
    assert (await memory.settings.get("episode_boost", space="other")).value == 0.5
    assert (await memory.settings.get("episode_boost")).source == "default"
    assert (await client.submit(where, {"act": "reset", "where": "one"})).status_code == 303
    assert (await memory.settings.get("episode_boost", space="other")).source == "default"


@pytest.mark.parametrize("value", ["-1", "many", ""])
async def test_a_value_out_of_range_is_refused_with_its_range(client: Browser, value: str) -> None:
    answer = await client.submit("/config/settings/session_days", {"value": value})
    assert answer.status_code == 422
    assert "session_days" in answer.text


async def test_a_key_is_shown_once_and_opens_nothing_when_ended(client: Browser, memory: AsyncMemory) -> None:
    name = "<b>notes</b>"
    made = await client.submit("/keys?space=other", {"name": name, "opens": "one", "level": "write"})
    assert made.status_code == 200
    assert made.headers["cache-control"] == "no-store"
    assert faults(made.text) == []
    found = re.search(r'value="(quipu_[^"]+)"', made.text)
    assert found is not None
    token = unescape(found[1])
    key = await memory.keys.opened_by(token)
    assert key is not None
    assert (key.space, key.level, key.name) == ("other", "write", name)
    listed = (await client.get("/keys")).text
    assert token not in listed
    asked = await client.get(f"/keys/{key.id}/revoke")
    assert "Revoke this key?" in asked.text
    assert await memory.keys.opened_by(token) is not None
    assert (await client.submit(f"/keys/{key.id}/revoke")).status_code == 303
    assert await memory.keys.opened_by(token) is None
    assert "revoked" in (await client.get("/keys")).text


async def test_a_key_for_one_user_is_made_by_the_form_and_says_whose_it_is(
    client: Browser, memory: AsyncMemory
) -> None:
    given = {"name": "of a person", "opens": "one", "user": " <i>ana</i> ", "level": "write"}
    made = await client.submit("/keys?space=other", given)
    assert made.status_code == 200
    found = re.search(r'value="(quipu_[^"]+)"', made.text)
    assert found is not None
    key = await memory.keys.opened_by(unescape(found[1]))
    assert key is not None
    assert (key.space, key.user, key.level) == ("other", "<i>ana</i>", "write")
    assert "only &lt;i&gt;ana&lt;/i&gt;" in (await client.get("/keys")).text
    before = len(await memory.keys.list())
    for wrong in ({"opens": "all"}, {"level": "admin"}, {"user": "x" * 600}):
        refused = await client.submit("/keys?space=other", given | wrong)
        assert refused.status_code == 422, wrong
        assert "quipu_" not in refused.text.replace("quipu_session", "")
    assert len(await memory.keys.list()) == before


async def test_spaces_are_listed_and_lead_to_what_they_hold(client: Browser) -> None:
    page = (await client.get("/spaces")).text
    assert faults(page) == []
    assert 'href="/?space=ana+%26+%3Cfriends%3E">ana &amp; &lt;friends&gt;</a>' in page


async def test_spaces_come_a_part_at_a_time(memory: AsyncMemory) -> None:
    names = await memory.space_names()
    first = await memory.spaces(limit=1)
    rest = await memory.spaces(after=first[0].name)
    assert [one.name for one in [*first, *rest]] == sorted(names)


async def test_the_whole_space_goes_only_where_the_form_says_so(client: Browser, memory: AsyncMemory) -> None:
    await memory.observe([{"content": "To be forgotten."}], space="doomed", session="s")
    assert (await client.submit("/erasure?space=doomed", {"confirmed": "yes"})).status_code == 303
    assert "doomed" in await memory.space_names()
    shown = await client.get("/erasure?space=doomed&whole=yes")
    assert "Forget the whole space?" in shown.text
    seen = re.search(r'name="token" value="([^"]+)"', shown.text)
    assert seen is not None
    whole = {"confirmed": "yes", "whole": "yes", "token": seen[1]}
    done = await client.submit("/erasure?space=doomed", whole)
    assert "Receipt" in done.text
    assert await memory.recall("What is forgotten?", space="doomed") == []


async def test_the_overview_counts_by_kind_and_by_day(memory: AsyncMemory) -> None:
    days = ["2025-01-02", "2025-01-02", "2025-03-04"]
    said = [{"content": f"It rained on {day}.", "time": f"{day}T10:00:00Z"} for day in days]
    await memory.import_messages(said, space="counted")
    await memory.ledger.set("rooms", 3, space="counted", user="ana", scope="cross_session")
    found = await memory.overview(space="counted")
    assert found.kinds == {"message": 3, "ledger": 1}
    assert [(str(one.day), one.entries) for one in found.happened][:2] == [
        ("2025-01-02", 2),
        ("2025-03-04", 1),
    ]
    assert sum(one.entries for one in found.recorded) == 4
    assert (await memory.overview(space="nowhere")).kinds == {}


async def test_the_overview_shows_what_was_used_last_of_every_kind(
    memory: AsyncMemory, client: Browser
) -> None:
    space = "used"
    await memory.longterm.add("Ana drinks green tea.", space=space, user="ana")
    lesson = await memory.lessons.add("The tests need Docker.", space=space)
    await memory.longterm.recover("What does Ana drink?", space=space, user="ana", injected=True)
    await memory.lessons.reinforce([lesson.id], space=space)
    found = await memory.used_lately(space=space)
    assert [(one.kind, one.text) for one in found] == [
        ("lesson", "The tests need Docker."),
        ("longterm", "Ana drinks green tea."),
    ]
    assert await memory.used_lately(space=space, limit=1) == found[:1]
    page = (await client.get("/", params={"space": space})).text
    assert page.index("The tests need Docker.") < page.index("Ana drinks green tea.")
    assert f'href="/transcripts/lessons/{lesson.id}?space={space}"' in page
    await memory.lessons.archive(lesson.id, space=space)
    assert await memory.used_lately(space=space) == found[1:]
    assert await memory.used_lately(space="nowhere") == []


async def test_the_queue_is_told_by_topic(memory: AsyncMemory) -> None:
    status = await memory.queue.status()
    assert status.carrier == "PostgreSQL"
    assert "memory-chunker-queue" in {one.queue for one in status.topics} | {
        one.topic for one in status.topics
    }
