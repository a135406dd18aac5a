"""Telling of a row of an agent's table that was found: what a field says, and which row's it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from quipu.kernel.db.database import Within
from quipu.kinds.plug import Parts
from quipu.kinds.tables.embedding import store
from quipu.recall.model import Cited, Source
from quipu.recall.question import Question


async def cite(within: Within, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the texts of entries, by id; rows that changed and were not followed yet are left out.

    The source names the primary key of the row as its message (a JSON array where it has several columns),
    and ``schema.table.field`` as the role. The text is that of the field, or of the part that was found.
    """
    return {
        entry: Cited(
            text=text, happened_at=happened, recorded_at=recorded, source=Source(key, None, role=place)
        )
        for entry, text, happened, recorded, key, place in await store.cited(within, ids)
    }


async def weigh(
    within: Within, _question: Question, _now: datetime, ids: Sequence[int]
) -> Mapping[int, Parts | None]:
    """Return None for entries that must not come back: their row changed, or it is gone."""
    if not ids:
        return {}
    stand = {row[0] for row in await store.cited(within, ids)}
    return {one: None for one in ids if one not in stand}
