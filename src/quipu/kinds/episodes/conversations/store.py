"""The queries of conversations, one short function each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import numpy as np
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s, Texts, Vector, halfvecs
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.embedding.model import Vectors
from quipu.kinds.episodes.conversations.exchanges import Span
from quipu.kinds.episodes.conversations.model import Said
from quipu.kinds.episodes.conversations.topics import MOST_WORDS, Known, centre, name_of, topical
from quipu.kinds.episodes.policy import kept
from quipu.kinds.episodes.queues import CHUNKER

_SQL = queries.load("quipu.kinds.episodes.conversations")
MOST_CHARACTERS: Final = 20_000
"""So much of a message is read: the rest of a longer one is what somebody pasted."""

_LAST_OF_A_SESSION: Final = (1 << 24) - 1


async def remake(tx: SpaceTransaction, topics: Sequence[int], *, without: Sequence[int] = ()) -> None:
    """Make topics anew from their latest exchanges, as if messages ``without`` had never been said."""
    values = {"space": tx.space.id, "gone": Int8s(without), "generation": tx.space.generation}
    for number in topics:
        found = await tx.conn.execute(_SQL["of_topic"], {**values, "topic": number})
        rows = await found.fetchall()
        if rows:
            await _write(tx, number, rows)


async def _write(
    tx: SpaceTransaction, number: int, rows: Sequence[tuple[str, bytes | None, str, int, datetime]]
) -> None:
    """Write a topic from ``rows``: text and vector of each message; its user, count and latest time."""
    words: Counter[str] = Counter()
    for text in await kept(tx, await tx.spoken([row[0] for row in rows])):
        words.update(topical(text))
    _, _, user, exchanges, last_at = rows[0]
    taken = await (
        await tx.conn.execute(_SQL["names_of_others"], {"space": tx.space.id, "user": user, "topic": number})
    ).fetchall()
    vectors = [halfvecs(packed)[0] for _, packed, *_ in rows if packed]
    middle = centre(np.stack(vectors)) if vectors else None
    values = {
        "space": tx.space.id,
        "topic": number,
        "name": name_of(words, taken={name for (name,) in taken}, besides=[user]),
        "words": Jsonb(dict(words.most_common(MOST_WORDS))),
        "centroid": None if middle is None else Vector(_plain(middle)),
        "generation": None if middle is None else tx.space.generation,
        "messages": exchanges,
        "last_at": last_at,
    }
    await tx.conn.execute(_SQL["remake_topic"], values)


def _plain(vector: Vectors) -> Vectors:
    return np.asarray(vector, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Session:
    """A session, how far it was read, and where the exchange begins that may still grow."""

    id: int
    user_name: str | None
    status: str
    topic_id: int | None
    mark: int
    open_from: int | None

    @property
    def first(self) -> int:
        """The number of the first message to be read."""
        return self.open_from or max(self.mark + 1, self.id << 24)

    @property
    def last(self) -> int:
        """The highest number that a message of it can have."""
        return self.id << 24 | _LAST_OF_A_SESSION


async def session(tx: SpaceTransaction, name: str) -> Session | None:
    """Return a session from the record."""
    values = {"space": tx.space.id, "session": name, "topic": CHUNKER}
    async with tx.conn.cursor(row_factory=class_row(Session)) as cursor:
        return await (await cursor.execute(_SQL["session"], values)).fetchone()


async def messages(
    tx: SpaceTransaction, *, first: int, last: int, limit: int
) -> tuple[list[Said], dict[int, Vectors]]:
    """Return messages of a session in order, and the vectors of those that have one, by number."""
    values = {"first": first, "last": last, "limit": limit, "characters": MOST_CHARACTERS}
    rows = await _rows(tx, "messages", {**values, "generation": tx.space.generation})
    vectors = {row[0]: halfvecs(row[7])[0] for row in rows if row[7]}
    texts = await tx.spoken([row[5] for row in rows])
    told = ["" if row[1] == "tool" else text for row, text in zip(rows, texts, strict=True)]
    said = [
        replace(Said(*row[:7]), content=text, kept=left)
        for row, text, left in zip(rows, texts, await kept(tx, told), strict=True)
    ]
    return said, vectors


async def unread(
    tx: SpaceTransaction,
    session_id: int,
    *,
    after: int,
    chunker: str,
    version: int,
    again: bool,
    limit: int,
) -> list[tuple[int, int, int]]:
    """Return exchanges to be read anew: number, first and last message."""
    values = {"session": session_id, "after": after, "chunker": chunker, "version": version, "again": again}
    return [(row[0], row[1], row[2]) for row in await _rows(tx, "unread", {**values, "limit": limit})]


async def hold(tx: SpaceTransaction, session_id: int) -> int:
    """Return how far a session was read, locked until commit."""
    values = {"session": session_id, "topic": CHUNKER}
    await run(tx, "begin_progress", values)
    ((mark,),) = await _rows(tx, "hold_progress", values)
    return mark


async def is_open(tx: SpaceTransaction, session_id: int, first: int | None, others: Collection[int]) -> bool:
    """Lock some exchanges until commit; return True if the one with this first message may still grow."""
    rows = await _rows(
        tx, "hold_exchanges", {"session": session_id, "first": first, "ids": Int8s(list(others))}
    )
    return (first, True) in rows


async def threads(
    tx: SpaceTransaction, channel: tuple[str, str], since: datetime, until: datetime
) -> list[Span]:
    """Return threads of a channel around some time, and its last one; locked until commit."""
    named = {"platform": channel[0], "channel": channel[1]}
    await run(tx, "hold_channel", named)
    rows = await _rows(tx, "hold_threads", {**named, "since": since, "until": until})
    return [Span(*row) for row in rows]


async def thread_ids(tx: SpaceTransaction, count: int) -> list[int]:
    """Return numbers for threads that may begin."""
    return [row[0] for row in await _rows(tx, "thread_ids", {"count": count})]


async def topics(tx: SpaceTransaction, users: Collection[str], *, limit: int) -> dict[str, list[Known]]:
    """Return the latest topics of people, by person; locked until commit."""
    values = {"users": Texts(sorted(users)), "limit": limit, "generation": tx.space.generation}
    found: dict[str, list[Known]] = {user: [] for user in users}
    for number, user, name, words, packed, count, last_at in await _rows(tx, "hold_topics", values):
        centroid = halfvecs(packed)[0] if packed else None
        found[user].append(Known(number, name, words, _unit(centroid), count, last_at))
    return found


async def topic_names(tx: SpaceTransaction, users: Collection[str]) -> dict[str, set[str]]:
    """Return all names of people's topics, by person; nobody else begins one until commit."""
    named = {"users": Texts(sorted(users))}
    await run(tx, "hold_people", named)
    found: dict[str, set[str]] = {user: set() for user in users}
    for user, name in await _rows(tx, "topic_names", named):
        found[user].add(name)
    return found


async def begin_topic(tx: SpaceTransaction, *, user: str, name: str, last_at: datetime) -> int:
    """Begin a topic and return its number."""
    ((number,),) = await _rows(tx, "begin_topic", {"user": user, "name": name, "last_at": last_at})
    return number


async def run(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await tx.run(_SQL[name], values)


async def _rows(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> Sequence[tuple[Any, ...]]:
    return await (await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})).fetchall()


def _unit(vector: Vectors | None) -> Vectors | None:
    if vector is None:
        return None
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length, dtype=np.float32) if length > 0 else None
