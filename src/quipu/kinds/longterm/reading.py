"""Memories as callers see them, found by their ids."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from quipu.errors import NotFound
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.longterm import store
from quipu.kinds.longterm.model import LongtermMemory
from quipu.kinds.longterm.store import Row
from quipu.record.given import id_of, only

_HINT: Final = "The list of memories shows them."


def memory(row: Row, *, space: str) -> LongtermMemory:
    """Return a stored memory as a caller sees it."""
    return LongtermMemory(
        id=str(row.id),
        category=row.category,
        importance=row.importance,
        summary=row.summary,
        details=row.details,
        hash=row.hash,
        source=row.source,
        created_at=row.created_at,
        updated_at=row.updated_at,
        last_accessed_at=row.last_accessed_at,
        access_count=row.access_count,
        version=row.version,
        archived=row.archived,
        space=space,
        user=row.user,
        session=row.session,
        happened_at=row.happened_at,
        stated_count=row.stated_count,
        sources=row.sources,
    )


async def row_of(tx: SpaceTransaction | None, id_: UUID | str) -> Row:
    """Return the memory with an id, or with the only id that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several ids begin so, or it is no id.
    """
    asked = id_of(id_, what="a memory", hint=_HINT)
    if tx is None:
        raise _missing(asked)
    found = asked if isinstance(asked, UUID) else only(await store.ids_like(tx, asked), asked)
    row = None if found is None else await store.memory(tx, found)
    if row is None:
        raise _missing(asked)
    return row


def _missing(asked: UUID | str) -> NotFound:
    return NotFound(f"There is no memory {asked} in this space.", hint=_HINT)
