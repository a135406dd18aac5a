"""Exchange with files of the seed, as a caller meets it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Final
from uuid import UUID

from anyio import from_thread, to_thread
from typing_extensions import Doc

from quipu.kernel.base.parameters import OnlyUser, Space
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.db import queries
from quipu.kinds.longterm import indexing
from quipu.kinds.longterm.changes import Changes, changed
from quipu.kinds.longterm.indexing import MemoryEntry
from quipu.kinds.longterm.lookup import AsyncLongtermLookup
from quipu.kinds.longterm.rules import filed_text
from quipu.kinds.longterm.sqlite import file
from quipu.kinds.longterm.sqlite.rules import Reader, Refused, Taken, id_of
from quipu.upkeep.exports.exports import Export, note

_SQL: Final = queries.load("quipu.kinds.longterm.sqlite")
_BY: Final = "import"
_AT_ONCE: Final = 500
_NOBODY: Final = object()  # None is an owner: everybody


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedRow:
    """A row that was not taken: its id in the file, and why."""

    id: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoriesImported:
    """Result of importing a file.

    ``new`` and ``archived`` count new memories, live and archived; ``known`` those that were taken in before;
    ``repeated`` live ones whose summary repeats another live one of the user. ``repaired`` counts repairs, by
    what they were. ``refused`` are rows that are kept nowhere. ``redacted`` counts secrets that were cut out,
    by kind.
    """

    new: int
    archived: int
    known: int
    repeated: int
    repaired: Mapping[str, int]
    refused: Sequence[RefusedRow]
    redacted: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoriesExported:
    """Result of exporting memories to a file.

    ``repeated`` are left out: the file holds each summary once, whosesoever it is, live before archived.
    ``id`` and ``sha256`` are noted: a check of an erasure recognises the file by them.
    """

    path: Path
    written: int
    repeated: int
    id: str
    sha256: str


class AsyncMemoryFiles(AsyncLongtermLookup):
    """Takes files of the seed in, and writes them."""

    async def import_sqlite(
        self,
        path: Annotated[str | PathLike[str], Doc("The file: santi-memory.db or sati-memory.db.")],
        *,
        space: Space,
        user: Annotated[
            str | None, Doc("The person whose memories they are; without one, everybody's.")
        ] = None,
    ) -> MemoriesImported:
        """Import a file of the seed as memories of a person.

        Hashes are computed again, categories and importances checked; what means nothing is refused row by
        row and reported. Ids, times, versions and counts are kept; a memory whose id somebody else in the
        space has gets one of its own. The file is only read, and importing it again changes nothing.

        Raises:
            NotFound: There is no such file.
            BadInput: It is no file of the seed, damaged or locked; nothing was changed.
        """
        check_name("space", space)
        whose, now = optional_name("user", user), self._clock.now()
        rows = await to_thread.run_sync(file.read, Path(path))
        reader = Reader(now=now, secrets=self._settings.redact)
        taken: dict[str, Taken] = {}
        refused: list[RefusedRow] = []
        for row in rows:
            try:
                one = reader.read(row)
            except Refused as why:
                refused.append(RefusedRow(id=str(row.get("id"))[:64], why=str(why)))
            else:
                taken[str(one.id)] = one
        kept = Counter[str]()
        memories = list(taken.values())
        for start in range(0, len(memories), _AT_ONCE):
            kept += await self._keep(memories[start : start + _AT_ONCE], space=space, user=whose)
        return MemoriesImported(
            new=kept["new"],
            archived=kept["archived"],
            known=kept["known"],
            repeated=kept["repeated"],
            repaired=dict(reader.repaired),
            refused=tuple(refused),
            redacted=dict(reader.redacted),
        )

    async def export_sqlite(
        self,
        path: Annotated[str | PathLike[str], Doc("The file to write; it must not exist yet.")],
        *,
        space: Space,
        user: OnlyUser = None,
    ) -> MemoriesExported:
        """Export memories to a new file with exactly the table and indices of the seed.

        Archived memories are included. The file holds each summary once, even if two people have it.

        Raises:
            Conflict: There is such a file already, or something was forgotten in the space meanwhile.
            BadInput: The file cannot be written; nothing is left of it.
            DiskFull: The disk is full; nothing is left of the file.
        """
        whose = optional_name("user", user)
        async with self._database.snapshot_read(check_name("space", space)) as tx:
            rows = [] if tx is None else await tx.fetch(dict[str, Any], _SQL["export"], user=whose)
            spaces = {} if tx is None else {space: tx.space.as_of}
        now = self._clock.now()

        def noted(made: Path) -> Export:
            return from_thread.run(
                partial(note, self._database, made, kind="longterm", spaces=spaces, now=now)
            )

        done = await to_thread.run_sync(partial(file.write, Path(path), rows, noted=noted))
        return MemoriesExported(
            path=Path(path),
            written=done.rows,
            repeated=done.repeated,
            id=done.export.id,
            sha256=done.export.sha256,
        )

    async def _keep(self, part: Sequence[Taken], *, space: str, user: str | None) -> Counter[str]:
        return await changed(
            self._database,
            self._models,
            lambda changes: _keep(changes, part, user=user),
            space=space,
            clock=self._clock,
            by=_BY,
            texts=[filed_text(one.summary, one.details) for one in part if not one.archived],
        )


async def _keep(changes: Changes, part: Sequence[Taken], *, user: str | None) -> Counter[str]:
    """Keep what is new of these; how many were new, archived, known or repeated."""
    kept = Counter[str]()
    copies = {one.id: id_of(user, one.id) for one in part}
    ids, hashes = [*copies, *copies.values()], [one.hash for one in part]
    owners: dict[UUID, str | None] = dict(await changes.tx.rows(_SQL["known"], ids=ids))
    live = set(await changes.tx.column(_SQL["said_already"], user=user, hashes=hashes))
    new: list[Taken] = []
    for one in part:
        if copies[one.id] in owners or owners.get(one.id, _NOBODY) == user:
            kept["known"] += 1
        elif not one.archived and one.hash in live:
            kept["repeated"] += 1
        else:
            new.append(replace(one, id=copies[one.id]) if one.id in owners else one)
            live |= set() if one.archived else {one.hash}
            kept["archived" if one.archived else "new"] += 1
    entries = await changes.file([_entry(one, user) for one in new if not one.archived])
    filed = dict(zip((one.id for one in new if not one.archived), entries, strict=True))
    for one in new:
        await changes.tx.execute(_SQL["import_memory"], **asdict(one), user=user, entry=filed.get(one.id))
    return kept


def _entry(one: Taken, user: str | None) -> MemoryEntry:
    return indexing.entry(
        str(one.id), summary=one.summary, details=one.details, user=user, happened_at=one.created_at
    )
