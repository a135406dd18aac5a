"""Putting a dump in the place of what a schema holds, in one transaction of its writer.

No statement of a dump ever runs with other rights than those of the agent whose schema it is. Rows come
first, then what was forgotten is taken out again, then references, triggers and rules, so that none of these
sees it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, LiteralString, cast
from uuid import uuid4

from psycopg import AsyncRawCursor, sql

from quipu.errors import BadInput
from quipu.kernel.db.database import Connection
from quipu.upkeep.snapshots.forms import REGISTRY, Order, order, renamed
from quipu.upkeep.snapshots.model import Sum, Target
from quipu.upkeep.snapshots.reader import Dump, Statement
from quipu.upkeep.snapshots.references import Reference, reference
from quipu.upkeep.snapshots.sums import sums
from quipu.upkeep.snapshots.templates import fill

BytesRead = Callable[[int], None]
"""Called with so many bytes of the file that were read since the last call."""

_CHUNK_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A dump to be loaded: the file, and the schema that it is of.

    ``code``: functions, triggers, rules and policies may be in it; ``sums``: what must come out.
    """

    path: Path
    schema_name: str
    code: bool
    sums: Mapping[str, Sum] | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What must not come back: hashes of names in a space, made with a key (``erasure/chain.py``)."""

    space: str
    hashes: Sequence[str]
    key: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What the load needs from outside of its transaction.

    ``tables``: names of those there are. ``ready`` is called once nobody can change them. ``drops``:
    statements that drop all that is there.
    """

    tables: Callable[[], Awaitable[Sequence[str]]]
    ready: Callable[[], Awaitable[None]]
    drops: Callable[[], Awaitable[Sequence[LiteralString]]]


@dataclass(slots=True)
class _Kept:
    """What is put off until all rows are there."""

    tables: list[str] = field(default_factory=list[str])
    made: list[str] = field(default_factory=list[str])
    references: list[Statement] = field(default_factory=list[Statement])
    later: list[Statement] = field(default_factory=list[Statement])


class Loading:
    """The work of one load, on a connection of the writer that is in a transaction."""

    def __init__(
        self, conn: Connection, target: Target, source: Source, *, progress: BytesRead | None = None
    ) -> None:
        self._conn = conn
        self._target = target
        self._source = source
        self._progress = progress
        self._kept = _Kept()

    async def replace(
        self, around: Around, forgotten: Forgotten, *, seconds: float
    ) -> tuple[dict[str, int], int]:
        """Rows by table as they are then, and how many of the dump were left out as forgotten.

        Raises:
            BadInput: the dump is none that may be loaded, or not what its sums say.
            psycopg.Error: PostgreSQL refused something of it.
        """
        for name in ("wait", "unbodied", "bare"):
            await self._conn.execute(fill(name))
        await self._conn.execute(fill("limit", milliseconds=sql.Literal(int(seconds * 1000))))
        await self._hold(await around.tables())
        await around.ready()
        await self._clear(await around.drops())
        await self._read()
        tables = self._kept.tables or self._kept.made
        found = await sums(self._conn, self._target, tables)
        self._check(found)
        erased = await self._forget(tables, forgotten)
        for statement in (*self._kept.references, *self._kept.later):
            await self._run(statement)
        if erased:
            found = await sums(self._conn, self._target, tables)
        return {name: one.rows for name, one in found.items()}, erased

    async def _hold(self, tables: Sequence[str]) -> None:
        """Nobody changes structure or rows any more until the end; everybody may read."""
        await self._conn.execute(fill("hold", registry=self._name(REGISTRY)))
        for table in tables:
            await self._conn.execute(fill("hold_rows", table=self._name(table)))

    async def _clear(self, drops: Sequence[LiteralString]) -> None:
        for drop in drops:
            await self._conn.execute(sql.SQL(drop))
        cursor = AsyncRawCursor(self._conn)
        await cursor.execute(fill("clear_registry", registry=self._name(REGISTRY)), [f"{uuid4()} "])

    async def _read(self) -> None:
        target, source = self._target, self._source
        with source.path.open("rb") as file:
            dump = Dump(file)
            told = 0
            for read in dump.statements():
                statement = renamed(read, source.schema_name, target.schema_name)
                await self._do(statement, dump)
                told = self._tell(dump, told)
            self._tell(dump, told)

    def _tell(self, dump: Dump, told: int) -> int:
        if self._progress is not None and dump.bytes > told:
            self._progress(dump.bytes - told)
        return dump.bytes

    async def _do(self, statement: Statement, dump: Dump) -> None:
        given = order(
            statement, self._target.schema_name, protected=self._target.protected, code=self._source.code
        )
        match given.step:
            case "skip":
                pass
            case "run":
                if statement.lower(0) == "create" and "table" in (statement.lower(1), statement.lower(2)):
                    self._kept.made.append(given.relation)
                await self._run(statement)
            case "rows":
                await self._copy(given, dump)
            case "reference":
                self._kept.references.append(statement)
            case "later":
                self._kept.later.append(statement)

    async def _run(self, statement: Statement) -> None:
        # Asked for in binary, it goes out in the extended protocol, which takes one statement and no more.
        text = sql.SQL(cast(LiteralString, statement.text))
        await AsyncRawCursor(self._conn).execute(text, binary=True)

    async def _copy(self, given: Order, dump: Dump) -> None:
        table = self._name(given.relation)
        columns = sql.SQL(", ").join(map(sql.Identifier, given.columns))
        copy = (
            fill("rows", table=table, columns=columns)
            if given.columns
            else fill("rows_of_nothing", table=table)
        )
        async with self._conn.cursor().copy(copy) as into:
            chunk = bytearray()
            for line in dump.rows():
                chunk += line
                if len(chunk) >= _CHUNK_BYTES:
                    await into.write(bytes(chunk))
                    chunk.clear()
            await into.write(bytes(chunk))
        if given.relation != REGISTRY:
            self._kept.tables.append(given.relation)

    def _check(self, found: Mapping[str, Sum]) -> None:
        expected = self._source.sums
        if expected is not None and dict(found) != dict(expected):
            wrong = sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))
            raise BadInput(
                f"{', '.join(wrong)} did not come out as the manifest says.",
                field="snapshot",
                hint="Nothing was changed. Restore an older snapshot.",
            )

    async def _forget(self, tables: Sequence[str], forgotten: Forgotten) -> int:
        if not forgotten.hashes:
            return 0
        cursor = AsyncRawCursor(self._conn)
        erased = 0
        for table in tables:
            values = [forgotten.space, list(forgotten.hashes), forgotten.key]
            await cursor.execute(fill("erase", table=self._name(table)), values)
            erased += max(cursor.rowcount, 0)
        references = [found for one in self._kept.references if (found := reference(one)) is not None]
        more = erased
        while more:  # rows that refer to what went, and those that refer to these
            more = sum([await self._drop_orphans(one) for one in references])
            erased += more
        return erased

    async def _drop_orphans(self, one: Reference) -> int:
        pairs = list(zip(one.columns, one.other_columns, strict=True))
        together = sql.SQL(" and ")
        statement = fill(
            "drop_orphans",
            table=self._name(one.table),
            other=self._name(one.other),
            set=together.join(fill("is_set", column=sql.Identifier(column)) for column in one.columns),
            same=together.join(
                fill("same", column=sql.Identifier(column), other=sql.Identifier(other))
                for column, other in pairs
            ),
        )
        cursor = await self._conn.execute(statement)
        return max(cursor.rowcount, 0)

    def _name(self, relation: str) -> sql.Identifier:
        return sql.Identifier(self._target.schema_name, relation)
