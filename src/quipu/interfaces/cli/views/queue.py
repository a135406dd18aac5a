"""The queue, as people read it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from quipu.app.queue import Purge
from quipu.interfaces.cli.views.layout import Rows, amounts, named_values
from quipu.interfaces.cli.views.text import count, day_and_time, shortened, visible
from quipu.kernel.queue.model import Look, QueueStatus, ScheduleStatus, TopicStatus, Worked

_ERROR_CHARACTERS = 60


_topics = Rows[TopicStatus](
    {
        "topic": lambda one: one.topic,
        "queue": lambda one: one.queue or "nobody knows it",
        "waiting": lambda one: f"{one.waiting:,}",
        "later": lambda one: f"{one.later:,}",
        "in the queue": lambda one: f"{one.handed_over:,}",
        "given up": lambda one: f"{one.dead:,}",
        "oldest (UTC)": lambda one: day_and_time(one.oldest_at),
    },
    right=("waiting", "later", "in the queue", "given up"),
)
_schedules = Rows[ScheduleStatus](
    {
        "schedule": lambda one: one.name,
        "next (UTC)": lambda one: day_and_time(one.due_at),
        "last (UTC)": lambda one: day_and_time(one.fired_at),
    }
)
dead = Rows[Look](
    {
        "job": lambda one: str(one.id),
        "space": lambda one: one.space or "",
        "topic": lambda one: one.topic,
        "tries": lambda one: str(one.attempts),
        "given up (UTC)": lambda one: day_and_time(one.dead_at),
        "because": lambda one: shortened((one.error or "").partition("\n")[0], _ERROR_CHARACTERS),
    },
    right=("tries",),
    none="No job was given up.",
)
"""Jobs that were given up, one on a line."""


def status(queue: QueueStatus) -> RenderableType:
    """Show the state of each topic, the workers, and when schedules are due."""
    return Group(*_status(queue))


def _status(queue: QueueStatus) -> Iterator[RenderableType]:
    yield _topics(queue.topics)
    if queue.schedules:
        yield Text()
        yield _schedules(queue.schedules)
    yield Text(f"\nCarried by {queue.carrier}; {count(queue.workers, 'worker')}.")
    if not queue.workers and any(one.waiting or one.handed_over for one in queue.topics):
        yield Text("What waits is done by: quipu worker", style="bold")


def job(one: Look) -> RenderableType:
    """Show all that is known of a job."""
    table = named_values(
        {
            "job": f"{one.id}, {_state(one)}",
            "space": one.space or "none",
            "topic": one.topic,
            "key": one.key,
            "put": day_and_time(one.created_at),
            "due": day_and_time(one.due_at),
            "tries": one.attempts,
            "given up": day_and_time(one.dead_at),
            "payload": json.dumps(one.payload, ensure_ascii=False),
        }
    )
    return Group(table, Text(f"\n{visible(one.error)}")) if one.error else table


def purged(purge: Purge) -> Iterator[RenderableType]:
    """Show the purged jobs by topic, or the preview."""
    if not purge.jobs:
        yield Text("There is no such job.", style="dim")
        return
    yield amounts(purge.jobs, "thrown away" if purge.done else "would be thrown away", "jobs")
    if not purge.done:
        yield Text("Nothing was changed. To do it, say the same with --yes.", style="bold")


def worked(done: Worked) -> Text:
    """Show the jobs that a worker did."""
    text = f"{count(done.done, 'job')} done"
    if done.failed:
        text += f", {count(done.failed, 'try', 'tries')} failed"
    if done.dead:
        text += f", {count(done.dead, 'job')} given up: quipu queue dead"
    return Text(text)


def _state(one: Look) -> str:
    if one.dead_at is not None:
        return "given up"
    if one.sent_at is None:
        return "waits"
    return "is being done" if one.started_at is not None else "in the queue"
