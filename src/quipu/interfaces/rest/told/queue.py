"""Answers of the queue."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from quipu.interfaces.rest.models import Told


class TopicStatusTold(Told):
    """Jobs of a topic: to be handed over now, later (`due` or between two tries), handed over, given up.

    `queue` is the name of the topic in the queue; null where this version knows no such topic.
    `oldest_at`: when the oldest was put that could be done now.
    """

    topic: str
    queue: str | None
    waiting: int
    later: int
    handed_over: int
    dead: int
    oldest_at: datetime | None


class ScheduleStatusTold(Told):
    """Next and last firing of a schedule."""

    name: str
    cron: str
    due_at: datetime
    fired_at: datetime | None


class QueueStatusTold(Told):
    """State of a database's queue: the carrier of its jobs, and the number of workers."""

    carrier: str
    workers: int
    topics: list[TopicStatusTold]
    schedules: list[ScheduleStatusTold]


class JobTold(Told):
    """A job as whoever looks after the queue sees it."""

    id: int
    space: str | None
    topic: str
    key: str
    payload: dict[str, Any]
    attempts: int
    created_at: datetime
    due_at: datetime | None
    sent_at: datetime | None
    started_at: datetime | None
    dead_at: datetime | None
    error: str | None
