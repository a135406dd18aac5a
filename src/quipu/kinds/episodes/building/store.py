"""The queries of condensing, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s, Vector, halfvecs
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.building.model import Utterance
from quipu.kinds.episodes.policy import kept
from quipu.kinds.episodes.shapes import Condensed

SQL = queries.load("quipu.kinds.episodes.building")

LONGEST = 6_000
"""So many characters of a message are read."""

KNOWN = 1_000
"""Among so many of the latest episodes something new is looked for."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchange: the ids of its first and last message, its chunk as it is stored."""

    id: int
    thread: int | None
    first: int
    last: int
    user: str | None
    started_at: datetime
    ended_at: datetime
    chunk: Mapping[str, Any] | None
    topic: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message with its vector, shape (d,), where it has one."""

    said: Utterance
    vector: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True)
class Held:
    """An episode that is held to be rewritten."""

    entry_id: int | None
    emptied: bool
    deleted: bool


async def sessions_waiting(tx: SpaceTransaction, *, session: str | None) -> list[str]:
    """Return the sessions in which something waits to become an episode; only ``session`` if given."""
    return await tx.column(SQL["sessions_waiting"], session=session)


async def emptied(tx: SpaceTransaction, number: int, *, limit: int) -> list[UUID]:
    """Return the episodes of a session to write again after something of them was forgotten."""
    return await tx.column(SQL["emptied"], number=number, limit=limit)


async def exchanges_of(tx: SpaceTransaction, episodes: Sequence[UUID]) -> dict[UUID, list[Exchange]]:
    """Return the exchanges of episodes; those that have none are left out."""
    by_episode: dict[UUID, list[Exchange]] = {}
    for episode, *rest in await tx.rows(SQL["exchanges_of"], episodes=list(episodes)):
        by_episode.setdefault(episode, []).append(Exchange(*rest))
    return by_episode


async def said(tx: SpaceTransaction, exchanges: Sequence[Exchange]) -> list[Spoken]:
    """Return the messages of exchanges, in order, as far as they may be kept; long ones in part."""
    rows = await tx.rows(
        SQL["said"],
        first=Int8s([one.first for one in exchanges]),
        last=Int8s([one.last for one in exchanges]),
        characters=LONGEST,
        generation=tx.space.generation,
    )
    texts = await kept(tx, await tx.spoken([row[3] for row in rows]))
    return [
        Spoken(
            Utterance(id=id_, role=role, speaker=speaker, text=text, at=at),
            None if vector is None else halfvecs(vector)[0],
        )
        for (id_, role, speaker, _, at, vector), text in zip(rows, texts, strict=True)
    ]


async def nearest(
    tx: SpaceTransaction, vector: NDArray[np.float32], *, user: str | None, but: Sequence[UUID]
) -> float | None:
    """Return a vector's cosine to the nearest of a person's latest episodes, ``but`` some; None if alone."""
    return (
        await tx.rows(
            SQL["nearest"],
            vector=Vector(vector),
            user=user,
            but=list(but),
            limit=KNOWN,
            generation=tx.space.generation,
        )
    )[0][0]


async def still_loose(tx: SpaceTransaction, exchanges: Sequence[Exchange]) -> set[int]:
    """Return those that belong to no episode and have not grown; they stay so until the transaction ends."""
    ids, last = Int8s([one.id for one in exchanges]), Int8s([one.last for one in exchanges])
    return {row[0] for row in await tx.rows(SQL["still_loose"], exchanges=ids, last=last)}


async def rebuildable(
    tx: SpaceTransaction,
    *,
    ids: Sequence[UUID] | None,
    session: str | None,
    builder: str,
    version: int,
    again: bool,
) -> list[UUID]:
    """Return the episodes that a builder has not written in this version, or all."""
    return await tx.column(
        SQL["rebuildable"],
        ids=None if ids is None else list(ids),
        session=session,
        builder=builder,
        builder_version=version,
        again=again,
    )


def columns(said: Condensed) -> dict[str, object]:
    """Return an episode's fields, by column."""
    return {
        "intent": Jsonb(said.intent.model_dump()),
        "context": Jsonb(said.context.model_dump()),
        "action": said.action,
        "emotion": Jsonb(said.emotion.model_dump()),
        "outcome": said.outcome,
        "gist": said.gist,
        "salience_factors": Jsonb(said.salience_factors.model_dump()),
        "open_loops": Jsonb(list(said.open_loops)),
    }
