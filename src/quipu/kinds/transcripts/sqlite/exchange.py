"""Exchange with files of ccrecall, as a caller meets it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

from anyio import to_thread

from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.db.database import Database, Within
from quipu.kinds.transcripts.sqlite import importing, migrating, rules, store
from quipu.kinds.transcripts.sqlite.cleaning import Cleaning
from quipu.kinds.transcripts.sqlite.exporting import Writer
from quipu.kinds.transcripts.sqlite.file import Connection, check, opened, rows
from quipu.kinds.transcripts.sqlite.model import Exported, Imported, Migrated
from quipu.kinds.transcripts.sqlite.reading import Session, sessions
from quipu.recall.generations import Models
from quipu.record.service import Record

Progress = Callable[[int], None]
Row = Mapping[str, Any]

_TEAMS = ("teams", "team_members", "team_tasks")
_REST = (*_TEAMS, "memories", "memory_sources")


class AsyncExchange:
    """Takes files of ccrecall in, writes them, and brings them to the seed's schema."""

    def __init__(
        self, database: Database, models: Models, record: Record, *, clock: Clock, redact: bool
    ) -> None:
        self._database = database
        self._models = models
        self._record = record
        self._clock = clock
        self._redact = redact

    async def import_sqlite(
        self, path: str | PathLike[str], *, space: str | None = None, progress: Progress | None = None
    ) -> Imported:
        """Take in a file of ccrecall: sessions, messages, calls and results, teams, memories.

        Each project goes to the space of its directory's name, or all to ``space``. The file is only read. What
        is known already stays as it is, so doing it again changes nothing, and what was cut off is finished by
        doing it again. ``progress`` is told how many lines were dealt with since it was last told.

        Raises:
            NotFound: there is no such file.
            BadInput: it is no file of ccrecall, damaged, or locked.
        """
        optional_name("space", space)
        taking = _Taking(self._database, self._record, Cleaning(secrets=self._redact), progress)
        now, mended = self._clock.now(), Counter[str]()
        async with _to_read(Path(path)) as (connection, tables):
            found = sessions(connection, space=space, now=now, mended=mended)
            while (session := await to_thread.run_sync(_next, found)) is not None:
                await taking.session(session)
            side = await to_thread.run_sync(_side, connection, tables)
        await taking.teams(side, default=space)
        await self._memories(taking, side, space, mended, now)
        return taking.imported(mended)

    async def _memories(
        self,
        taking: _Taking,
        side: Mapping[str, list[Row]],
        space: str | None,
        mended: Counter[str],
        now: datetime,
    ) -> None:
        by_space: defaultdict[str, list[Row]] = defaultdict(list)
        for row in side["memories"]:
            made = importing.memory(row, taking.cleaning, mended, now=now)
            by_space[taking.space_of(row["session_id"], default=space)].append(made)
        for name, memories in by_space.items():
            kept = await importing.keep_memories(self._database, self._models, name, memories, now=now)
            taking.new["memories"] += kept
            taking.known += len(memories) - kept
        await taking.sources(side, mended, default=space)

    async def export_sqlite(
        self, path: str | PathLike[str], *, spaces: Sequence[str] | None = None
    ) -> Exported:
        """Write a new file that ccrecall can read, with the tables of the seed: of ``spaces``, or of all.

        Raises:
            Conflict: there is such a file already.
            BadInput: it cannot be written.
        """
        path = Path(path)
        if spaces is None:
            spaces = [one.name for one in await self._database.spaces()]
        writer = await to_thread.run_sync(Writer, path)
        try:
            for name in spaces:
                async with self._database.reading(check_name("spaces", name)) as within:
                    if within is not None:
                        await _export(within, writer)
            await to_thread.run_sync(writer.finish)
        finally:
            writer.abandon()
        return Exported(path=path, written=dict(writer.written), repeated=writer.repeated)

    async def migrate_sqlite(
        self, path: str | PathLike[str], *, write_memories: bool = False, spaces: Sequence[str] | None = None
    ) -> Migrated:
        """Bring an existing file of ccrecall to the seed's schema; a second time nothing is changed.

        The file as it was is kept beside it. With ``write_memories`` the active memories of ``spaces``, or of
        all, are written into it.

        Raises:
            NotFound: there is no such file.
            BadInput: it is no file of ccrecall, damaged, or locked; nothing was changed.
        """
        path, now = Path(path), self._clock.now()
        if not write_memories:
            return await to_thread.run_sync(lambda: migrating.migrate(path, now=now))
        if spaces is None:
            spaces = [one.name for one in await self._database.spaces()]
        told = await self._learned(spaces)
        return await to_thread.run_sync(
            lambda: migrating.migrate(
                path,
                now=now,
                memories=told["memories"],
                sources=told["memory_sources"],
                extracted=told["extracted"],
            )
        )

    async def _learned(self, spaces: Sequence[str]) -> Mapping[str, list[Row]]:
        """Memories of spaces with their sources, and the sessions that were looked through, as a file has them."""
        told: defaultdict[str, list[Row]] = defaultdict(list)
        for name in spaces:
            async with self._database.reading(check_name("spaces", name)) as within:
                if within is None:
                    continue
                for table in ("memories", "memory_sources"):
                    told[table] += map(_as_stored, await store.rows(within, table))
                told["extracted"] += [
                    {"id": one["id"], "attempted_at": rules.milliseconds(one["extraction_attempted_at"])}
                    for one in await store.rows(within, "sessions")
                    if one["memories_extracted"]
                ]
        return told


class _Taking:
    """One import as far as it has come."""

    def __init__(
        self, database: Database, record: Record, cleaning: Cleaning, progress: Progress | None
    ) -> None:
        self.cleaning = cleaning
        self.new: Counter[str] = Counter()
        self.known = 0
        self._database, self._record, self._progress = database, record, progress
        self._spaces: dict[str, str] = {}
        self._sessions: Counter[str] = Counter()
        self._passed: Counter[str] = Counter()

    def space_of(self, session: str | None, *, default: str | None) -> str:
        """The space that a session of the file went to; where it has none, the only one there is."""
        if session is not None and session in self._spaces:
            return self._spaces[session]
        return default or (next(iter(self._sessions)) if len(self._sessions) == 1 else "default")

    async def session(self, session: Session) -> None:
        """Take a session in: what was said first, then what else its lines know."""
        self._spaces[session.name] = session.space
        self._sessions[session.space] += 1
        report = await self._record.take(list(importing.said(session)), space=session.space)
        self.new["messages"] += report.imported
        self.cleaning.redacted.update(report.redacted)
        self._passed.update(session.reading.passed)
        if report.refused:
            self._passed["refused messages"] += len(report.refused)
        async with self._database.writing(session.space) as within:
            new = await importing.keep(within, session, self.cleaning)
        self.new.update(new)
        self.known += len(session.reading.entries) - new["lines"]
        if self._progress is not None:
            self._progress(session.reading.lines)

    async def teams(self, side: Mapping[str, list[Row]], *, default: str | None) -> None:
        """Take teams in, each to the space of the session that leads it."""
        by_space: defaultdict[str, defaultdict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
        leads = {row["id"]: row["lead_session_id"] for row in side["teams"]}
        for table in _TEAMS:
            for row in side[table]:
                team = row["id"] if table == "teams" else row["team_id"]
                if team not in leads:
                    self._passed[f"{table} without their team"] += 1
                    continue
                by_space[self.space_of(leads[team], default=default)][table].append(row)
        for space, tables in by_space.items():
            async with self._database.writing(space) as within:
                self.new.update(await importing.keep_teams(within, tables, self.cleaning))

    async def sources(
        self, side: Mapping[str, list[Row]], mended: Counter[str], *, default: str | None
    ) -> None:
        """Note where memories come from, and which sessions were looked through."""
        by_space: defaultdict[str, list[tuple[str, Row]]] = defaultdict(list)
        for row in side["memory_sources"]:
            told = {
                "memory": rules.memory_id(row["memory_id"], Counter()),
                "session": row["session_id"],
                "turn": max(int(row["turn_index"] or 0), 0),
                "extracted_at": rules.moment(row["extracted_at"]),
            }
            by_space[self.space_of(row["session_id"], default=default)].append(("keep_source", told))
        for row in side["extracted"]:
            at = rules.moment(row["extraction_attempted_at"])
            status = "done" if row["memories_extracted"] else "failed"
            told = {"session": row["id"], "status": status, "attempted_at": at}
            by_space[self.space_of(row["id"], default=default)].append(("keep_extracted", told))
        for space, writes in by_space.items():
            async with self._database.writing(space) as within:
                for query, values in writes:
                    await store.run(within, query, values)

    def imported(self, mended: Counter[str]) -> Imported:
        """The account."""
        return Imported(
            spaces=dict(self._sessions),
            new={table: count for table, count in self.new.items() if count},
            known=self.known,
            mended={what: count for what, count in mended.items() if count},
            passed=dict(self._passed),
            redacted=dict(self.cleaning.redacted),
        )


@asynccontextmanager
async def _to_read(path: Path) -> AsyncGenerator[tuple[Connection, dict[str, set[str]]]]:
    """The file as of one moment, with its tables."""
    with ExitStack() as stack:
        connection = await to_thread.run_sync(stack.enter_context, opened(path, mode="ro"))
        tables = await to_thread.run_sync(check, connection, path)
        connection.execute("begin")
        yield connection, tables


def _next(found: Iterator[Session]) -> Session | None:
    return next(found, None)


def _side(connection: Connection, tables: Mapping[str, set[str]]) -> Mapping[str, list[Row]]:
    """The tables beside the sessions, as far as the file has them."""
    side: dict[str, list[Row]] = {name: [*rows(connection, name)] if name in tables else [] for name in _REST}
    has_state = {"memories_extracted", "extraction_attempted_at"} <= tables["sessions"]
    side["extracted"] = [*rows(connection, "extracted")] if has_state else []
    return side


async def _export(within: Within, writer: Writer) -> None:
    for session in await store.rows(within, "sessions"):
        number = session["session_number"]
        tables = [await store.rows(within, name, session=number) for name in ("messages", "calls", "results")]
        await to_thread.run_sync(writer.session, session, *tables)
    rest = {name: await store.rows(within, name) for name in _REST}
    await to_thread.run_sync(writer.rest, rest)


def _as_stored(row: Row) -> Row:
    return {name: rules.milliseconds(v) if isinstance(v, datetime) else v for name, v in row.items()}
