"""Names of a person in the tables of agents: find them and take them out.

Everything runs on the login of the schema's own writer, like all access to what an agent made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

import psycopg
from psycopg import sql

from quipu.kernel.db.database import Connection, Database
from quipu.kernel.db.errors import translate
from quipu.kinds.tables.embedding.follow import Follower
from quipu.kinds.tables.logins import Logins
from quipu.kinds.tables.snapshot_source import SnapshotSource
from quipu.kinds.tables.store import SQL
from quipu.recall.generations import Models
from quipu.upkeep.erasure.everywhere import EVERYWHERE, Column, counting, equal, fill, redacting
from quipu.upkeep.erasure.model import Left
from quipu.upkeep.erasure.names import MARK, pattern, whole
from quipu.upkeep.snapshots.model import Target

SECONDS: Final = 600.0


@dataclass(frozen=True, slots=True)
class _Table:
    name: str
    columns: Sequence[Column]
    changeable: Sequence[Column]


@dataclass(slots=True)
class Removal:
    """Findings and removals: rows by table."""

    left: list[Left] = field(default_factory=list[Left])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    touched: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


class PersonNames:
    """Looks for names in the tables of agents of a space."""

    def __init__(self, database: Database, models: Models, logins: Logins) -> None:
        self._database = database
        self._models = models
        self._logins = logins
        self._grounds = SnapshotSource(database, models, logins)

    async def search(self, space: str, form: str) -> list[Left]:
        """Find values that match a form (a regular expression), by column."""
        left: list[Left] = []
        for target in await self._grounds.every(space):
            tables = await self._tables(target)
            left += await self._grounds.look(
                target, lambda conn, t=target, all_=tables: _left(conn, t, all_, form)
            )
        return left

    async def take_out(self, space: str, names: Sequence[str], *, trial: bool) -> Removal:
        """Delete rows that have a name as a value; elsewhere put a mark in its place. A trial is undone.

        What a table refuses to change stays, and is reported as left.
        """
        seen = Removal()
        for target in await self._grounds.every(space):
            tables = await self._tables(target)

            async def work(
                conn: Connection, target: Target = target, tables: Sequence[_Table] = tables
            ) -> list[Left]:
                for table in tables:
                    await _take_out(conn, target, table, names, seen)
                return await _left(conn, target, tables, pattern(names))

            seen.left += await self._grounds.change(target, work, seconds=SECONDS, trial=trial)
            if not trial:
                await self._follow(target)
        return seen

    async def _follow(self, target: Target) -> None:
        """Have the index follow to the end: what was taken out is not to be found."""
        following = Follower(self._database, self._models, self._logins)
        await following.advance(target.space, await self._grounds.schema(target), seconds=None)

    async def _tables(self, target: Target) -> list[_Table]:
        async with self._database.transaction(target.space) as tx:
            rows = [] if tx is None else await tx.rows(SQL["nameable"], schema=target.number)
        tables: list[_Table] = []
        for name, group in groupby(rows, key=lambda row: str(row[0])):
            if name in target.protected:
                continue
            columns = [(Column(column, type_), changeable) for _, column, type_, changeable in group]
            tables.append(_Table(name, [one for one, _ in columns], [one for one, can in columns if can]))
        return tables


async def _left(conn: Connection, target: Target, tables: Sequence[_Table], form: str) -> list[Left]:
    left: list[Left] = []
    for table in tables:
        query = counting("count", _name(target, table), table.columns, form)
        try:
            async with conn.transaction():
                row = await (await conn.execute(query)).fetchone()
        except psycopg.Error as error:
            place = f"{target.schema}.{table.name}"
            left.append(Left(place, 0, f"it could not be looked through: {_told(target, error)}"))
            continue
        for column, count in zip(table.columns, row or (), strict=True):
            if count:
                left.append(Left(f"{target.schema}.{table.name}.{column.name}", count, EVERYWHERE))
    return left


async def _take_out(
    conn: Connection, target: Target, table: _Table, names: Sequence[str], seen: Removal
) -> None:
    place, name = _name(target, table), f"{target.schema}.{table.name}"
    try:
        async with conn.transaction():
            dropped = await conn.execute(fill("drop", table=place, held=equal(table.columns, whole(names))))
            changed = 0
            if table.changeable:
                query = redacting("redact", place, table.changeable, pattern(names), MARK)
                changed = (await conn.execute(query)).rowcount
    except psycopg.Error as error:
        seen.left.append(Left(name, 0, f"the table refused to change: {_told(target, error)}"))
        return
    for what, count in ((name, dropped.rowcount), (f"{name} (words)", changed)):
        if count > 0:
            seen.counts[what] = count
            seen.touched.append((target.schema_name, table.name))


def _name(target: Target, table: _Table) -> sql.Identifier:
    return sql.Identifier(target.schema_name, table.name)


def _told(target: Target, error: psycopg.Error) -> str:
    return target.names.in_message(translate(error).message)
