"""Long work of a page, such as a restore: it goes on while nobody looks; a page shows its progress.

How far it is stands in a file, so any process of a server can show what another one does.
"""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, time_ns
from typing import Final, Literal, cast

import anyio
from anyio.abc import TaskGroup
from fastapi import FastAPI
from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from quipu.errors import Conflict, NotFound, QuipuError
from quipu.interfaces.serving.served import Served
from quipu.interfaces.serving.shared import Shared
from quipu.interfaces.web.fields import page_router
from quipu.interfaces.web.page_context import PageContext, ShownPage

_LOG: Final = logging.getLogger("quipu.server")
_MOST_AT_ONCE: Final = 4
_MOST_KEPT: Final = 50
_PATIENCE_SECONDS: Final = 1.5
_NOTE_SECONDS: Final = 0.5

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
    """One piece of work. ``total`` is None where nobody knows how much there is; ``pid`` is who does it."""

    id: str
    title: str
    back: str
    unit: str
    total: int | None
    done: int = 0
    state: Literal["running", "done", "failed"] = "running"
    outcome: Outcome | None = None
    hint: str | None = None
    pid: int = field(default_factory=os.getpid)

    def fail(self, news: str, *, hint: str | None = None) -> None:
        """Note that it came to nothing."""
        self.state, self.outcome, self.hint = "failed", Outcome(news, self.back), hint


Act = Callable[[Advance], Awaitable[Outcome]]
_FORM: Final = TypeAdapter(BackgroundTask)


class BackgroundTasks:
    """The work in hand of a server, and a directory for its files; both end with the server.

    What is cut off by that changes nothing: everything that is done here is one transaction.
    """

    def __init__(self, tasks: TaskGroup, place: Path) -> None:
        self._tasks = tasks
        self._notes = place / "notes"
        self._notes.mkdir(exist_ok=True)
        self.place = place

    async def begin(
        self, title: str, act: Act, *, back: str, unit: str = "", total: int | None = None
    ) -> BackgroundTask:
        """Begin; comes back when it is done, or after a moment.

        Raises:
            Conflict: four others are being done.
        """
        for old in self._ids()[_MOST_KEPT:]:
            (self._notes / old).unlink(missing_ok=True)
        if self._running() >= _MOST_AT_ONCE:
            raise Conflict("Another long job is running.", hint="Wait until it is done, then try again.")
        background_task = BackgroundTask(_new_id(), title, back, unit, total)
        self._note(background_task)
        ended = anyio.Event()
        self._tasks.start_soon(self._run, background_task, act, ended)
        with anyio.move_on_after(_PATIENCE_SECONDS):
            await ended.wait()
        return background_task

    def named(self, id_: str) -> BackgroundTask:
        """Return the work of that id.

        Raises:
            NotFound: there is none, or it was done long ago.
        """
        try:
            known = _FORM.validate_json((self._notes / Path(id_).name).read_bytes())
        except OSError as error:
            raise NotFound("No such job.", hint="The server may have been restarted since.") from error
        if known.state == "running" and not _lives(known.pid):
            known.fail("The process that did it has ended.", hint="Begin again.")
        return known

    def file(self) -> Path:
        """Return a place for a file, under a name that nobody can guess."""
        return self.place / secrets.token_urlsafe(12)

    def _ids(self) -> list[str]:
        """Return the ids of all work that is known, the latest first."""
        return sorted((note.name for note in self._notes.iterdir() if not note.suffix), reverse=True)

    def _running(self) -> int:
        count = 0
        for id_ in self._ids():
            with suppress(NotFound):  # dropped by another process meanwhile
                count += self.named(id_).state == "running"
        return count

    def _note(self, background_task: BackgroundTask) -> None:
        """Write down how far it is; who reads that at the same moment sees it as it was or as it is."""
        half = self._notes / f"{background_task.id}.new"
        half.write_bytes(_FORM.dump_json(background_task))
        half.replace(self._notes / background_task.id)

    async def _run(self, background_task: BackgroundTask, act: Act, ended: anyio.Event) -> None:
        noted = 0.0

        def advance(amount: int) -> None:
            nonlocal noted
            background_task.done += amount
            if monotonic() - noted > _NOTE_SECONDS:
                noted = 0.0
                self._note(background_task)

        try:
            background_task.outcome = await act(advance)
            background_task.state = "done"
        except QuipuError as error:
            background_task.fail(error.message, hint=error.hint)
        except Exception as error:  # noqa: BLE001 - the outermost loop of this work: others must go on
            _LOG.error("unforeseen in %r", background_task.title, exc_info=error)
            background_task.fail("Something went wrong; the log of the server says what.")
        self._note(background_task)
        ended.set()


def _new_id() -> str:
    """Return an id that nobody can guess; later ones are greater."""
    return f"{time_ns():016x}{secrets.token_urlsafe(9)}"


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@asynccontextmanager
async def labouring(app: FastAPI, serving: Served) -> AsyncGenerator[None]:
    """Let the application do long work, for the block."""
    with Shared.made(serving.shared) as shared:
        async with anyio.create_task_group() as tasks:
            app.state.background_tasks = BackgroundTasks(tasks, shared.work)
            yield
            tasks.cancel_scope.cancel()


def background_tasks(request: Request) -> BackgroundTasks:
    """Return the work of a request's server."""
    return cast("BackgroundTasks", request.app.state.background_tasks)
