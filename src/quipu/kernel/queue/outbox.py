"""Putting a job: ``await put(within, "memory_chunker", {"session": "s1"}, key="s1")``."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Texts
from quipu.kernel.db.database import Connection, SpaceTransaction, ask
from quipu.kernel.queue.model import Job, Payload

_SQL = queries.load("quipu.kernel.queue")


async def put(
    tx: SpaceTransaction,
    topic: str,
    payload: Payload,
    *,
    key: str | None = None,
    due: datetime | None = None,
    session: str | None = None,
    user: str | None = None,
) -> None:
    """Have a job done by a worker, if and only if this transaction commits.

    What waits under the same ``key`` of the topic is replaced: one job is done, with the later payload, at
    the earlier time. If it is being done just then, it is done again, so that it sees what this transaction
    wrote. Without a key each is a job of its own. Jobs of a topic may be done in any order.

    A payload should name what is stored, not repeat it. Where it holds words of people, ``session`` and
    ``user`` say whose, so that it goes when they are erased. It is one statement, and may be pipelined.
    """
    values = {"topic": topic, "key": key, "due": due, "session": session, "user": user}
    await tx.run(_SQL["put"], {**values, "payload": Jsonb(dict(payload))})


async def put_for_sessions(conn: Connection, topics: Texts, sessions: Collection[str]) -> None:
    """Have a job ``{"session": name}`` done for each of ``sessions`` in each of ``topics``, as ``put`` would.

    The name is its key too: one waits, however often it is put. It may be pipelined; where no
    space was entered nothing is put.
    """
    await ask(conn, _SQL["put_for_sessions"], {"topics": topics, "sessions": Texts(sorted(sessions))})


async def drop_of_sessions(tx: SpaceTransaction, sessions: Collection[str]) -> None:
    """Take out all jobs of sessions: those that were put with their names as ``session``."""
    if sessions:
        await tx.execute(_SQL["drop_of_sessions"], sessions=sorted(sessions))


async def stands(tx: SpaceTransaction, job: Job) -> bool:
    """Return True if the job is still to be done as it was when it was taken."""
    return (await tx.rows(_SQL["stands"], id=job.id, version=job.version))[0][0]


async def settle(tx: SpaceTransaction, job: Job) -> bool:
    """Take the job out: done when this transaction commits. False where it is done or changed already."""
    return await tx.execute(_SQL["settle"], id=job.id, version=job.version) > 0
