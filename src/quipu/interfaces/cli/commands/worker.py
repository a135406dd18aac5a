"""``quipu worker``: does the work that memories wait for."""

from __future__ import annotations

import signal
from collections.abc import Sequence

import anyio
import click
from anyio import CancelScope
from anyio.abc import TaskStatus

from quipu.app.kinds import PACKAGES
from quipu.app.workers import worker
from quipu.errors import BadInput, QuipuError
from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.memory import address, settings_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.queue import worked
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.queue.model import Worked
from quipu.kernel.queue.worker import Worker
from quipu.recall.generations import Models

_MOST_AT_ONCE = 100


@click.command()
@click.option(
    "--topics", metavar="NAMES", multiple=True, help="Only these, with commas; their own or queue names."
)
@click.option("--concurrency", default=2, show_default=True, help="Jobs of each topic at a time (1 to 100).")
@click.option("--burst", is_flag=True, help="End when nothing is due any more.")
@click.option("--grace", default=30.0, show_default=True, help="Seconds for jobs in hand when it is to end.")
@common
def command(call: Call, topics: tuple[str, ...], concurrency: int, burst: bool, grace: float) -> None:
    """Do what writes leave to be done later, as it comes, and what schedules ask for.

    Any number may run, anywhere. SIGTERM or Ctrl-C ends it: jobs in hand are finished or given back. The
    second time it ends at once.
    """
    if not 1 <= concurrency <= _MOST_AT_ONCE:
        raise BadInput(f"it can be 1 to {_MOST_AT_ONCE}.", field="concurrency")
    screen, settings = Screen(call), settings_of(call)
    wanted = [name.strip() for topic in topics for name in topic.split(",") if name.strip()]
    done = anyio.run(_work, settings, screen, wanted, concurrency, burst, grace)
    screen.answer(done, worked(done))


async def _work(
    settings: Settings, screen: Screen, wanted: Sequence[str], concurrency: int, burst: bool, grace: float
) -> Worked:
    async with (
        address(settings) as url,
        Database.open(url, settings, packages=PACKAGES) as database,
        Models.open(database, settings) as models,
        worker(
            database, models, settings, clock=SystemClock(), wanted=wanted, concurrency=concurrency
        ) as hired,
    ):
        ended: Worked | QuipuError | None = None
        async with anyio.create_task_group() as tasks:
            await tasks.start(_heed, hired, screen, tasks.cancel_scope)
            if not burst:
                screen.note(f"Working on {', '.join(hired.queues)}. Ctrl-C ends it.")
            try:
                ended = await (hired.burst() if burst else hired.run(grace_seconds=grace))
            except QuipuError as error:  # out of the group, which would wrap it
                ended = error
            tasks.cancel_scope.cancel()
    if ended is None:
        raise KeyboardInterrupt
    if isinstance(ended, QuipuError):
        raise ended
    return ended


async def _heed(
    hired: Worker, screen: Screen, everything: CancelScope, *, task_status: TaskStatus[None]
) -> None:
    """Stop the worker when the process is told to end; at once when it is told again."""
    stopping = False
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        task_status.started()
        async for _ in signals:
            if stopping:
                everything.cancel()
                return
            stopping = True
            screen.note("Finishing what is in hand.")
            hired.stop()
