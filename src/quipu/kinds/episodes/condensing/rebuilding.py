"""Condensing that somebody asked for: what waits at once, or what was written before once more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from quipu.kernel.db.database import Database
from quipu.kinds.episodes.condensing import store
from quipu.kinds.episodes.condensing.condensing import Condensing, Ready
from quipu.kinds.episodes.fading.model import Condensation
from quipu.recall.model import Moved

_AT_ONCE: Final = 20


async def condense(
    database: Database, condensing: Condensing, *, space: str, session: str | None
) -> Condensation:
    """Make episodes of all that waits in a session, or in all, each batch in a transaction of its own."""
    async with database.reading(space) as within:
        names = [] if within is None else await store.sessions_waiting(within, session=session)
    made: list[UUID] = []
    for name in names:
        more = True
        while more:
            ready = await condensing.ready(space, name, finished=True)
            written = [] if ready is None else await _write(database, condensing, space, ready)
            made += written
            more = ready is not None and ready.more and bool(written)
    return _report(condensing, made)


async def rebuild(
    database: Database,
    condensing: Condensing,
    *,
    space: str,
    ids: Sequence[UUID] | None,
    session: str | None,
    again: bool,
) -> Condensation:
    """Write episodes anew, some at a time."""
    builder = condensing.builder
    async with database.reading(space) as within:
        found = [] if within is None else await store.rebuildable(
            within, ids=ids, session=session, builder=builder.name, version=builder.version, again=again
        )  # fmt: skip
    made: list[UUID] = []
    troubles: list[str] = []
    for start in range(0, len(found), _AT_ONCE):
        ready = await condensing.rewritten(space, found[start : start + _AT_ONCE])
        if ready is not None:
            made += await _write(database, condensing, space, ready)
            troubles += [one.trouble for one in ready.drafts if one.trouble is not None]
    written = set(made)
    left = [one for one in found if one not in written]
    return _report(condensing, made, left, trouble=troubles[-1] if troubles else None)


async def _write(database: Database, condensing: Condensing, space: str, ready: Ready) -> list[UUID]:
    """Write what is ready in a transaction, by whatever model the space has by then."""
    while True:
        try:
            async with database.writing(space) as within:
                return await condensing.write(within, ready)
        except Moved as moved:
            ready = await condensing.measured(space, ready, moved.generation)


def _report(
    condensing: Condensing, made: Sequence[UUID], left: Sequence[UUID] = (), *, trouble: str | None = None
) -> Condensation:
    return Condensation(
        builder=condensing.builder.name,
        version=condensing.builder.version,
        episodes=tuple(map(str, made)),
        left=tuple(map(str, left)),
        trouble=trouble,
    )
