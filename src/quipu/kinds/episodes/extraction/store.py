"""The queries of reading sessions for loops and beliefs, one short function each."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pydantic import ValidationError

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.extraction.turns import SpokenTurn
from quipu.kinds.episodes.policy import kept
from quipu.kinds.episodes.queues import EXTRACTION
from quipu.kinds.episodes.shapes import Chunk

SQL = queries.load("quipu.kinds.episodes.extraction")


@dataclass(frozen=True, slots=True)
class StoredExchange:
    """An exchange: where it begins and ends, whose it is, what it yields."""

    first: int
    last: int
    user: str | None
    chunk: Chunk | None


async def hold(tx: SpaceTransaction) -> None:
    """Wait until nobody else changes loops and beliefs of the space."""
    await tx.execute(SQL["hold"])


async def session(tx: SpaceTransaction, name: str) -> tuple[int, int] | None:
    """Return the number of a session and the last message of it that was read; None if it is gone."""
    rows = await tx.rows(SQL["session"], name=name, topic=EXTRACTION)
    return (rows[0][0], rows[0][1]) if rows else None


async def exchanges(tx: SpaceTransaction, session: int, *, mark: int, limit: int) -> list[StoredExchange]:
    """Return exchanges with something said after message ``mark``, in order."""
    rows = await tx.rows(SQL["exchanges"], session=session, mark=mark, limit=limit)
    return [StoredExchange(first, last, user, _chunk(chunk)) for first, last, user, chunk in rows]


async def exchange_before(tx: SpaceTransaction, session: int, *, first: int) -> int:
    """Return the first message of the exchange before one; ``first`` itself if there is none."""
    rows = await tx.rows(SQL["exchange_before"], session=session, first=first)
    return rows[0][0] if rows else first


async def turns(tx: SpaceTransaction, session: int, *, first: int, last: int) -> list[SpokenTurn]:
    """Return the words of people and agents from one message to another, as far as they may be kept."""
    rows = await tx.rows(SQL["turns"], session=session, first=first, last=last)
    texts = await kept(tx, await tx.spoken([row[3] for row in rows]))
    return [replace(SpokenTurn(*row), text=text) for row, text in zip(rows, texts, strict=True)]


async def is_there(tx: SpaceTransaction, session: int) -> bool:
    """Return True if a session was not forgotten; it stays while the transaction lasts."""
    return bool(await tx.rows(SQL["is_there"], session=session))


async def mark(tx: SpaceTransaction, session: int) -> int:
    """Return the last message of a session that was read; -1 if none was."""
    rows = await tx.rows(SQL["mark"], session=session, topic=EXTRACTION)
    return rows[0][0] if rows else -1


def _chunk(stored: object) -> Chunk | None:
    """Return the content of an exchange; None if it is still to be read, or has another version's shape."""
    try:
        return None if stored is None else Chunk.model_validate(stored)
    except ValidationError:
        return None
