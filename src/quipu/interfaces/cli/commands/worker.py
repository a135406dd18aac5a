"""``quipu worker``: does the work that memories wait for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import anyio
import click

from quipu.errors import BadInput, QuipuError
from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.memory import settings_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.queue import worked
from quipu.interfaces.cli.workers import employed, heed
from quipu.kernel.config import Settings
from quipu.kernel.queue.model import Worked

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
    async with employed(settings, wanted=wanted, concurrency=concurrency) as hired:
        ended: Worked | QuipuError | None = None
        async with anyio.create_task_group() as tasks:
            await tasks.start(
                heed, hired, partial(screen.note, "Finishing what is in hand."), tasks.cancel_scope
            )
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
