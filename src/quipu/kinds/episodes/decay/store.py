"""The queries of episodes, one short function each, and how a caller names one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.decay.life import USUAL, EpisodeLife, Pace, pace, state
from quipu.kinds.episodes.decay.model import (
    Episode,
    EpisodeFields,
    EpisodeStats,
)
from quipu.kinds.episodes.decay.weights import About
from quipu.kinds.episodes.indexing import text_of
from quipu.recall.model import Cited, Source
from quipu.recall.terms import bag
from quipu.record.ids import row_of as row_by_id

SQL = queries.load("quipu.kinds.episodes.decay")
_NOT_SHOWN = ("entry_id", "recent", "pace")


@dataclass(frozen=True, slots=True)
class Use:
    """An episode that is held: when it was used last, and how often in all."""

    id: UUID
    used_at: datetime | None
    uses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEpisode(EpisodeFields):
    """An episode as it is stored, with the times of its latest uses, oldest first, and its ``pace``."""

    id: UUID
    entry_id: int | None
    recent: Sequence[datetime]
    pace: Pace = USUAL

    @property
    def life(self) -> EpisodeLife:
        """History that its state follows from."""
        return EpisodeLife(
            base=self.base_salience,
            happened_at=self.happened_at,
            uses=self.uses,
            recent=self.recent,
            pace=self.pace,
        )

    def at(self, now: datetime) -> Episode:
        """Return the episode as it is at a moment."""
        living = state(self.life, now)
        stored: dict[str, Any] = {
            one.name: getattr(self, one.name) for one in fields(self) if one.name not in _NOT_SHOWN
        }
        stored["id"] = str(self.id)
        stored["open_loops"] = tuple(self.open_loops)
        stored["base_salience"] = round(self.base_salience, 4)
        return Episode(
            **stored,
            salience=round(living.salience, 4),
            freshness=round(living.freshness, 4),
            activation=round(living.activation, 4),
        )


async def lives(tx: SpaceTransaction, entries: Sequence[int]) -> list[tuple[int, EpisodeLife, About]]:
    """Return each entry's history and subject."""
    rows: list[tuple[int, EpisodeLife, About]] = []
    pacing = pace(tx.settings)
    for row in await tx.rows(SQL["lives"], entries=Int8s(entries)):
        entry, base, happened_at, uses, recent, topic, intent, terms = row
        life = EpisodeLife(base=base, happened_at=happened_at, uses=uses, recent=recent, pace=pacing)
        rows.append((entry, life, About(topic=_terms(topic), intent=intent, terms=frozenset(terms or ()))))
    return rows


async def cited(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the texts of entries, by id."""
    return {
        entry: Cited(
            text=text_of(gist=gist, outcome=outcome),
            happened_at=happened_at,
            recorded_at=recorded_at,
            source=Source(said, session, role="episode", user=user),
        )
        for entry, gist, outcome, happened_at, recorded_at, said, session, user in await tx.rows(
            SQL["cited"], ids=Int8s(ids)
        )
    }


async def episodes(
    tx: SpaceTransaction, *, ids: Sequence[UUID] = (), entries: Sequence[int] = ()
) -> list[StoredEpisode]:
    """Return episodes by their ids or entries, in no order."""
    rows = await tx.fetch(StoredEpisode, SQL["episodes"], ids=list(ids), entries=Int8s(entries))
    return [replace(row, pace=pace(tx.settings)) for row in rows]


async def lately(tx: SpaceTransaction, limit: int) -> list[tuple[int, datetime]]:
    """Return the entries of the episodes used last, with the time; latest first."""
    return [(entry, at) for entry, at in await tx.rows(SQL["lately"], limit=limit)]


async def stats(tx: SpaceTransaction, *, now: datetime) -> EpisodeStats:
    """Count the episodes, and average their state."""
    pacing = pace(tx.settings)
    row = await tx.fetch_one(
        EpisodeStats, SQL["stats"], now=now, decay=pacing.decay_per_hour, boost=pacing.boost
    )
    assert row is not None  # an aggregate has one row
    return row


def _terms(topic: str) -> Collection[int]:
    """Return the hashes that the words of a topic's name are filed under; hyphens join the words."""
    return bag(topic.replace("-", " ")).hashes.tolist() if topic else ()


async def row_of(tx: SpaceTransaction | None, id_: UUID | str) -> StoredEpisode:
    """Return the episode with an id, or with the only id that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several begin so, or it is no id.
    """
    return await row_by_id(
        tx,
        id_,
        like=SQL["ids_like"],
        fetch=lambda tx, ids: episodes(tx, ids=ids),
        what="episode",
        hint="The list of episodes shows them.",
    )
