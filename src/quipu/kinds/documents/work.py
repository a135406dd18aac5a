"""Work on documents that is done in one round trip to the server: reads first, then writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from quipu.kernel.db.database import Connection, Database, Rows, SpaceTransaction
from quipu.kinds.documents import rules, store
from quipu.kinds.documents.model import (
    Document,
    DocumentDraft,
    DocumentPath,
    FoundDocument,
    ListQuery,
    PathQuery,
)

Address = tuple[str, str]


@dataclass(slots=True, kw_only=True)
class Work:
    """Reads and writes. Reads see what stood before the writes; nothing is there twice among the writes."""

    gets: Sequence[Address] = ()
    lists: Sequence[ListQuery] = ()
    paths: Sequence[PathQuery] = ()
    refreshed: Sequence[Address] = ()
    removed: Sequence[Address] = ()
    written: Sequence[DocumentDraft] = ()

    @property
    def writes(self) -> bool:
        """True if it changes something."""
        return bool(self.refreshed or self.removed or self.written)


@dataclass(slots=True)
class Result:
    """Answers to work: lists in the order of what was asked, documents by their address."""

    gets: Mapping[Address, Document] = field(default_factory=dict[Address, Document])
    lists: Sequence[Sequence[FoundDocument]] = ()
    paths: Sequence[Sequence[DocumentPath]] = ()
    removed: frozenset[Address] = frozenset()
    written: Mapping[Address, Document] = field(default_factory=dict[Address, Document])


@dataclass(slots=True)
class _Asked:
    """Cursors of what was asked, to be read when the pipeline has ended."""

    gets: Rows | None = None
    lists: list[Rows] = field(default_factory=list[Rows])
    paths: list[Rows] = field(default_factory=list[Rows])
    removed: Rows | None = None
    written: Rows | None = None


async def do(database: Database, space: str, work: Work, *, now: datetime) -> Result:
    """Do work in one transaction; a space that is missing is made if something is written.

    Raises:
        Outdated: a document was to be new, and is there.
    """
    asked = _Asked()

    async def ask(conn: Connection) -> None:
        await _ask(conn, work, asked, now=now)

    planned = bool(work.lists or work.paths)
    there = await database.ask(space, ask, writes=work.writes, plan=planned)
    if there is not None:
        return await _read(work, asked)
    if not work.written:
        return Result(lists=[[] for _ in work.lists], paths=[[] for _ in work.paths])
    async with database.write(space) as tx:
        return await done(tx, work, now=now)


async def done(tx: SpaceTransaction, work: Work, *, now: datetime) -> Result:
    """Do work in a transaction that is open.

    Raises:
        Outdated: a document was to be new, and is there.
    """
    asked = _Asked()
    async with tx.conn.pipeline():
        await _ask(tx.conn, work, asked, now=now)
    return await _read(work, asked)


async def _ask(conn: Connection, work: Work, asked: _Asked, *, now: datetime) -> None:
    if work.refreshed:
        await store.ask_refresh(conn, work.refreshed, now=now)
    if work.gets:
        asked.gets = await store.ask_get(conn, work.gets, now=now)
    for query in work.lists:
        asked.lists.append(await store.ask_list(conn, query, now=now))
    for paths in work.paths:
        asked.paths.append(await store.ask_paths(conn, paths, now=now))
    if work.removed:
        asked.removed = await store.ask_remove(conn, work.removed, now=now)
    if work.written:
        asked.written = await store.ask_put(conn, work.written, now=now)
        await _ask_found(conn, work.written)


async def _ask_found(conn: Connection, written: Sequence[DocumentDraft]) -> None:
    """Have documents be found by what they say now; a trigger drops the passages of what is not indexed."""
    if indexed := [one for one in written if one.index]:
        await store.ask_passages(conn, indexed)
    if given := [one for one in written if one.vectors is not None]:
        await store.ask_vectors(conn, given)


async def _read(work: Work, asked: _Asked) -> Result:
    result = Result()
    if asked.gets is not None:
        result.gets = {(rules.stored(one.path), one.key): one for one in await store.documents(asked.gets)}
    result.lists = [
        [FoundDocument(document=one, score=score) for one, score in await store.scored(rows)]
        for rows in asked.lists
    ]
    result.paths = [[DocumentPath(path=path) for (path,) in await rows.fetchall()] for rows in asked.paths]
    if asked.removed is not None:
        result.removed = frozenset((place, key) for place, key in await asked.removed.fetchall())
    if asked.written is not None:
        result.written = store.put_documents(await asked.written.fetchall(), work.written)
    return result
