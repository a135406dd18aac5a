"""The queue, as people read it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.app.queue import Purge
from quipu.interfaces.cli.views.text import count, day_and_time, shortened, visible
from quipu.kernel.queue.model import Look, QueueStatus, Worked

_ERROR_CHARACTERS = 60


def status(found: QueueStatus) -> RenderableType:
    """Show the state of each topic, the workers, and when schedules are due."""
    return Group(*_status(found))


def _status(found: QueueStatus) -> Iterator[RenderableType]:
    table = Table(
        "topic",
        "queue",
        "waiting",
        "later",
        "in the queue",
        "given up",
        "oldest (UTC)",
        box=None,
        pad_edge=False,
    )
    for column in table.columns[2:6]:
        column.justify = "right"
    for one in found.topics:
        numbers = [f"{number:,}" for number in (one.waiting, one.later, one.handed_over, one.dead)]
        name = visible(one.queue) if one.queue else "nobody knows it"
        table.add_row(visible(one.topic), name, *numbers, day_and_time(one.oldest_at))
    yield table
    if found.schedules:
        times = Table("schedule", "next (UTC)", "last (UTC)", box=None, pad_edge=False)
        for schedule in found.schedules:
            times.add_row(
                visible(schedule.name), day_and_time(schedule.due_at), day_and_time(schedule.fired_at)
            )
        yield Text()
        yield times
    yield Text(f"\nCarried by {found.carrier}; {count(found.workers, 'worker')}.")
    if not found.workers and any(one.waiting or one.handed_over for one in found.topics):
        yield Text("What waits is done by: quipu worker", style="bold")


def dead(found: Sequence[Look]) -> Table | Text:
    """Show jobs that were given up, one on a line."""
    if not found:
        return Text("No job was given up.", style="dim")
    table = Table("job", "space", "topic", "tries", "given up (UTC)", "because", box=None, pad_edge=False)
    table.columns[3].justify = "right"
    for one in found:
        why = shortened((one.error or "").splitlines()[0] if one.error else "", _ERROR_CHARACTERS)
        at = day_and_time(one.dead_at)
        table.add_row(str(one.id), visible(one.space or ""), visible(one.topic), str(one.attempts), at, why)
    return table


def job(one: Look) -> RenderableType:
    """Show all that is known of a job."""
    table = Table.grid(padding=(0, 2))
    rows = {
        "job": f"{one.id}, {_state(one)}",
        "space": one.space or "none",
        "topic": one.topic,
        "key": one.key,
        "put": day_and_time(one.created_at),
        "due": day_and_time(one.due_at),
        "tries": str(one.attempts),
        "given up": day_and_time(one.dead_at),
        "payload": json.dumps(one.payload, ensure_ascii=False),
    }
    for name, value in rows.items():
        if value:
            table.add_row(Text(name, style="dim"), visible(value))
    return Group(table, Text(f"\n{visible(one.error)}")) if one.error else table


def purged(found: Purge) -> Iterator[RenderableType]:
    """Show what went or would go, by topic."""
    if not found.jobs:
        yield Text("There is no such job.", style="dim")
        return
    table = Table("thrown away" if found.done else "would be thrown away", "jobs", box=None, pad_edge=False)
    table.columns[1].justify = "right"
    for topic, jobs in found.jobs.items():
        table.add_row(visible(topic), f"{jobs:,}")
    yield table
    if not found.done:
        yield Text("Nothing was changed. To do it, say the same with --yes.", style="bold")


def worked(done: Worked) -> Text:
    """Show what a worker did."""
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
