"""Every page opens after a person was forgotten, before what is left is rewritten and after."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from html import unescape
from urllib.parse import urlsplit

import one_person
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from one_person import PERSON, SPACE
from page_client import Browser, faults

from quipu import AsyncMemory
from quipu.interfaces.web.pages import pages
from quipu.kernel.config import Settings

BY_A_FORM = {  # lead nowhere by a link: a form of a page, or work under way, opens them
    "/config/memory/export/{file}",
    "/config/memory/import/{file}",
    "/jobs/{job}",
    "/ledger/undo",
    "/recall/why",
    "/recall/wrong",
    "/transcripts/lessons/{number}",
    "/longterm/{number}",
    "/episodes/beliefs/{number}",
    "/ledger/recommendations/{number}",
    "/documents/cited/{number}",
}
MOST = 2_000


@pytest.fixture(scope="module")
async def memory(server_settings: Settings, module_url: str) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(settings=replace(server_settings, database_url=module_url)) as opened:
        yield opened


@pytest.fixture(scope="module")
async def erased(memory: AsyncMemory, app: FastAPI, tmp_path_factory: pytest.TempPathFactory) -> AsyncMemory:
    await one_person.fill(memory, tmp_path_factory.mktemp("agent"))
    await memory.snapshots.create(space=SPACE)
    await memory.keys.create("notes", level="read", space=SPACE)
    await memory.work()
    await memory.lessons.extract(space=SPACE)
    await memory.episodes.condense(space=SPACE)
    await memory.forget(space=SPACE, user=PERSON, confirm=True)
    return memory


async def test_every_page_opens_before_and_after_what_is_left_was_written_anew(
    client: Browser, erased: AsyncMemory
) -> None:
    emptied = [one for one in await erased.episodes.list(space=SPACE) if one.emptied]
    assert emptied
    for one in emptied:
        assert (
            "about to be rewritten" in (await client.get(f"/episodes/{one.id}", params={"space": SPACE})).text
        )
    first = await crawled(client)
    await erased.work()
    await erased.episodes.condense(space=SPACE)
    await crawled(client)
    routes = {
        one.path: one.path_regex
        for one in pages().routes
        if isinstance(one, APIRoute) and "GET" in one.methods
    }
    unseen = {path for path, form in routes.items() if not any(form.match(seen) for seen in first)}
    assert unseen <= BY_A_FORM


async def crawled(client: Browser) -> set[str]:
    """The paths of all pages that links lead to, from those that need no name; each of them opens."""
    routes = [one.path for one in pages().routes if isinstance(one, APIRoute) and "GET" in one.methods]
    assert len(routes) > 30
    waiting = [f"{path}?space={SPACE}" for path in routes if "{" not in path]
    seen: set[str] = set()
    while waiting:
        address = waiting.pop()
        if address in seen:
            continue
        seen.add(address)
        assert len(seen) < MOST
        answer = await client.get(address)
        assert answer.status_code < 500, (address, answer.text)
        if answer.headers.get("content-type", "").startswith("text/html"):
            assert faults(answer.text) == [], address
            found = (unescape(one) for one in re.findall(r'href="([^"]+)"', answer.text))
            waiting += [one for one in found if one.startswith("/") and "#" not in one]
    return {urlsplit(one).path for one in seen}
