"""Memories as callers see them, found by their ids."""

from __future__ import annotations

from uuid import UUID

from quipu.errors import BadInput, NotFound
from quipu.kernel.db.database import Within
from quipu.kinds.longterm import store
from quipu.kinds.longterm.checking import id_of
from quipu.kinds.longterm.model import LongtermMemory
from quipu.kinds.longterm.store import Row


def memory(row: Row, *, space: str) -> LongtermMemory:
    """A stored memory as a caller sees it."""
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


async def row_of(within: Within | None, id_: UUID | str) -> Row:
    """The memory with an id, or with the only id that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several ids begin so, or it is no id.
    """
    asked = id_of(id_)
    if within is None:
        raise _missing(asked)
    found = [asked] if isinstance(asked, UUID) else await store.ids_like(within, asked)
    if len(found) > 1:
        raise BadInput(f"several memories begin with {asked}.", field="id", hint="Give more of it.")
    row = await store.memory(within, found[0]) if found else None
    if row is None:
        raise _missing(asked)
    return row


def _missing(asked: UUID | str) -> NotFound:
    return NotFound(f"There is no memory {asked} in this space.", hint="quipu longterm list shows them.")
