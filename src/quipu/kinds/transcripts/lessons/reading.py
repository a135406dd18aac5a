"""Memories as they are now: what is stored, with the confidence that is left of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from quipu.errors import NotFound
from quipu.kernel.config import Settings
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.transcripts.lessons import ageing, store
from quipu.kinds.transcripts.lessons.ageing import Life
from quipu.kinds.transcripts.lessons.model import Lesson
from quipu.kinds.transcripts.lessons.store import Row
from quipu.kinds.transcripts.settings import ARCHIVE_BELOW, HALF_LIFE_DAYS
from quipu.record.given import id_of, only

_HINT: Final = "The list of lessons shows them."


def aged(row: Row, *, now: datetime, settings: Settings) -> Lesson:
    """Return a lesson with its confidence and state of now."""
    life = Life(
        judged=row.judged,
        said_at=row.happened_at,
        sessions=row.sessions,
        used_at=row.used_at,
        confirmed_at=row.confirmed_at,
        edited_at=row.edited_at,
        uses=row.uses,
        contradictions=len(row.contradicted_by),
    )
    worth = ageing.confidence(life, now=now, half_life_days=settings.of(HALF_LIFE_DAYS))
    return Lesson(
        id=str(row.id),
        fact=row.fact,
        category=row.category,
        confidence=round(worth, 4),
        judged=round(row.judged, 4),
        state=ageing.state(worth, archived=row.archived, archive_below=settings.of(ARCHIVE_BELOW)),
        origin=row.origin,
        project=row.project,
        session=row.session,
        happened_at=row.happened_at,
        created_at=row.created_at,
        updated_at=row.updated_at,
        edited_at=row.edited_at,
        confirmed_at=row.confirmed_at,
        used_at=row.used_at,
        uses=row.uses,
        extractor=row.extractor,
        extractor_version=row.extractor_version,
        sources=row.sources,
        contradicted_by=tuple(map(str, row.contradicted_by)),
    )


def surest_first(memories: Sequence[Lesson]) -> list[Lesson]:
    """Sort lessons, surest first, then latest."""
    return sorted(memories, key=lambda one: (-one.confidence, -one.happened_at.timestamp(), one.id))


async def row_of(tx: SpaceTransaction | None, id_: UUID | str) -> Row:
    """Return the lesson with an id, or with the only id that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several ids begin so, or it is no id.
    """
    asked = id_of(id_, what="a memory", hint=_HINT)
    found: UUID | None = asked if isinstance(asked, UUID) else None
    if tx is not None and isinstance(asked, str):
        found = only(await store.ids_like(tx, asked), asked)
    rows = [] if tx is None or found is None else await store.memories(tx, ids=[found])
    if not rows:
        raise NotFound(f"There is no lesson {asked} in this space.", hint=_HINT)
    return rows[0]
