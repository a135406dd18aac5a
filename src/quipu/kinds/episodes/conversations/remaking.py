"""A topic made anew from the exchanges that it has: its words, its centre, its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import numpy as np
from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s, Vector, halfvecs
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.embedding.model import Vectors
from quipu.kinds.episodes.conversations.topics import MOST_WORDS, centre
from quipu.kinds.episodes.conversations.words import name_of, topical
from quipu.kinds.episodes.policy import kept

_SQL = queries.load("quipu.kinds.episodes.conversations")


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
