"""Undoing an import: all that it brought goes, with what was derived from it, as if it had never come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from quipu.app.imports.origins import SQL
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.documents import store as documents
from quipu.recall.index import remove
from quipu.upkeep.erasure import service
from quipu.upkeep.erasure.model import What
from quipu.upkeep.erasure.service import Eraser

_TABLES: Final = {"memory": "long_term_memory", "lesson": "lessons", "document": "documents", "loop": "loops"}


class _Trial(Exception):
    """A preview is at its end."""


async def undo(
    database: Database, erasers: Sequence[Eraser], id_: str, *, space: str, trial: bool
) -> Mapping[str, int]:
    """Take out what an import brought and return the rows by table; a trial does so and rolls it back."""
    rows: Counter[str] = Counter()
    try:
        async with database.erase(space) as tx:
            if tx is not None:
                await tx.execute(documents.SQL["may_return"], on="on")
                rows = await _take(tx, erasers, id_)
                if trial:
                    raise _Trial
    except _Trial:
        pass
    return {table: count for table, count in rows.items() if count}


async def _take(tx: SpaceTransaction, erasers: Sequence[Eraser], id_: str) -> Counter[str]:
    rows: Counter[str] = Counter()
    entries = await _targets(tx, id_, rows)
    whole = [What(session=name) for (name,) in await tx.rows(SQL["undo_whole_sessions"], id=id_)]
    for what in whole:
        rows.update(await service.count(tx, erasers, what))
        entries += [entry for eraser in erasers for entry in await eraser.erase(tx, what)]
    for session, message in await tx.rows(SQL["undo_messages"], id=id_):
        what = What(session=session, message=message)
        rows.update(await service.count(tx, erasers, what))
        entries += [entry for eraser in erasers for entry in await eraser.erase(tx, what)]
    if entries:
        await remove(tx, sorted(set(entries)))
    await tx.execute(SQL["undo"], id=id_)
    return rows


async def _targets(tx: SpaceTransaction, id_: str, rows: Counter[str]) -> list[int]:
    """Take out what is no message; returns the entries."""
    entries: list[Any] = []
    for kind, table in _TABLES.items():
        ids = [target for (target,) in await tx.rows(SQL["undo_targets"], id=id_, kind=kind)]
        if not ids:
            continue
        rows[table] += len(ids)
        match kind:
            case "document":
                entries += await documents.entries_of(tx, ids)
                await tx.execute(documents.SQL["erase"], ids=ids)
            case "loop":
                await tx.execute(SQL["undo_loops"], ids=ids)
            case _:
                query = SQL["undo_memories" if kind == "memory" else "undo_lessons"]
                entries += [entry for (entry,) in await tx.rows(query, ids=ids)]
    return [entry for entry in entries if entry is not None]
