"""``quipu queue``: what waits to be done, and what was given up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import click
from rich.text import Text

from quipu.app.kinds import PACKAGES
from quipu.app.queue import Queue
from quipu.errors import BadInput
from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.opening import address, settings_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import queue as views
from quipu.interfaces.cli.views.text import count
from quipu.kernel.db.database import Database

Answer = TypeVar("Answer")
_TOPIC = click.option("--topic", metavar="NAME", help="Only of this topic.")


@click.group("queue", no_args_is_help=False)
def command() -> None:
    """Look after the jobs of the whole database: what waits, what was given up, what to do about it.

    For whoever administers it: jobs of all spaces are seen here.
    """


@command.command("status")
@common
@click.pass_obj
def status(call: Call) -> None:
    """Show how many jobs of each topic wait, are in the queue, or were given up, and who works."""
    found = _ask(call, lambda queue: queue.status())
    Screen(call).answer(found, *views.status(found))


@command.command("dead")
@_TOPIC
@click.option("--limit", "-n", default=20, show_default=True, help="How many at most (1 to 1,000).")
@common
@click.pass_obj
def dead(call: Call, topic: str | None, limit: int) -> None:
    """List the jobs that were given up after too many failed tries, the latest first."""
    found = _ask(call, lambda queue: queue.dead(topic=topic, limit=limit))
    screen = Screen(call)
    screen.answer({"dead": found}, views.dead(found))
    if found:
        screen.note("\nOne in full: quipu queue show JOB. Once more: quipu queue retry JOB")


@command.command("show")
@click.argument("job", type=int)
@common
@click.pass_obj
def show(call: Call, job: int) -> None:
    """Show JOB in full: what was asked, how often it was tried, how it failed."""
    found = _ask(call, lambda queue: queue.show(job))
    Screen(call).answer(found, *views.job(found))


@command.command("retry")
@click.argument("jobs", type=int, nargs=-1, metavar="[JOB]...")
@click.option("--all", "every", is_flag=True, help="All that were given up.")
@_TOPIC
@common
@click.pass_obj
def retry(call: Call, jobs: tuple[int, ...], every: bool, topic: str | None) -> None:
    """Try jobs that were given up once more, as if they were new: each JOB, or --all, or of a --topic."""
    numbers = _meant(jobs, every=every, topic=topic)
    revived = _ask(call, lambda queue: queue.retry(numbers, topic=topic))
    Screen(call).answer({"retried": revived}, Text(f"{count(revived, 'job')} will be tried again."))


@command.command("purge")
@click.argument("jobs", type=int, nargs=-1, metavar="[JOB]...")
@click.option("--all", "every", is_flag=True, help="All that were given up.")
@_TOPIC
@click.option("--waiting", is_flag=True, help="Also jobs that were not given up: they are never done.")
@click.option("--yes", is_flag=True, help="Do it. Without this, only what would go is shown.")
@common
@click.pass_obj
def purge(
    call: Call, jobs: tuple[int, ...], every: bool, topic: str | None, waiting: bool, yes: bool
) -> None:
    """Throw away jobs that were given up: each JOB, or --all, or of a --topic."""
    numbers = _meant(jobs, every=every, topic=topic)
    found = _ask(call, lambda queue: queue.purge(numbers, topic=topic, waiting=waiting, confirm=yes))
    Screen(call).answer(found, *views.purged(found))


def _meant(jobs: tuple[int, ...], *, every: bool, topic: str | None) -> list[int] | None:
    if bool(jobs) == (every or topic is not None):
        raise BadInput("say which jobs: their numbers, or --all, or a --topic.", field="jobs")
    return list(jobs) or None


def _ask(call: Call, question: Callable[[Queue], Awaitable[Answer]]) -> Answer:
    async def ask() -> Answer:
        settings = settings_of(call)
        async with (
            address(settings) as url,
            Database.open(url, settings, packages=PACKAGES),
            Queue.open(url, settings) as queue,
        ):
            return await question(queue)

    return anyio.run(ask)
