"""The states of many databases as one. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from quipu.kernel.queue.model import QueueStatus, TopicStatus
from quipu.upkeep.health import Health


def health_of_all(own: Health, databases: Mapping[str, Health | None]) -> Health:
    """Return the health of a directory and its databases; those that do not answer (None) are warned of."""
    there = [one for one in databases.values() if one is not None]
    lags = [one.standby_lag_bytes for one in there if one.standby_lag_bytes is not None]
    silent = (f"The database {name!r} does not answer." for name, one in databases.items() if one is None)
    return replace(
        own,
        model=own.model or next((one.model for one in there if one.model), ""),
        spaces=sum(one.spaces for one in there),
        entries=sum(one.entries for one in there),
        size_bytes=sum(one.size_bytes for one in there),
        standbys=sum(one.standbys for one in there),
        standby_lag_bytes=max(lags, default=None),
        archive_fails=any(one.archive_fails for one in there),
        warnings=[*own.warnings, *(warning for one in there for warning in one.warnings), *silent],
    )


def queue_of_all(databases: Sequence[QueueStatus]) -> QueueStatus:
    """Return the jobs of all databases by topic, and the schedules as each has them, soonest first."""
    by_topic: dict[str, TopicStatus] = {}
    for one in (topic for status in databases for topic in status.topics):
        known = by_topic.get(one.topic)
        by_topic[one.topic] = one if known is None else _sum(known, one)
    return QueueStatus(
        carrier=databases[0].carrier,
        workers=sum(one.workers for one in databases),
        topics=tuple(by_topic[topic] for topic in sorted(by_topic)),
        schedules=databases[0].schedules,
    )


def _sum(one: TopicStatus, other: TopicStatus) -> TopicStatus:
    counts: Iterable[str] = ("waiting", "later", "handed_over", "dead")
    oldest = [at for at in (one.oldest_at, other.oldest_at) if at is not None]
    return replace(
        one,
        oldest_at=min(oldest, default=None),
        **{name: getattr(one, name) + getattr(other, name) for name in counts},
    )
