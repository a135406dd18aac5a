"""The state of the database for Prometheus, read at each scrape: the same whichever process answers."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import anyio
from prometheus_client import CollectorRegistry, Gauge, generate_latest

from quipu.app.memory import AsyncMemory
from quipu.errors import QuipuError
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.queue.model import QueueStatus
from quipu.upkeep.health import Health

_MOST_SECONDS: Final = 5.0  # Prometheus waits for ten


async def state(memory: AsyncMemory) -> bytes:
    """Return the state of the database and of its queue in the format of Prometheus.

    Where the database does not answer within five seconds, ``quipu_database_up`` is 0 and stands alone.
    """
    registry = CollectorRegistry()
    answers = Gauge("quipu_database_up", "1 where the database answers.", registry=registry)
    try:
        with anyio.fail_after(_MOST_SECONDS):
            health, queue = await memory.health(), await memory.queue.status()
    except (QuipuError, TimeoutError):
        answers.set(0)
    else:
        answers.set(1)
        _database(registry, health)
        _queue(registry, queue, now=SystemClock().now())
    return generate_latest(registry)


def _database(registry: CollectorRegistry, health: Health) -> None:
    values = {
        "quipu_database_bytes": ("Size of the database.", health.size_bytes),
        "quipu_spaces": ("Spaces.", health.spaces),
        "quipu_entries": ("Entries of the index, of all spaces.", health.entries),
        "quipu_disks_short": ("Disks of the embedded database with too little room.", len(health.warnings)),
        "quipu_archive_fails": ("1 where the log could not be archived.", int(health.archive_fails)),
        "quipu_standbys": ("Standbys that follow the server.", health.standbys),
        "quipu_standby_lag_bytes": ("Log that the slowest standby lacks.", health.standby_lag_bytes),
    }
    for name, (meaning, value) in values.items():
        Gauge(name, meaning, registry=registry).set(float("nan") if value is None else value)


def _queue(registry: CollectorRegistry, queue: QueueStatus, *, now: datetime) -> None:
    Gauge("quipu_workers", "Workers that listen for jobs.", registry=registry).set(queue.workers)
    jobs = Gauge("quipu_queue_jobs", "Jobs in the queue.", ["topic", "state"], registry=registry)
    oldest = Gauge(
        "quipu_queue_oldest_seconds",
        "Since the oldest job that is due was put.",
        ["topic"],
        registry=registry,
    )
    for topic in queue.topics:
        for name in ("waiting", "later", "handed_over", "dead"):
            jobs.labels(topic.topic, name).set(getattr(topic, name))
        waited = 0.0 if topic.oldest_at is None else (now - topic.oldest_at).total_seconds()
        oldest.labels(topic.topic).set(max(0.0, waited))
