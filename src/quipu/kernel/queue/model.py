"""Jobs, and how they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from quipu.kernel.db.space import AsOf

SCHEDULES: Final = "schedules"
"""The topic of the jobs that schedules put."""

HOUSE: Final = 0
"""``space_id`` of a job that belongs to the database and to no space."""

Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ticket:
    """Place of a job in the outbox: all that the queue is told of it."""

    space_id: int
    id: int
    topic: str


@dataclass(frozen=True, slots=True)
class Job:
    """A job as a worker took it.

    ``space`` is the name of its space; None where it belongs to none, or that space is forgotten.
    ``attempts`` counts this one. ``version`` tells it from the same job put again. ``epoch`` is how many
    erasures there had been in its space.
    """

    space_id: int
    id: int
    topic: str
    key: str
    payload: Payload
    version: int
    attempts: int
    session: str | None
    user: str | None
    space: str | None
    epoch: int | None = None

    @property
    def as_of(self) -> AsOf | None:
        """Its space as it was when the job was taken; None where it belongs to none."""
        return None if self.epoch is None else AsOf(self.space_id, self.epoch)

    @property
    def orphaned(self) -> bool:
        """True if its space was forgotten."""
        return self.space is None and self.space_id != HOUSE


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Something to be done at times: ``cron`` is minute, hour, day of the month, month, weekday, in UTC.

    It fires once for the whole database however many workers there are, or once for each space where
    ``each_space``. What no worker was there to do is done once when one comes.
    ``removes``: it takes out for good what is old, so it waits once more where the clock went far ahead.
    """

    name: str
    cron: str
    each_space: bool = False
    removes: bool = False


@dataclass(frozen=True, slots=True)
class WorkTopic:
    """A topic to work on: what it is called in the queue, and the longest time for one of its jobs."""

    topic: str
    queue: str
    limit_seconds: float


@dataclass(frozen=True, slots=True)
class Terms:
    """Treatment of jobs: tries before a job is given up, the first pause between two, the lease.

    A worker that is not heard of for ``lease_seconds`` loses its jobs to others.
    """

    tries: int
    retry_seconds: float
    lease_seconds: int


@dataclass(frozen=True, slots=True)
class Worked:
    """Work of a worker: jobs done, failed tries, and the tries after which a job was given up."""

    done: int = 0
    failed: int = 0
    dead: int = 0


@dataclass(frozen=True, slots=True)
class TopicStatus:
    """Jobs of a topic: to be handed over now, later (``due`` or between two tries), handed over, given up.

    ``queue`` is the name of the topic in the queue; None where this version knows no such topic.
    ``oldest_at``: when the oldest was put that could be done now.
    """

    topic: str
    queue: str | None
    waiting: int
    later: int
    handed_over: int
    dead: int
    oldest_at: datetime | None


@dataclass(frozen=True, slots=True)
class ScheduleStatus:
    """Next and last firing of a schedule."""

    name: str
    cron: str
    due_at: datetime
    fired_at: datetime | None


@dataclass(frozen=True, slots=True)
class Look:
    """A job as whoever looks after the queue sees it."""

    id: int
    space: str | None
    topic: str
    key: str
    payload: Payload
    attempts: int
    created_at: datetime
    due_at: datetime | None
    sent_at: datetime | None
    started_at: datetime | None
    dead_at: datetime | None
    error: str | None


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """State of a database's queue: the carrier of its jobs, and the number of workers."""

    carrier: str
    workers: int
    topics: tuple[TopicStatus, ...]
    schedules: tuple[ScheduleStatus, ...]
