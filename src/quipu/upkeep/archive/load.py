"""Taking an archive in: all of its records in one transaction, into a space that has nothing yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql

from quipu.errors import BadInput, Conflict
from quipu.kernel.base.lines import TOO_LONG, next_line, open_regular
from quipu.kernel.db.database import SpaceTransaction
from quipu.recall import store as index
from quipu.upkeep.archive import statements
from quipu.upkeep.archive.export import SQL, OnRecords, layouts
from quipu.upkeep.archive.manifest import ArchivedFile, Manifest
from quipu.upkeep.archive.records import Checker, Layout

_MOST_LINES: Final = 2_000
_MOST_BYTES: Final = 4 << 20
_ALL_KINDS: Final = 0b1111111  # a bit for each kind of memory that files before a recall, see core.spaces


@dataclass(frozen=True, slots=True)
class _Batch:
    """Lines of a file, the first of them with this number."""

    first: int
    lines: list[bytes]

    @property
    def array(self) -> str:
        """The lines as one array of JSON."""
        return f"[{b','.join(self.lines).decode()}]"


class Load:
    """One archive, which was unpacked and verified, on its way into a space."""

    def __init__(self, folder: Path, manifest: Manifest, *, progress: OnRecords | None = None) -> None:
        self._folder = folder
        self._manifest = manifest
        self._progress = progress

    async def into(self, tx: SpaceTransaction) -> None:
        """Write every record.

        Raises:
            Conflict: the space has something in it.
            BadInput: a line is no record of this space, by file and line.
        """
        await tx.take_time()
        known = await self.check(tx)
        for of, file in self._in_order(known):
            await self._carry(tx, of, file)
        await _refuse_misplaced(tx)
        await tx.execute(SQL["number_on"])

    async def check(self, tx: SpaceTransaction) -> Sequence[Layout]:
        """Return the tables of records; none has a row of the space yet.

        Raises:
            Conflict: one has.
        """
        known = await layouts(tx)
        for one in known:
            await _refuse_rows(tx, one)
        return known

    def _in_order(self, known: Sequence[Layout]) -> Iterator[tuple[Layout, ArchivedFile]]:
        """Yield the files of records in the order in which they may be written.

        Raises:
            BadInput: a file has a kind or a field that is not known.
        """
        files = {one.kind: one for one in self._manifest.files if one.name.endswith(".ndjson")}
        if unknown := sorted(files.keys() - {one.carried.kind for one in known}):
            raise _newer(f"records of the kind {unknown[0]!r}")
        for of in known:
            if (file := files.get(of.carried.kind)) is None:
                continue
            if strange := sorted(set(file.fields) - set(of.fields)):
                raise _newer(f"{file.name}: the field {strange[0]!r}")
            yield of, file

    async def _carry(self, tx: SpaceTransaction, of: Layout, file: ArchivedFile) -> None:
        path, space = self._folder / file.name, tx.space.id
        checker = Checker(of, file.fields)
        statement = statements.carry_in(of, space, file.fields)
        for batch in _batches(path):
            for number, line in enumerate(batch.lines, start=batch.first):
                if (problem := checker.problem(line)) is not None:
                    raise _bad_line(file.name, number, problem)
            await _run(tx, statement, batch, file.name)
            if self._progress is not None:
                self._progress(len(batch.lines))
        later = statements.carry_later(of, space, file.fields)
        if later is not None:
            for batch in _batches(path):
                await _run(tx, later, batch, file.name)

    async def leave_unindexed(self, tx: SpaceTransaction) -> None:
        """Have the next recalls, and a worker, file what came."""
        generation = await index.first_generation(tx)
        await tx.execute(SQL["open_threads"])
        await tx.execute(SQL["leave_messages_unindexed"])
        await tx.execute(SQL["leave_episodes_unindexed"])
        await tx.execute(
            SQL["leave_space_unindexed"],
            languages=list(self._manifest.languages),
            generation=generation,
            kinds=_ALL_KINDS,
        )


async def _run(tx: SpaceTransaction, statement: sql.Composed, batch: _Batch, name: str) -> None:
    """Run a statement on a batch; where it fails, find the line.

    Raises:
        BadInput: what PostgreSQL does not take, by file and line.
    """
    try:
        async with tx.conn.transaction():
            await tx.conn.execute(statement, {"lines": batch.array})
    except (psycopg.DataError, psycopg.IntegrityError, psycopg.errors.RaiseException) as error:
        for number, line in enumerate(batch.lines, start=batch.first):
            await _run_line(tx, statement, _Batch(number, [line]), name)
        raise _bad_line(name, batch.first, _said(error)) from error


async def _run_line(tx: SpaceTransaction, statement: sql.Composed, line: _Batch, name: str) -> None:
    try:
        async with tx.conn.transaction():
            await tx.conn.execute(statement, {"lines": line.array})
    except psycopg.Error as error:
        raise _bad_line(name, line.first, _said(error)) from error


def _batches(path: Path) -> Iterator[_Batch]:
    """Yield the lines of a file, some thousand or some megabytes at a time."""
    first, lines, size = 1, list[bytes](), 0
    with open_regular(path) as file:
        while (line := next_line(file)) is not None:
            if not line.whole:
                raise _bad_line(path.name, first + len(lines), f"it is {TOO_LONG}")
            lines.append(line.data)
            size += len(line.data)
            if len(lines) >= _MOST_LINES or size >= _MOST_BYTES:
                yield _Batch(first, lines)
                first, lines, size = first + len(lines), [], 0
    if lines:
        yield _Batch(first, lines)


async def _refuse_rows(tx: SpaceTransaction, of: Layout) -> None:
    (row,) = await (await tx.conn.execute(statements.has_rows(of, tx.space.id))).fetchall()
    if row[0]:
        raise Conflict(
            f"The space {tx.space.name!r} has something in it ({of.carried.kind}).",
            field="space",
            hint="An archive is taken in as it is: name a space that is not there yet.",
        )


async def _refuse_misplaced(tx: SpaceTransaction) -> None:
    for (number,) in await tx.rows(SQL["misplaced"]):
        raise BadInput(
            f"messages.ndjson: the message with the id {number} cannot stand in its session.", field="path"
        )


def _bad_line(name: str, number: int, problem: str) -> BadInput:
    return BadInput(f"{name}, line {number}: {problem}.", field="path", hint="Nothing was taken in.")


def _said(error: psycopg.Error) -> str:
    return (error.diag.message_primary or str(error)).rstrip(".")


def _newer(what: str) -> BadInput:
    return BadInput(
        f"The archive has {what}, which is not known here.",
        field="path",
        hint="A newer Quipu wrote it: install that, and take it in again. Nothing was taken in.",
    )
