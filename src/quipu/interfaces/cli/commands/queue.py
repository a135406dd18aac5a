"""``quipu queue``: what waits to be done, and what was given up."""

from __future__ import annotations

from typing import Final

import click
from rich.text import Text

from quipu.errors import BadInput
from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.derived import derived
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.views import queue as views
from quipu.interfaces.cli.views.text import count

_HELP: Final = """\
Look after the jobs of the whole database: what waits, what was given up, what to do about it.

For whoever administers it: jobs of all spaces are seen here.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu queue status
  quipu queue dead --topic memory_chunker
  quipu queue retry 17
  quipu queue purge --all                                # shows what would go
"""
_WAITING: Final = "Also jobs that were not given up; they are never done, even if one is being done just now."
_NOTE: Final = "One in full: quipu queue get JOB. Once more: quipu queue retry JOB"
_jobs = click.argument("jobs", type=int, nargs=-1, metavar="[JOB]...")
_all = click.option("--all", "every", is_flag=True, help="All that were given up.")
_topic = click.option("--topic", metavar="NAME", help="Only jobs of this topic.")


@click.command("retry")
@_jobs
@_all
@_topic
@common
def retry(call: Call, jobs: tuple[int, ...], every: bool, topic: str | None) -> None:
    """Try jobs that were given up once more, as if they were new: each JOB, or --all, or of a --topic."""
    numbers = _meant(jobs, every=every, topic=topic)
    with opened(call) as (screen, memory):
        retried = memory.queue.retry(numbers, topic=topic)
    screen.answer({"count": retried}, Text(f"{count(retried, 'job')} will be tried again."))


@click.command("purge")
@_jobs
@_all
@_topic
@click.option("--waiting", is_flag=True, help=_WAITING)
@click.option("--yes", "confirm", is_flag=True, help="Do it; without it, only show what would be done.")
@common
def purge(
    call: Call, jobs: tuple[int, ...], every: bool, topic: str | None, waiting: bool, confirm: bool
) -> None:
    """Throw away jobs that were given up: each JOB, or --all, or of a --topic."""
    numbers = _meant(jobs, every=every, topic=topic)
    with opened(call) as (screen, memory):
        purged = memory.queue.purge(numbers, topic=topic, waiting=waiting, confirm=confirm)
    screen.answer(purged, *views.purged(purged))


def _meant(jobs: tuple[int, ...], *, every: bool, topic: str | None) -> list[int] | None:
    if bool(jobs) == (every or topic is not None):
        raise BadInput("say which jobs: their numbers, or --all, or a --topic.", field="jobs")
    return list(jobs) or None


command = derived("queue", help=_HELP, epilog=_EXAMPLES, beside=(retry, purge), notes={"dead": _NOTE})
