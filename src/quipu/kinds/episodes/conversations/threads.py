"""Threads of exchanges: one goes on, is taken up again, or begins. Pure.

A thread is named ``{platform}:{channel}:{seq}``. The channel is in the name of the session where that has the
form ``platform:channel`` (``telegram:4711``, also ``telegram:4711:monday``): then several sessions share its
threads. Any other session is a channel of its own, on the platform ``session``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

CONTINUES: Final = timedelta(minutes=30)
RESUMES: Final = timedelta(minutes=240)

_CHANNEL = re.compile(r"([A-Za-z][A-Za-z0-9_.-]{0,31}):([^:/][^:]{0,511})(?::.*)?", re.DOTALL)

How = Literal["continued", "resumed", "new"]


@dataclass(frozen=True, slots=True)
class Span:
    """A thread of a channel as far as it goes."""

    id: int
    seq: int
    started_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Place:
    """Place of an exchange. ``thread`` is its id; None for a new one.

    ``after`` is the channel's last thread before it, if it begins a new one.
    """

    how: How
    thread: int | None
    after: int | None = None


def channel_of(session: str) -> tuple[str, str]:
    """Return platform and channel of a session."""
    named = _CHANNEL.fullmatch(session)
    return (named[1].lower(), named[2]) if named else ("session", session)


def place(started_at: datetime, ended_at: datetime, threads: Sequence[Span]) -> Place:
    """Return the thread of an exchange: the nearest in time, if it is at most four hours away.

    Up to half an hour it goes on, up to four hours it is resumed. An exchange that comes in late goes to the
    thread of its own time.
    """
    nearest = min(threads, key=lambda one: (_idle(started_at, ended_at, one), one.seq), default=None)
    if nearest is not None:
        idle = _idle(started_at, ended_at, nearest)
        if idle <= CONTINUES:
            return Place("continued", nearest.id)
        if idle <= RESUMES:
            return Place("resumed", nearest.id)
    before = [one for one in threads if one.last_at <= started_at]
    return Place("new", None, max(before, key=lambda one: one.last_at).id if before else None)


def state(last_at: datetime, *, now: datetime, ended: bool) -> str:
    """Return how a thread stands now: ``active``, ``resting`` (it can be resumed), ``ended``."""
    idle = now - last_at
    if ended or idle > RESUMES:
        return "ended"
    return "active" if idle <= CONTINUES else "resting"


def _idle(started_at: datetime, ended_at: datetime, thread: Span) -> timedelta:
    """Return the silence between them; none if they overlap."""
    return max(started_at - thread.last_at, thread.started_at - ended_at, timedelta(0))
