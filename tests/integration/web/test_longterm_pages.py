"""The pages of long-term memory: filters, history, conflicts, archiving many."""

from __future__ import annotations

import re
from html import unescape

from page_client import HOSTILE, Browser, faults

from quipu import AsyncMemory

SPACE = "longterm <pages>"


async def seen(client: Browser, path: str, **query: str | int) -> str:
    answer = await client.get(path, params={"space": SPACE, **query})
    assert answer.status_code == 200, answer.text
    assert faults(answer.text) == []
    assert len(answer.content) < 100_000
    return answer.text


async def test_memories_are_filtered(client: Browser, memory: AsyncMemory) -> None:
    kept = await memory.longterm.add(f"Ana likes {HOSTILE}", space=SPACE, category="preference", user="ana")
    await memory.longterm.add("Ben has a dog", space=SPACE, category="pets", user="ben")
    everything = await seen(client, "/longterm")
    assert "Ana likes &lt;script" in everything
    assert "Ben has a dog" in everything
    assert "Ana likes" not in await seen(client, "/longterm", category="pets")
    assert "Ben has" not in await seen(client, "/longterm", user="ana", text="", importance="")
    assert "Ben has" not in await seen(client, "/longterm", state="archived")
    assert "Ana likes &lt;script" in await seen(client, f"/longterm/{kept.id}")
    assert (await client.get("/longterm", params={"space": SPACE, "category": "x"})).status_code == 422


async def test_an_edit_that_came_too_late_shows_both(client: Browser, memory: AsyncMemory) -> None:
    kept = await memory.longterm.add("Cleo plays the cello", space=SPACE, category="preference")
    here = f"/longterm/{kept.id}/edit?space={SPACE}"
    mine = {"category": "preference", "importance": "high", "expected_version": "1"}
    first = await client.submit(here, {**mine, "summary": "Cleo plays the viola", "reason": "said so"})
    assert first.status_code == 303
    late = await client.submit(here, {**mine, "summary": "Cleo plays the violin"})
    assert late.status_code == 409
    assert faults(late.text) == []
    assert "You saw version 1; it is now at version 2" in late.text
    assert "Cleo plays the viola" in late.text
    assert ">Cleo plays the violin</textarea>" in late.text
    assert 'name="expected_version" value="2"' in late.text
    assert (await memory.longterm.get(kept.id, space=SPACE)).summary == "Cleo plays the viola"
    again = {**mine, "summary": "Cleo plays the violin", "expected_version": "2"}
    assert (await client.submit(here, again)).status_code == 303
    history = await seen(client, f"/longterm/{kept.id}")
    assert "“said so”" in history
    done = await client.submit(f"/longterm/{kept.id}/revert?space={SPACE}", {"to": "1"})
    assert done.status_code == 303
    assert (await memory.longterm.get(kept.id, space=SPACE)).summary == "Cleo plays the cello"


async def test_many_are_archived_after_a_preview(client: Browser, memory: AsyncMemory) -> None:
    for number in range(3):
        await memory.longterm.add(f"Dora owns boat {number}", space="many", category="project", user="dora")
    await memory.longterm.add("Dora is a pilot", space="many", category="identity", user="dora")
    listed = (await client.get("/longterm", params={"space": "many", "category": "project"})).text
    many = unescape(re.findall(r'href="([^"]*)">Archive all of these<', listed)[0])
    preview = (await client.get(many)).text
    assert "Archive 3 memories?" in preview
    unsure = await client.submit(many)
    assert unsure.status_code == 303
    assert len(await memory.longterm.list(space="many")) == 4
    assert (await client.submit(many, {"confirmed": "yes", "reason": "sold"})).status_code == 303
    assert [one.summary for one in await memory.longterm.list(space="many")] == ["Dora is a pilot"]
    assert (await client.get("/longterm/archive", params={"space": "many"})).status_code == 422


async def test_one_is_written_archived_and_unarchived(client: Browser, memory: AsyncMemory) -> None:
    form = {"summary": "Eve is a baker", "details": "", "category": "identity", "importance": "high"}
    made = await client.submit("/longterm?space=written", {**form, "user": ""})
    assert made.status_code == 303
    (kept,) = await memory.longterm.list(space="written")
    assert (kept.summary, kept.user, kept.importance) == ("Eve is a baker", None, "high")
    for act, archived in (("archive", True), ("unarchive", False)):
        assert (await client.submit(f"/longterm/{kept.id}/{act}?space=written")).status_code == 303
        assert (await memory.longterm.get(kept.id, space="written")).archived is archived
    assert (await client.submit("/longterm?space=written", {"summary": " "})).status_code == 422
