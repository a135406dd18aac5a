"""Synchronisation with recorded sessions: find the files, read what is new in them, and store it."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from anyio import create_memory_object_stream, create_task_group, to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from psycopg.errors import DeadlockDetected, UniqueViolation

from quipu.errors import DatabaseError
from quipu.kernel.base.clock import Clock
from quipu.kernel.db.arrays import Texts
from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.formats import places
from quipu.kinds.transcripts.formats.chunks import AGAIN, START, Mark
from quipu.kinds.transcripts.formats.places import Sources, Transcript
from quipu.kinds.transcripts.sync.model import Pending, SyncReport, Tally, Trouble
from quipu.kinds.transcripts.sync.pieces import Batch, batches
from quipu.kinds.transcripts.sync.side_files import SideFiles
from quipu.kinds.transcripts.sync.store import SQL, BatchWrite
from quipu.kinds.transcripts.sync.withheld import Forgotten, pass_over, writing
from quipu.record.model import Progress
from quipu.upkeep.erasure import tombstones

_TRIES = 6


@dataclass(frozen=True, slots=True)
class _KnownFile:
    """A file that was read before: how far, and its state then."""

    path: str
    size_bytes: int
    offset_bytes: int
    prefix_sha256: bytes
    modified_at: datetime


@dataclass(slots=True)
class _Run:
    """One sync: what was found, which of it has something new by space, and the report in the making."""

    sources: Sources
    files: Mapping[str, Sequence[Transcript]]
    marks: Mapping[str, Mapping[str, Mark]]
    began: datetime | None
    tallies: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    troubles: list[Trouble] = field(default_factory=list[Trouble])


class TranscriptSync:
    """Takes in recorded sessions, each file from where it was read to the last time."""

    def __init__(self, database: Database, *, clock: Clock, redact: bool) -> None:
        self._database = database
        self._clock = clock
        self._redact = redact
        self._projects: dict[Path, str] = {}

    async def sync(
        self,
        roots: Sequence[Path] | None,
        *,
        space: str | None,
        progress: Progress | None,
        erased_too: bool = False,
    ) -> SyncReport:
        """Take in what is new; a transaction for every few megabytes, with how far files are read."""
        started = time.perf_counter()
        began = None if erased_too else await tombstones.clock(self._database)
        run = await self._look(roots, space, began)
        for name, files in run.files.items():
            await self._space(run, name, files, progress)
        beside = SideFiles(self._database, clock=self._clock, redact=self._redact, space=space, began=began)
        run.troubles += await beside.take(run.sources, run.tallies, self._projects)
        for name in run.tallies:
            with suppress(Forgotten):
                async with writing(self._database, name, began=began) as tx:
                    await tx.execute(SQL["attach_summaries"])
                    await tx.execute(SQL["attach_agents"])
        reports = {name: tally.report() for name, tally in sorted(run.tallies.items())}
        return SyncReport(reports, tuple(run.troubles), time.perf_counter() - started)

    async def pending(self, roots: Sequence[Path] | None, *, space: str | None) -> Mapping[str, Pending]:
        """Return the work of a sync by space; it reads only where sessions were started."""
        run = await self._look(roots, space, await tombstones.clock(self._database))
        by_name: dict[str, Pending] = {}
        for name, files in run.files.items():
            marks = run.marks.get(name, {})
            read = (marks.get(str(file.path), START).offset_bytes for file in files)
            left = sum(max(0, file.size_bytes - done) for file, done in zip(files, read, strict=True))
            by_name[name] = Pending(len(files), left)
        return by_name

    async def _look(self, roots: Sequence[Path] | None, space: str | None, began: datetime | None) -> _Run:
        """Find the files with something new; if erased messages are taken too, every file is read again."""
        sources = await to_thread.run_sync(places.find, places.default_roots() if roots is None else roots)
        troubles = [Trouble(path, reason) for path, reason in sources.troubles]
        groups, unread = await to_thread.run_sync(self._groups, sources.transcripts, space)
        marks: dict[str, Mapping[str, Mark]] = {}
        changed: dict[str, list[Transcript]] = {}
        for name, files in sorted(groups.items()):
            if began is None:
                changed[name], marks[name] = files, {str(file.path): AGAIN for file in files}
                continue
            known = await self._known(name, files)
            marks[name] = {path: Mark(one.offset_bytes, one.prefix_sha256) for path, one in known.items()}
            if new := [file for file in files if not _is_as_before(file, known.get(str(file.path)))]:
                changed[name] = new
        return _Run(sources, changed, marks, began, troubles=[*troubles, *unread])

    def _groups(
        self, files: Sequence[Transcript], space: str | None
    ) -> tuple[dict[str, list[Transcript]], list[Trouble]]:
        """Group the files by space: that of the project where the session was started."""
        groups: defaultdict[str, list[Transcript]] = defaultdict(list)
        troubles: list[Trouble] = []
        for file in files:
            try:
                groups[space or self._project(file.path)].append(file)
            except OSError as failed:
                troubles.append(Trouble(str(file.path), f"it cannot be read: {failed.strerror or failed}."))
        return dict(groups), troubles

    def _project(self, path: Path) -> str:
        home = places.home_of(path)
        folder = home.parent.name
        if self._projects.get(home, folder) == folder:  # it did not say so, but may do now
            if home.stat().st_size == 0:
                return folder
            self._projects[home] = places.project(home)
        return self._projects[home]

    async def _known(self, space: str, files: Sequence[Transcript]) -> Mapping[str, _KnownFile]:
        paths = Texts([str(file.path) for file in files])
        async with self._database.snapshot_read(space) as tx:
            known = [] if tx is None else await tx.fetch(_KnownFile, SQL["marks"], paths=paths)
        return {one.path: one for one in known}

    async def _space(
        self, run: _Run, space: str, files: Sequence[Transcript], progress: Progress | None
    ) -> None:
        """Read the next batches in a thread while the one before is being stored."""
        left = batches(
            files,
            run.marks.get(space, {}),
            now=self._clock.now(),
            secrets=self._redact,
            marks=await self._database.marks(space),
        )
        send, receive = create_memory_object_stream[Batch](2)
        try:
            async with create_task_group() as tasks:
                tasks.start_soon(_feed, left, send)
                await self._drain(receive, run, space, progress)
        except BaseExceptionGroup as group:  # one failure: of the input or the database
            raise group.exceptions[0] from group

    async def _drain(
        self, receive: MemoryObjectReceiveStream[Batch], run: _Run, space: str, progress: Progress | None
    ) -> None:
        async with receive:
            async for batch in receive:
                if batch.pieces:
                    await self._write(batch, run, space)
                run.troubles += batch.troubles
                if progress is not None:
                    progress(batch.bytes)

    async def _write(self, batch: Batch, run: _Run, space: str) -> None:
        """Write a batch, again where somebody was faster; not where the whole space was forgotten."""
        for tries_left in reversed(range(_TRIES)):
            try:
                write = BatchWrite(batch, space=space, began=run.began)
                async with self._database.write(space, ask=write.ask) as tx:
                    written = await write.write(tx, now=self._clock.now())
                written.count(batch, run.tallies[space])
                return
            except Forgotten:
                lines = await pass_over(self._database, batch, space, now=self._clock.now())
                run.tallies[space].counts.update(bytes=batch.bytes, withheld=lines)
                return
            except DatabaseError as error:
                if not tries_left or not isinstance(error.__cause__, UniqueViolation | DeadlockDetected):
                    raise


async def _feed(left: Iterator[Batch], send: MemoryObjectSendStream[Batch]) -> None:
    async with send:
        while (batch := await to_thread.run_sync(next, left, None)) is not None:
            await send.send(batch)


def _is_as_before(file: Transcript, known: _KnownFile | None) -> bool:
    if known is None:
        return file.size_bytes == 0  # of which nothing is noted
    return (file.size_bytes, file.modified_at) == (known.size_bytes, known.modified_at)
