"""Long work of a page, such as a restore: it goes on while nobody looks; a page shows its progress."""

from __future__ import annotations

import logging
import secrets
import tempfile
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, cast

import anyio
from anyio.abc import TaskGroup
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from quipu.errors import Conflict, NotFound, QuipuError
from quipu.interfaces.web.fields import page_router
from quipu.interfaces.web.page_context import PageContext, ShownPage

_LOG: Final = logging.getLogger("quipu.server")
_MOST_AT_ONCE: Final = 4
_MOST_KEPT: Final = 50
_PATIENCE_SECONDS: Final = 1.5

Advance = Callable[[int], None]
"""Says that so much more is done, in the unit of the work."""


router = page_router()


@router.get("/jobs/{job}")
async def show(page: ShownPage, job: str) -> Response:
    """Show the progress of a job; the page reloads itself until it is done."""
    return page.render("job.html", job=background_tasks(page.request).named(job))


def outcome_page(page: PageContext, background_task: BackgroundTask) -> Response:
    """Send the browser to what came of it, or to the page that shows how far it is."""
    if background_task.state == "done" and background_task.outcome is not None:
        return page.back(background_task.outcome.address, news=background_task.outcome.news)
    return page.back(page.link(f"/jobs/{background_task.id}"))


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a job: a sentence, and the address where it is seen."""

    news: str
    address: str


@dataclass(slots=True)
class BackgroundTask:
    """One piece of work. ``total`` is None where nobody knows how much there is."""

    id: str
    title: str
    back: str
    unit: str
    total: int | None
    done: int = 0
    state: Literal["running", "done", "failed"] = "running"
    outcome: Outcome | None = None
    hint: str | None = None
    ended: anyio.Event = field(default_factory=anyio.Event)

    def advance(self, amount: int) -> None:
        """Note that so much more is done."""
        self.done += amount


Act = Callable[[Advance], Awaitable[Outcome]]


class BackgroundTasks:
    """The work in hand of a server, and a directory for its files; both end with the server.

    What is cut off by that changes nothing: everything that is done here is one transaction.
    """

    def __init__(self, tasks: TaskGroup, place: Path) -> None:
        self._tasks = tasks
        self._kept: OrderedDict[str, BackgroundTask] = OrderedDict()
        self.place = place

    async def begin(
        self, title: str, act: Act, *, back: str, unit: str = "", total: int | None = None
    ) -> BackgroundTask:
        """Begin; comes back when it is done, or after a moment.

        Raises:
            Conflict: four others are being done.
        """
        if sum(one.state == "running" for one in self._kept.values()) >= _MOST_AT_ONCE:
            raise Conflict("Another long job is running.", hint="Wait until it is done, then try again.")
        background_task = BackgroundTask(secrets.token_urlsafe(9), title, back, unit, total)
        self._kept[background_task.id] = background_task
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        self._tasks.start_soon(_run, background_task, act)
        with anyio.move_on_after(_PATIENCE_SECONDS):
            await background_task.ended.wait()
        return background_task

    def named(self, id_: str) -> BackgroundTask:
        """Return the work of that id.

        Raises:
            NotFound: there is none, or it was done long ago.
        """
        if id_ not in self._kept:
            raise NotFound("No such job.", hint="The server may have been restarted since.")
        return self._kept[id_]

    def file(self) -> Path:
        """Return a place for a file, under a name that nobody can guess."""
        return self.place / secrets.token_urlsafe(12)


@asynccontextmanager
async def labouring(app: FastAPI) -> AsyncGenerator[None]:
    """Let the application do long work, for the block."""
    with tempfile.TemporaryDirectory(prefix="quipu-serve-") as place:
        async with anyio.create_task_group() as tasks:
            app.state.background_tasks = BackgroundTasks(tasks, Path(place))
            yield
            tasks.cancel_scope.cancel()


def background_tasks(request: Request) -> BackgroundTasks:
    """Return the work of a request's server."""
    return cast("BackgroundTasks", request.app.state.background_tasks)


async def _run(background_task: BackgroundTask, act: Act) -> None:
    try:
        background_task.outcome = await act(background_task.advance)
        background_task.state = "done"
    except QuipuError as error:
        background_task.outcome, background_task.hint = (
            Outcome(error.message, background_task.back),
            error.hint,
        )
        background_task.state = "failed"
    except Exception as error:  # noqa: BLE001 - the outermost loop of this work: others must go on
        _LOG.error("unforeseen in %r", background_task.title, exc_info=error)
        background_task.outcome = Outcome(
            "Something went wrong; the log of the server says what.", background_task.back
        )
        background_task.state = "failed"
    finally:
        background_task.ended.set()
