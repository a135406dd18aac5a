"""The pages of recorded sessions and of the lessons drawn from them."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from coding_sessions import World
from page_client import HOSTILE, Browser, faults

from quipu import AsyncMemory

SPACE = "recorded <pages>"


@pytest.fixture(scope="module")
async def recorded(memory: AsyncMemory, tmp_path_factory: pytest.TempPathFactory) -> World:
    """Three sessions of Claude Code, one of them long and hostile."""
    world = World(Path(tmp_path_factory.mktemp("claude")))
    for number in range(3):
        session = world.session(f"/home/ana/garden{number}")
        session.prompt(HOSTILE if number == 0 else f"Water bed {number} on Mondays.")
        for _ in range(50 if number == 0 else 1):
            session.says("I renamed the helper.")
        session.write()
    await memory.transcripts.sync([world.root], space=SPACE)
    return world


async def seen(client: Browser, path: str, **query: str | int) -> str:
    answer = await client.get(path, params={"space": SPACE, **query})
    assert answer.status_code == 200, answer.text
    assert faults(answer.text) == []
    assert len(answer.content) < 100_000
    return answer.text


async def test_a_session_is_read_like_a_chat_page_by_page(client: Browser, recorded: World) -> None:
    listed = await seen(client, "/transcripts")
    assert "garden1" in listed
    assert "garden1" not in await seen(client, "/transcripts", project="garden0")
    name = next(iter(recorded.sessions))
    first = await seen(client, "/transcripts/session", name=name)
    assert '<li class="user">' in first
    assert "&lt;script&gt;alert" in first
    later = unescape(re.findall(r'href="([^"]*)">Later<', first)[0])
    second = (await client.get(later)).text
    assert "Lines 41 to " in second
    assert "&lt;script&gt;alert" not in second.split("<h2>Lines")[1]


async def test_the_list_of_sessions_goes_on_behind_one(memory: AsyncMemory, recorded: World) -> None:
    everything = await memory.transcripts.list(space=SPACE)
    assert len(everything) == len(recorded.sessions)
    for place, one in enumerate(everything):
        found = await memory.transcripts.list(space=SPACE, after=one.id)
        assert [other.id for other in found] == [other.id for other in everything[place + 1 :]]


async def test_search_finds_where_something_was_said(client: Browser, recorded: World) -> None:
    del recorded
    found = await seen(client, "/transcripts/search", q="Mondays", part="said")
    assert "2 texts" in found
    assert "No text matches." in await seen(client, "/transcripts/search", q="Mondays", part="thinking")
    assert "<h2>" not in await seen(client, "/transcripts/search")
    wrong = await client.get("/transcripts/search", params={"space": SPACE, "q": "x", "part": "sung"})
    assert wrong.status_code == 422


async def test_a_lesson_is_edited_confirmed_and_put_away(client: Browser, memory: AsyncMemory) -> None:
    kept = await memory.lessons.add(f"Water the beds {HOSTILE}", space=SPACE)
    assert "Water the beds &lt;script" in await seen(client, "/transcripts/lessons")
    here = f"/transcripts/lessons/{kept.id}"
    await seen(client, here)
    edited = await client.submit(f"{here}/edit?space={SPACE}", {"fact": "Water the beds on Mondays."})
    assert edited.status_code == 303
    assert "Water the beds on Mondays." in await seen(
        client, "/transcripts/lessons", q="When are beds watered?"
    )
    for act, state in (("confirm", "live"), ("archive", "archived"), ("unarchive", "live")):
        assert (await client.submit(f"{here}/{act}?space={SPACE}")).status_code == 303
        assert (await memory.lessons.get(kept.id, space=SPACE)).state == state
