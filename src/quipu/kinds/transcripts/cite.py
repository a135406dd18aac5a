"""Lessons as a recall shows them: the fact, where it was learned, and whether it still holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.plug import Parts
from quipu.kinds.transcripts.lessons.decay import REINFORCED_APART, Life, confidence
from quipu.kinds.transcripts.settings import ARCHIVE_BELOW, HALF_LIFE_DAYS, LASTING, LASTING_IN_PROJECTS
from quipu.recall.model import Cited, Source
from quipu.recall.question import Question, concerns

_SQL: Final = queries.load("quipu.kinds.transcripts")


async def cite(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the texts of entries, by id; archived lessons are left out.

    The source names the lesson as its message and its category as the role.
    """
    return {
        entry: Cited(
            text=fact,
            happened_at=happened_at,
            recorded_at=recorded_at,
            source=Source(lesson, session, role=category or "knowledge"),
            metadata=metadata,
        )
        for entry, fact, happened_at, recorded_at, lesson, session, category, metadata in await tx.rows(
            _SQL["cited"], ids=Int8s(ids)
        )
    }


async def sources(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, list[int]]:
    """Return the messages that lessons rest on, by their entries."""
    return dict(await tx.rows(_SQL["sources"], ids=Int8s(ids)))


async def weigh(
    tx: SpaceTransaction, question: Question, now: datetime, ids: Sequence[int]
) -> Mapping[int, Parts | None]:
    """Return None for what holds no longer, unless the question names a time at which it held."""
    return {
        entry: None
        for entry, since, until in await tx.rows(_SQL["ended"], ids=Int8s(ids), now=now)
        if not concerns(question, since=since, until=until)
    }


async def faded(tx: SpaceTransaction, ids: Sequence[int], now: datetime) -> set[int]:
    """Return the entries whose confidence of today is so low that the next pruning archives them."""
    half_life_days, least = tx.settings.of(HALF_LIFE_DAYS), tx.settings.of(ARCHIVE_BELOW)
    return {
        entry
        for entry, life in (await _lives(tx, ids)).items()
        if confidence(life, now=now, half_life_days=half_life_days) < least
    }


async def _lives(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, Life]:
    """Return the histories of the entries' lessons."""
    rows = await tx.fetch(
        dict[str, Any], _SQL["lives"], ids=Int8s(ids), lasting=[*LASTING], in_projects=[*LASTING_IN_PROJECTS]
    )
    return {row.pop("entry_id"): Life(**row) for row in rows}


async def lately(tx: SpaceTransaction, limit: int) -> list[tuple[int, datetime]]:
    """Return the entries of the lessons used last, with the time; latest first."""
    return [(entry, at) for entry, at in await tx.rows(_SQL["lately"], limit=limit)]


async def used(tx: SpaceTransaction, ids: Sequence[int], now: datetime) -> int:
    """Note that lessons were put before an agent: they age from now. Return how many uses count."""
    return await tx.execute(_SQL["used"], ids=Int8s(ids), now=now, apart=REINFORCED_APART)
