"""Recent uses: memories put before agents lately, of every kind that notes its uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from quipu.app.kinds import KINDS
from quipu.kernel.base.scope import check_name, whole
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.plug import Kind
from quipu.recall.model import Source

_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Used:
    """A memory that was used, and when it was last; ``kind``, ``text`` and ``source`` as of a hit."""

    kind: str
    text: str
    used_at: datetime
    source: Source


async def used_lately(database: Database, space: str, *, limit: int) -> list[Used]:
    """Return the memories that were used last, latest first, if they are still found.

    Raises:
        BadInput: an argument cannot be taken.
    """
    whole("limit", limit, least=1, most=_MOST)
    async with database.list_read(check_name("space", space)) as tx:
        found = [] if tx is None else [one for kind in KINDS for one in await _used(tx, kind, limit)]
    return sorted(found, key=lambda one: one.used_at, reverse=True)[:limit]


async def _used(tx: SpaceTransaction, kind: Kind, limit: int) -> Sequence[Used]:
    if kind.lately is None:
        return []
    times = await kind.lately(tx, limit)
    cited = await kind.cite(tx, [entry for entry, _ in times])
    return [
        Used(kind.name, cited[entry].text, at, cited[entry].source) for entry, at in times if entry in cited
    ]
