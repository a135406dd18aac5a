"""The queries of conversations, one short function each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import numpy as np
from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s, Texts, Vector, halfvecs
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.embedding.embedder import Vectors
from quipu.kinds.episodes.conversations.exchanges import Span, state
from quipu.kinds.episodes.conversations.model import Conversation, Message, Thread
from quipu.kinds.episodes.conversations.topics import MOST_WORDS, KnownTopic, centre, name_of, topical
from quipu.kinds.episodes.policy import kept
from quipu.kinds.episodes.queues import CHUNKER

SQL = queries.load("quipu.kinds.episodes.conversations")
MOST_CHARACTERS: Final = 20_000
"""So much of a message is read: the rest of a longer one is what somebody pasted."""

_LAST_OF_A_SESSION: Final = (1 << 24) - 1


@dataclass(frozen=True, slots=True)
class ReadSession:
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


async def messages(
    tx: SpaceTransaction, *, first: int, last: int, limit: int
) -> tuple[list[Message], dict[int, Vectors]]:
    """Return messages of a session in order, and the vectors of those that have one, by number."""
    rows = await tx.rows(
        SQL["messages"],
        first=first,
        last=last,
        limit=limit,
        characters=MOST_CHARACTERS,
        generation=tx.space.generation,
    )
    vectors = {row[0]: halfvecs(row[7])[0] for row in rows if row[7]}
    texts = await tx.spoken([row[5] for row in rows])
    told = ["" if row[1] == "tool" else text for row, text in zip(rows, texts, strict=True)]
    said = [
        replace(Message(*row[:7]), content=text, kept=left)
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
    """Return exchanges to be read again: number, first and last message."""
    return [
        (row[0], row[1], row[2])
        for row in await tx.rows(
            SQL["unread"],
            session=session_id,
            after=after,
            chunker=chunker,
            version=version,
            again=again,
            limit=limit,
        )
    ]


async def hold(tx: SpaceTransaction, session_id: int) -> int:
    """Return the place up to which a session was read, locked until commit."""
    await tx.execute(SQL["begin_progress"], session=session_id, topic=CHUNKER)
    ((mark,),) = await tx.rows(SQL["hold_progress"], session=session_id, topic=CHUNKER)
    return mark


async def is_open(tx: SpaceTransaction, session_id: int, first: int | None, others: Collection[int]) -> bool:
    """Lock some exchanges until commit; return True if the one with this first message may still grow."""
    rows = await tx.rows(SQL["hold_exchanges"], session=session_id, first=first, ids=Int8s(list(others)))
    return (first, True) in rows


async def hold_threads(
    tx: SpaceTransaction, channel: tuple[str, str], since: datetime, until: datetime
) -> list[Span]:
    """Return threads of a channel around some time, and its last one; locked until commit."""
    platform, name = channel
    await tx.execute(SQL["hold_channel"], platform=platform, channel=name)
    return await tx.fetch(
        Span, SQL["hold_threads"], platform=platform, channel=name, since=since, until=until
    )


async def thread_ids(tx: SpaceTransaction, count: int) -> list[int]:
    """Return numbers for threads that may begin."""
    return await tx.column(SQL["thread_ids"], count=count)


async def hold_topics(
    tx: SpaceTransaction, users: Collection[str], *, limit: int
) -> dict[str, list[KnownTopic]]:
    """Return the latest topics of people, by person; locked until commit."""
    by_user: dict[str, list[KnownTopic]] = {user: [] for user in users}
    for number, user, name, words, packed, count, last_at in await tx.rows(
        SQL["hold_topics"], users=Texts(sorted(users)), limit=limit, generation=tx.space.generation
    ):
        centroid = halfvecs(packed)[0] if packed else None
        by_user[user].append(KnownTopic(number, name, words, _unit(centroid), count, last_at))
    return by_user


async def topic_names(tx: SpaceTransaction, users: Collection[str]) -> dict[str, set[str]]:
    """Return all names of people's topics, by person; nobody else begins one until commit."""
    people = Texts(sorted(users))
    await tx.execute(SQL["hold_people"], users=people)
    by_user: dict[str, set[str]] = {user: set() for user in users}
    for user, name in await tx.rows(SQL["topic_names"], users=people):
        by_user[user].add(name)
    return by_user


async def begin_topic(tx: SpaceTransaction, *, user: str, name: str, last_at: datetime) -> int:
    """Begin a topic and return its number."""
    ((number,),) = await tx.rows(SQL["begin_topic"], user=user, name=name, last_at=last_at)
    return number


async def conversations(
    tx: SpaceTransaction,
    *,
    session: str | None = None,
    user: str | None = None,
    topic: str | None = None,
    status: str | None = None,
    limit: int = 1,
    offset: int = 0,
) -> list[Conversation]:
    """Return conversations, latest first."""
    return await tx.fetch(
        Conversation,
        SQL["conversations"],
        session=session,
        user=user,
        topic=topic,
        status=status,
        limit=limit,
        offset=offset,
    )


async def threads(
    tx: SpaceTransaction, *, user: str | None, channel: tuple[str, str] | None, limit: int, now: datetime
) -> list[Thread]:
    """Return threads, latest first, as they stand ``now``."""
    platform, name = channel or (None, None)
    rows = await tx.fetch(
        Thread, SQL["list_threads"], user=user, platform=platform, channel=name, limit=limit
    )
    return [replace(one, state=state(one.last_at, now=now, ended=one.state == "ended")) for one in rows]


async def sessions_read(tx: SpaceTransaction, session: str | None) -> list[str]:
    """Return sessions that have exchanges."""
    return await tx.column(SQL["sessions_read"], session=session)


async def remake(tx: SpaceTransaction, topics: Sequence[int], *, without: Sequence[int] = ()) -> None:
    """Make topics again from their latest exchanges, as if messages ``without`` had never been said."""
    for number in topics:
        rows = await tx.rows(
            SQL["of_topic"], topic=number, gone=Int8s(without), generation=tx.space.generation
        )
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
    taken = {name for (name,) in await tx.rows(SQL["names_of_others"], user=user, topic=number)}
    vectors = [halfvecs(packed)[0] for _, packed, *_ in rows if packed]
    middle = centre(np.stack(vectors)) if vectors else None
    await tx.execute(
        SQL["remake_topic"],
        topic=number,
        name=name_of(words, taken=taken, besides=[user]),
        words=Jsonb(dict(words.most_common(MOST_WORDS))),
        centroid=None if middle is None else Vector(np.asarray(middle, dtype=np.float32)),
        generation=None if middle is None else tx.space.generation,
        messages=exchanges,
        last_at=last_at,
    )


def _unit(vector: Vectors | None) -> Vectors | None:
    if vector is None:
        return None
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length, dtype=np.float32) if length > 0 else None
