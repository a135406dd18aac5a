"""Exchange with files of ccrecall, as a caller meets it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Final

from anyio import from_thread, to_thread
from typing_extensions import Doc

from quipu.errors import Conflict
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import ErasedToo
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.db.space import AsOf
from quipu.kinds.transcripts.sqlite import file, imports, rules
from quipu.kinds.transcripts.sqlite.file import Connection, check, opened, rows
from quipu.kinds.transcripts.sqlite.imports import Cleaning, Import
from quipu.kinds.transcripts.sqlite.model import Exported, Imported, Migrated
from quipu.kinds.transcripts.sqlite.sessions import FileSession, sessions
from quipu.kinds.transcripts.sqlite.writer import Writer, stored
from quipu.recall.generations import Models
from quipu.record.model import Progress
from quipu.upkeep.erasure import tombstones
from quipu.upkeep.exports.exports import note

Row = Mapping[str, Any]
FilePath = Annotated[str | PathLike[str], Doc("The file, a ccrecall.db.")]
OfSpaces = Annotated[Sequence[str] | None, Doc("Only of these spaces; of all if None.")]

_SQL: Final = queries.load("quipu.kinds.transcripts.sqlite")
_REST: Final = ("teams", "team_members", "team_tasks", "memories", "memory_sources")


class AsyncExchange:
    """Takes files of ccrecall in, writes them, and brings them to the seed's schema."""

    def __init__(self, database: Database, models: Models, *, clock: Clock, redact: bool) -> None:
        self._database = database
        self._models = models
        self._clock = clock
        self._redact = redact

    async def import_sqlite(
        self,
        path: FilePath,
        *,
        space: Annotated[str | None, Doc("One space for all projects; a space for each if None.")] = None,
        progress: Annotated[Progress | None, Doc("Called with how many lines more were read.")] = None,
        erased_too: ErasedToo = False,
    ) -> Imported:
        """Take in a file of ccrecall: sessions, messages, calls and results, teams, lessons.

        The file is only read. What is known already stays as it is, so doing it again changes nothing, and
        what was cut off is finished by doing it again. Lessons are found by their meaning at once, messages
        with the next recalls (or ``index``). What was forgotten is withheld.

        Raises:
            NotFound: There is no such file.
            BadInput: It is no file of ccrecall, damaged, or locked.
        """
        optional_name("space", space)
        path, now, repaired = Path(path), self._clock.now(), Counter[str]()
        began = None if erased_too else await tombstones.clock(self._database)
        async with _to_read(path) as (connection, tables):
            source = await to_thread.run_sync(imports.transcript, path)
            cleaning = Cleaning(secrets=self._redact)
            taking = Import(self._database, source, cleaning, progress, repaired=repaired, began=began)
            read = sessions(
                connection,
                space=space,
                now=now,
                repaired=repaired,
                secrets=self._redact,
                marks_of=lambda name: from_thread.run(self._database.marks, name),
            )
            while (session := await to_thread.run_sync(_next, read)) is not None:
                await taking.session(session, now=now)
            side = await to_thread.run_sync(_side, connection, tables)
        await taking.summaries()
        await taking.teams(side, default=space)
        await taking.memories(self._models, side, default=space, now=now)
        await taking.sources(side, default=space)
        return taking.imported()

    async def export_sqlite(self, path: FilePath, *, spaces: OfSpaces = None) -> Exported:
        """Write a new file that ccrecall can read, with the tables of the seed.

        Raises:
            Conflict: There is such a file already, or something was forgotten in a space meanwhile.
            BadInput: It cannot be written.
        """
        path = Path(path)
        if spaces is None:
            spaces = [one.name for one in await self._database.spaces()]
        read: dict[str, AsOf] = {}
        writer = await to_thread.run_sync(Writer, path)
        try:
            for name in spaces:
                async with self._database.snapshot_read(check_name("spaces", name)) as tx:
                    if tx is not None:
                        read[name] = tx.space.as_of
                        await _export(tx, writer)
            made = await to_thread.run_sync(writer.finish)
            noted = await note(self._database, made, kind="transcripts", spaces=read, now=self._clock.now())
            await to_thread.run_sync(writer.place)
        finally:
            writer.abandon()
        return Exported(
            path=path,
            written=dict(writer.written),
            repeated=writer.repeated,
            id=noted.id,
            sha256=noted.sha256,
        )

    async def migrate_sqlite(
        self,
        path: FilePath,
        *,
        write_memories: Annotated[bool, Doc("Write our lessons into it, too.")] = False,
        spaces: OfSpaces = None,
    ) -> Migrated:
        """Bring an existing file of ccrecall to the seed's schema; a second time nothing is changed.

        The file as it was is kept beside it.

        Raises:
            NotFound: There is no such file.
            BadInput: It is no file of ccrecall, damaged, or locked; nothing was changed.
            Conflict: Something was forgotten in a space meanwhile; the file is as it was.
        """
        path, now = Path(path), self._clock.now()
        if not write_memories:
            return await to_thread.run_sync(lambda: file.migrate(path, now=now))
        if spaces is None:
            spaces = [one.name for one in await self._database.spaces()]
        told, read = await self._learned(spaces)
        done = await to_thread.run_sync(
            lambda: file.migrate(
                path,
                now=now,
                memories=told["memories"],
                sources=told["memory_sources"],
                extracted=told["extracted"],
            )
        )
        if done.memories:
            try:
                await note(self._database, path, kind="transcripts", spaces=read, now=now)
            except Conflict:
                if done.backup is not None:
                    done.backup.replace(path)
                raise
        return done

    async def _learned(self, spaces: Sequence[str]) -> tuple[Mapping[str, list[Row]], Mapping[str, AsOf]]:
        """Return lessons of spaces with sources and extracted sessions, as a file has them.

        The second value is the state of each space when it was read.
        """
        told: defaultdict[str, list[Row]] = defaultdict(list)
        read: dict[str, AsOf] = {}
        for name in spaces:
            async with self._database.snapshot_read(check_name("spaces", name)) as tx:
                if tx is None:
                    continue
                read[name] = tx.space.as_of
                for table in ("memories", "memory_sources"):
                    told[table] += map(stored, await _table(tx, table))
                told["extracted"] += [
                    {"id": one["id"], "attempted_at": rules.milliseconds(one["extraction_attempted_at"])}
                    for one in await _table(tx, "sessions")
                    if one["memories_extracted"]
                ]
        return told, read


@asynccontextmanager
async def _to_read(path: Path) -> AsyncGenerator[tuple[Connection, dict[str, set[str]]]]:
    """Open the file as of one moment, with its tables."""
    with ExitStack() as stack:
        connection = await to_thread.run_sync(stack.enter_context, opened(path, mode="ro"))
        tables = await to_thread.run_sync(check, connection, path)
        connection.execute("begin")
        yield connection, tables


def _next(left: Iterator[FileSession]) -> FileSession | None:
    return next(left, None)


def _side(connection: Connection, tables: Mapping[str, set[str]]) -> Mapping[str, list[Row]]:
    """Return the tables beside the sessions, as far as the file has them."""
    side: dict[str, list[Row]] = {name: [*rows(connection, name)] if name in tables else [] for name in _REST}
    has_state = {"memories_extracted", "extraction_attempted_at"} <= tables["sessions"]
    side["extracted"] = [*rows(connection, "extracted")] if has_state else []
    return side


async def _export(tx: SpaceTransaction, writer: Writer) -> None:
    for session in await _table(tx, "sessions"):
        number = session["session_number"]
        messages = await _table(tx, "messages", session=number)
        calls = await _table(tx, "calls", session=number)
        results = await _table(tx, "results", session=number)
        await to_thread.run_sync(writer.session, session, messages, calls, results)
    rest = {name: await _table(tx, name) for name in _REST}
    await to_thread.run_sync(writer.rest, rest)


async def _table(tx: SpaceTransaction, name: str, *, session: int | None = None) -> list[dict[str, Any]]:
    """Return the rows of a table of the file, by the names of its columns; of one session if given."""
    return await tx.fetch(dict[str, Any], _SQL[name], session=session)
