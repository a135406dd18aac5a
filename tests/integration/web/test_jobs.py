"""Long work: how far it is, what came of it, and that too much of it is refused."""

from __future__ import annotations

from collections.abc import Iterator

import anyio
import pytest
from fastapi import FastAPI
from page_client import Browser, faults

from quipu import AsyncMemory
from quipu.errors import Conflict, NotFound
from quipu.interfaces.web import background
from quipu.interfaces.web.background import Advance, BackgroundTask, BackgroundTasks, Outcome

NOBODY = 2**22 + 1
"""The id of no process: systems give out smaller ones."""


@pytest.fixture
def here(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Iterator[BackgroundTasks]:
    monkeypatch.setattr(background, "_PATIENCE_SECONDS", 0.02)
    return app.state.background_tasks


async def ended(here: BackgroundTasks, background_task: BackgroundTask) -> None:
    while here.named(background_task.id).state == "running":  # noqa: ASYNC110 - no event tells
        await anyio.sleep(0.01)


async def test_the_page_shows_how_far_it_is_and_then_what_came_of_it(
    client: Browser, here: BackgroundTasks
) -> None:
    go_on = anyio.Event()

    async def act(advance: Advance) -> Outcome:
        advance(250_000)
        await go_on.wait()
        return Outcome("It is <done>.", "/recall")

    background_task = await here.begin("Restoring <it>", act, back="/", unit="bytes", total=1_000_000)
    page = (await client.get(f"/jobs/{background_task.id}")).text
    assert faults(page) == []
    assert '<progress max="1000000" value="250000"' in page
    assert "250.0 kB of 1.0 MB" in page
    assert 'hx-trigger="every 1s"' in page
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in page
    go_on.set()
    await ended(here, background_task)
    page = (await client.get(f"/jobs/{background_task.id}")).text
    assert "It is &lt;done&gt;." in page
    assert "hx-trigger" not in page


async def test_what_failed_says_why_and_what_to_do(client: Browser, here: BackgroundTasks) -> None:
    async def act(_: Advance) -> Outcome:
        raise NotFound("It was not there.", hint="Look elsewhere.")

    background_task = await here.begin("Looking", act, back="/spaces")
    page = (await client.get(f"/jobs/{background_task.id}")).text
    assert "It was not there." in page
    assert "Look elsewhere." in page
    assert 'href="/spaces"' in page


async def test_what_nobody_foresaw_is_told_without_its_inside(client: Browser, here: BackgroundTasks) -> None:
    async def act(_: Advance) -> Outcome:
        raise RuntimeError("select secret from /etc/passwd")

    background_task = await here.begin("Looking", act, back="/")
    page = (await client.get(f"/jobs/{background_task.id}")).text
    assert "Something went wrong" in page
    assert "secret" not in page


async def test_only_so_much_is_done_at_once(here: BackgroundTasks) -> None:
    go_on = anyio.Event()

    async def act(_: Advance) -> Outcome:
        await go_on.wait()
        return Outcome("", "/")

    begun = [await here.begin(f"work {number}", act, back="/") for number in range(4)]
    with pytest.raises(Conflict):
        await here.begin("one more", act, back="/")
    go_on.set()
    for one in begun:
        await ended(here, one)
    assert (await here.begin("now", act, back="/")).state == "done"


async def test_other_processes_know_of_it_and_when_the_one_that_does_it_has_died(
    here: BackgroundTasks,
) -> None:
    go_on = anyio.Event()

    async def act(advance: Advance) -> Outcome:
        advance(3)
        await go_on.wait()
        return Outcome("Done.", "/")

    background_task = await here.begin("work", act, back="/")
    async with anyio.create_task_group() as tasks:
        other = BackgroundTasks(tasks, here.place)
        assert (other.named(background_task.id).state, other.named(background_task.id).done) == ("running", 3)
        go_on.set()
        await ended(other, background_task)
    died = BackgroundTask("died", "work", "/back", "", None, pid=NOBODY)
    here._note(died)
    seen = here.named("died")
    assert seen.state == "failed"
    assert seen.outcome == Outcome("The process that did it has ended.", "/back")


async def test_work_that_is_not_known_is_not_found(client: Browser) -> None:
    assert (await client.get("/jobs/unknown")).status_code == 404


async def test_everything_is_embedded_anew_after_being_asked(client: Browser, memory: AsyncMemory) -> None:
    page = (await client.get("/reembed")).text
    assert "Embed everything with hashing?" in page
    assert (await client.submit("/reembed")).headers["location"].startswith("/reembed")
    done = await client.outcome(await client.submit("/reembed", {"confirmed": "yes"}))
    assert "memories were embedded with hashing." in done


async def test_signing_out_ends_the_session(app: FastAPI) -> None:
    async with Browser(app) as leaving:
        await leaving.sign_in()
        assert (await leaving.submit("/signout")).headers["location"] == "/signin"
        assert (await leaving.get("/")).headers["location"] == "/signin"
