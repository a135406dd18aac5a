"""Imports as a program meets them: ``memory.imports``."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID, uuid4

from annotated_types import Interval
from anyio import to_thread
from typing_extensions import Doc

from quipu.app.imports import registry
from quipu.app.imports.fields import Account
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import Found
from quipu.app.imports.model import Import, ImportedRecord, ImportReport, ImportUndone
from quipu.app.imports.origins import SQL, Means, Origins, Place
from quipu.app.imports.parcels import Parcel, People, Seen, parcels
from quipu.app.imports.source import Source
from quipu.app.imports.undoing import undo
from quipu.app.imports.writing import Writer
from quipu.errors import BadInput, NotFound
from quipu.kernel.base.parameters import Confirm, ErasedToo, Example, Limit, Offset, Space
from quipu.kernel.base.scope import check_name, everybody_only, optional_name, reads_only, whole
from quipu.kernel.db.database import SpaceTransaction
from quipu.recall.render import Origin
from quipu.record.model import Progress
from quipu.upkeep.erasure.service import Eraser

Files = Annotated[
    str | PathLike[str], Doc("A file, a folder or a zip as the source wrote it, or the URL of its server.")
]
TheSource = Annotated[str | None, Doc("The source; recognised, if not given.")]
Joined = Annotated[Mapping[str, str] | None, Doc("Names of the source, and the user that each one is.")]
ImportId = Annotated[str, Doc("The id of the import."), Example("7d0c2a4e-8a55-4c55-9b43-3f1f0c1f3f3a")]
_LONGEST_LABEL: Final = 512
_NUMBER: Final = re.compile(r"-?\d{1,18}")


class AsyncImports:
    """Takes in what other systems remember, shows where it came from, and takes it out again."""

    def __init__(self, means: Means, erasers: Sequence[Eraser], catch_up: Callable[[str], Any]) -> None:
        """Take out by ``erasers``; have what came be found by ``catch_up``."""
        self._means = means
        self._erasers = erasers
        self._catch_up = catch_up

    async def load(
        self,
        path: Files,
        *,
        space: Space,
        source: TheSource = None,
        user: Annotated[str | None, Doc("Whose it is, where the source names nobody.")] = None,
        names: Joined = None,
        preview: Annotated[bool, Doc("Write nothing, and tell what would be.")] = False,
        erased_too: ErasedToo = False,
        progress: Annotated[Progress | None, Doc("Called with how many records more are done.")] = None,
    ) -> ImportReport:
        """Take in what another system remembers, each record where it belongs, with its origin.

        Words become messages, statements long-term memories or lessons with the time for which they hold,
        notes and items of stores documents, tasks loops. What the source ended is kept as what held once;
        what it deleted is not taken. The source is only read. Importing again brings what is new there, and
        changes what changed; an import that was cut off is gone on with.

        Raises:
            BadInput: It is of no system that is known, or damaged, or a name is invalid.
            NotFound: There is nothing at that path.
        """
        everybody_only("Imports may hold memories of")
        begun, account = time.monotonic(), Account()
        people = People(
            {str(name): check_name("names", one) for name, one in (names or {}).items()},
            optional_name("user", user),
        )
        name = check_name("space", space)
        async with _reading(path, source, account) as (of, label, found):
            id_, sha256 = None, ""
            if not preview:
                sha256 = await to_thread.run_sync(found.digest)
                id_ = await self._unended(of, sha256, space=name)
            place = Place(space=name, id=id_ or uuid4(), source=of.name, label=label, sha256=sha256)
            writer, seen = Writer(Origins(self._means, place, account), people, erased_too=erased_too), Seen()
            while (parcel := await to_thread.run_sync(found.next)) is not None:
                await (writer.preview if preview else writer.write)(parcel, seen)
                if progress is not None:
                    progress(len(parcel))
        report = ImportReport(
            source=of.name,
            title=of.title,
            version=account.version,
            label=label,
            done=not preview,
            records=dict(seen.records if preview else +writer.written.records),
            known=writer.written.known,
            changed=writer.written.changed,
            withheld=writer.written.withheld,
            ended=seen.ended,
            first=seen.first,
            last=seen.last,
            people=seen.everybody(people.joined),
            dropped=dict(account.dropped.most_common()),
            left_out=dict(account.left_out.most_common()),
            assumed=list(account.assumed),
            refused=account.refused,
            unreadable=account.unreadable,
            redacted=dict(writer.written.redacted),
        )
        if not preview:
            if report.records or id_ is not None:  # else nothing was begun that could end
                await writer.end()
            if report.records:
                report = replace(report, id=str(place.id))
                await self._catch_up(name)
        return replace(report, seconds=time.monotonic() - begun)

    @reads_only
    async def list(self, *, space: Space, limit: Limit = 100, offset: Offset = 0) -> Sequence[Import]:
        """List the imports of a space, the latest first."""
        limit, offset = whole("limit", limit), whole("offset", offset, least=0, most=2**31)
        async with self._means.database.list_read(check_name("space", space)) as tx:
            return [] if tx is None else await _imports(tx, None, limit=limit, offset=offset)

    @reads_only
    async def get(self, id: ImportId, *, space: Space) -> Import:
        """Show an import.

        Raises:
            NotFound: There is no such import.
        """
        async with self._means.database.list_read(check_name("space", space)) as tx:
            return await _one(tx, id)

    @reads_only
    async def records(
        self,
        id: ImportId,
        *,
        space: Space,
        limit: Annotated[int, Doc("The most records."), Interval(ge=1, le=1_000)] = 100,
        offset: Offset = 0,
    ) -> Sequence[ImportedRecord]:
        """List the records of an import that are still there, each with that of the source.

        Raises:
            NotFound: There is no such import.
        """
        limit, offset = whole("limit", limit), whole("offset", offset, least=0, most=2**31)
        async with self._means.database.list_read(check_name("space", space)) as tx:
            one = await _one(tx, id)
            assert tx is not None
            return await tx.fetch(ImportedRecord, SQL["origins"], id=one.id, limit=limit, offset=offset)

    async def undo(self, id: ImportId, *, space: Space, confirm: Confirm = False) -> ImportUndone:
        """Take out all that an import brought, and what was derived from it.

        Without ``confirm`` it is a preview: how many rows of what would go. Nothing is noted as forgotten:
        the same import brings it again.

        Raises:
            NotFound: There is no such import.
        """
        everybody_only("Imports may hold memories of")
        name = check_name("space", space)
        one = await self.get(id, space=name)
        rows = await undo(self._means.database, self._erasers, one.id, space=name, trial=not confirm)
        return ImportUndone(id=one.id, rows=rows, done=confirm)

    async def origin(
        self,
        id: Annotated[
            str, Doc("The id of a hit, a long-term memory, a lesson, a document or a loop."), Example("4711")
        ],
        *,
        space: Space,
    ) -> Origin | None:
        """Return the place where a memory was imported from; nothing if it was not."""
        entry = int(id) if _NUMBER.fullmatch(id) else None
        number = None if entry is not None else _uuid(id)
        async with self._means.database.list_read(check_name("space", space)) as tx:
            if tx is None or (entry is None and number is None):
                return None
            return await tx.fetch_one(Origin, SQL["origin_of"], entry=entry, id=number)

    async def _unended(self, of: Source, sha256: str, *, space: str) -> UUID | None:
        async with self._means.database.snapshot_read(space) as tx:
            rows = [] if tx is None else await tx.rows(SQL["unended"], source=of.name, sha256=sha256)
        return UUID(rows[0][0]) if rows else None


class _Reading:
    """Records of a source as they are read, a parcel at a time, in whatever thread."""

    def __init__(self, found: Iterator[Found], digest: Callable[[], str]) -> None:
        self._parcels = parcels(found)
        self.digest = digest

    def next(self) -> Parcel | None:
        return next(self._parcels, None)


@asynccontextmanager
async def _reading(
    path: str | PathLike[str], source: str | None, account: Account
) -> AsyncGenerator[tuple[Source, str, _Reading]]:
    """Open a source: what it is, what it is called, and its records."""
    text = str(path)
    if "://" in text:
        of = registry.of_url(text, source)
        assert of.connect is not None
        label = _without_password(text)
        yield (
            of,
            label,
            _Reading(of.connect(text, account), lambda: hashlib.sha256(label.encode()).hexdigest()),
        )
        return
    opening = SourceFiles.opened(Path(text))
    files = await to_thread.run_sync(opening.__enter__)
    try:
        of = await to_thread.run_sync(
            lambda: registry.named(source) if source else registry.recognised(files)
        )
        if of.read is None:
            raise BadInput(f"{of.title} is read from its server.", field="path", hint="Give its URL.")
        yield (
            of,
            (files.path.name or text)[:_LONGEST_LABEL],
            _Reading(of.read(files, account), lambda: files.sha256),
        )
    finally:
        await to_thread.run_sync(opening.__exit__, None, None, None)


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))[:_LONGEST_LABEL]


async def _imports(
    tx: SpaceTransaction, id_: str | None, *, limit: int = 1, offset: int = 0
) -> Sequence[Import]:
    return await tx.fetch(Import, SQL["list"], id=id_, limit=limit, offset=offset)


async def _one(tx: SpaceTransaction | None, id_: str) -> Import:
    number = _uuid(id_)
    rows: Sequence[Import] = [] if tx is None or number is None else await _imports(tx, str(number))
    if not rows:
        raise NotFound("There is no such import.", hint="The list of imports shows them.")
    return rows[0]


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
