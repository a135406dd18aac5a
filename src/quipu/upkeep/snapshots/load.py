"""Loading a dump in the place of what a schema holds, in one transaction of its writer.

Every statement of a dump runs with the rights of the agent whose schema it is, and no others. Rows come
first, then what was forgotten is deleted from them, then come references, triggers and rules, so that none of
these sees it. A dump can also be checked without a database.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, LiteralString, cast
from uuid import uuid4

from psycopg import AsyncRawCursor, sql

from quipu.errors import BadInput
from quipu.kernel.base.lines import open_regular
from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection
from quipu.upkeep.snapshots.forms import REGISTRY, Order, Reference, order, reference, renamed, schema_of
from quipu.upkeep.snapshots.model import Ground, Sum, Target
from quipu.upkeep.snapshots.reader import Dump, Statement
from quipu.upkeep.snapshots.rights import (
    STAYS,
    Granted,
    Kept,
    Right,
    RightChange,
    changes,
    for_those,
    going,
    moved,
    noted,
    policy_of,
)

BytesRead = Callable[[int], None]
"""Called with the number of bytes read since the last call."""

_CHUNK_BYTES: Final = 65_536

fill = queries.load("quipu.upkeep.snapshots", folder="templates").fill
"""Fills in a statement about tables whose names are known only when it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpSource:
    """A dump to be loaded: the file, and the schema that it is of.

    ``code``: it may hold functions, triggers, rules and policies. ``sums`` are what its tables must come to.
    ``rights`` are given on its objects; with None they stay as PostgreSQL gives them. A dump from another
    place brings its own.
    """

    path: Path
    schema_name: str
    code: bool
    sums: Mapping[str, Sum] | None = None
    rights: Kept | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Names that must not come back: hashes of names in a space, made with a key (``erasure/chain.py``)."""

    space: str
    hashes: Sequence[str]
    key: bytes = b""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Rows by table as they are then, how many were left out as forgotten, and rights that were not given."""

    rows: Mapping[str, int]
    erased: int
    lost: tuple[str, ...]


@dataclass(slots=True)
class _Later:
    """Statements that are put off until all rows are there."""

    tables: list[str] = field(default_factory=list[str])
    made: list[str] = field(default_factory=list[str])
    references: list[Statement] = field(default_factory=list[Statement])
    others: list[Statement] = field(default_factory=list[Statement])
    notes: Sequence[tuple[int, bytes]] = ()


class Load:
    """One load, on a connection of the writer that is in a transaction."""

    def __init__(
        self, conn: Connection, target: Target, source: DumpSource, *, progress: BytesRead | None = None
    ) -> None:
        self._conn = conn
        self._target = target
        self._source = source
        self._progress = progress
        self._reported = 0
        self._later = _Later()

    async def replace(
        self, ground: Ground, forgotten: Forgotten, *, ready: Callable[[], Awaitable[None]], seconds: float
    ) -> Loaded:
        """Replace the content of the schema by the dump. ``ready`` is called once its tables are locked.

        Raises:
            BadInput: the dump is none that may be loaded, or not what its sums say.
            psycopg.Error: PostgreSQL refused something of it.
        """
        for name in ("wait", "unbodied", "bare"):
            await self._conn.execute(fill(name))
        await self._conn.execute(fill("limit", milliseconds=sql.Literal(int(seconds * 1000))))
        await self._hold(await ground.tables_now(self._target))
        await ready()
        rights = await ground.rights(self._conn, self._target)
        gone = going([one for one in rights if one.key not in STAYS])
        await self._clear(await ground.drops(self._target))
        has_rights = self._source.rights is not None or not self._source.code
        if has_rights:  # default privileges for new tables are not for those of the dump
            await self._give(changes(await ground.rights(self._conn, self._target), {}))
        await self._read()
        tables = self._later.tables or self._later.made
        totals = await sums(self._conn, self._target, tables)
        self._check(totals)
        erased = await self._forget(tables, forgotten)
        for statement in (*self._later.references, *self._later.others):
            if (possible := self._for_those(statement)) is not None:
                await self._run(possible)
        if erased:
            totals = await sums(self._conn, self._target, tables)
        lost = await self._give_back(await ground.rights(self._conn, self._target)) if has_rights else ()
        return Loaded({name: one.rows for name, one in totals.items()}, erased, (*lost, *gone))

    def _for_those(self, statement: Statement) -> Statement | None:
        """Return the statement, of a policy for the roles that exist; None if there are none."""
        wanted = self._source.rights or {}
        key = policy_of(statement)
        if key is None or key not in wanted:
            return statement
        roles = [self._role(one).as_string(self._conn) for one in wanted[key]]
        return for_those(statement, sorted(roles)) if roles else None

    def _role(self, right: Right) -> sql.Composable:
        named = {"public": sql.SQL("public"), "writer": sql.SQL("current_user")}
        return named.get(right.who, sql.Identifier(right.role or self._target.reader))

    async def _give_back(self, granted: Sequence[Granted]) -> tuple[str, ...]:
        """Give the rights of the dump; return those of another place that are lost."""
        wanted, lost = self._source.rights, ()
        if wanted is None:
            wanted, lost = moved(noted(self._later.notes), granted)
        await self._give(changes(granted, wanted))
        return lost

    async def _give(self, changed: Iterable[RightChange]) -> None:
        for one in changed:
            right = one.right
            column = one.of.key[1][1:] if one.of.key[0] == "column" else ()
            statement = fill(
                one.act,
                ahead=_written(one.of.ahead),
                called=_written(one.of.called),
                right=_written(right.privilege),
                columns=fill("of_column", column=sql.Identifier(*column)) if column else sql.SQL(""),
                role=self._role(right),
                option=sql.SQL(" with grant option" if right.passed_on else ""),
            )
            await self._conn.execute(statement)

    async def _hold(self, tables: Sequence[str]) -> None:
        """Lock structure and rows until the end; everybody may read."""
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
            for read in dump.statements():
                statement = renamed(read, source.schema_name, target.schema_name)
                await self._do(statement, dump)
                self._report(dump)
            self._report(dump)
            self._later.notes = dump.notes

    def _report(self, dump: Dump) -> None:
        if self._progress is not None and dump.bytes > self._reported:
            self._progress(dump.bytes - self._reported)
        self._reported = dump.bytes

    async def _do(self, statement: Statement, dump: Dump) -> None:
        decided = order(
            statement, self._target.schema_name, protected=self._target.protected, code=self._source.code
        )
        match decided.step:
            case "skip":
                pass
            case "run":
                if statement.lower(0) == "create" and "table" in (statement.lower(1), statement.lower(2)):
                    self._later.made.append(decided.relation)
                await self._run(statement)
            case "rows":
                await self._copy(decided, dump)
            case "reference":
                self._later.references.append(statement)
            case "later":
                self._later.others.append(statement)

    async def _run(self, statement: Statement) -> None:
        # Asked for in binary, it goes out in the extended protocol, which takes one statement and no more.
        await AsyncRawCursor(self._conn).execute(_written(statement.text), binary=True)

    async def _copy(self, rows: Order, dump: Dump) -> None:
        table = self._name(rows.relation)
        columns = sql.SQL(", ").join(map(sql.Identifier, rows.columns))
        copy = fill("rows" if rows.columns else "rows_of_nothing", table=table, columns=columns)
        async with self._conn.cursor().copy(copy) as into:
            chunk = bytearray()
            for line in dump.rows():
                chunk += line
                if len(chunk) >= _CHUNK_BYTES:
                    await into.write(bytes(chunk))
                    chunk.clear()
            await into.write(bytes(chunk))
        if rows.relation != REGISTRY:
            self._later.tables.append(rows.relation)

    def _check(self, totals: Mapping[str, Sum]) -> None:
        expected = self._source.sums
        if expected is not None and dict(totals) != dict(expected):
            wrong = sorted(name for name in {*totals, *expected} if totals.get(name) != expected.get(name))
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
        references = [read for one in self._later.references if (read := reference(one)) is not None]
        more = erased
        while more:  # rows that refer to what went, and those that refer to these
            more = sum([await self._drop_orphans(one) for one in references])
            erased += more
        return erased

    async def _drop_orphans(self, one: Reference) -> int:
        together = sql.SQL(" and ")
        statement = fill(
            "drop_orphans",
            table=self._name(one.table),
            other=self._name(one.other),
            set=together.join(fill("is_set", column=sql.Identifier(column)) for column in one.columns),
            same=together.join(
                fill("same", column=sql.Identifier(column), other=sql.Identifier(other))
                for column, other in zip(one.columns, one.other_columns, strict=True)
            ),
        )
        cursor = await self._conn.execute(statement)
        return max(cursor.rowcount, 0)

    def _name(self, relation: str) -> sql.Identifier:
        return sql.Identifier(self._target.schema_name, relation)


async def sums(conn: Connection, target: Target, tables: Iterable[str]) -> dict[str, Sum]:
    """Return counts and checksums of tables, by name. The order of rows and dropped columns do not matter."""
    by_table: dict[str, Sum] = {}
    for table in tables:
        (by_table[table],) = await conn.fetch(
            Sum, fill("sum", table=sql.Identifier(target.schema_name, table))
        )
    return by_table


def _written(text: str) -> sql.SQL:
    """Return the statements of PostgreSQL itself or of a dump, for the connection of the writer."""
    return sql.SQL(cast(LiteralString, text))


def look_through(path: Path, schema_name: str, *, protected: Collection[str], code: bool) -> dict[str, int]:
    """Return rows by table, if each statement is one that may be loaded.

    ``code`` and ``protected`` as in `order`.

    Raises:
        BadInput: a statement may not be loaded; names its line.
    """
    rows: dict[str, int] = {}
    with path.open("rb") as file:
        dump = Dump(file)
        for statement in dump.statements():
            given = order(statement, schema_name, protected=protected, code=code)
            if given.step == "rows":
                rows[given.relation] = sum(line.endswith(b"\n") for line in dump.rows())
        noted(dump.notes)
    rows.pop(REGISTRY, None)
    return rows


def schema_named(path: Path) -> str:
    """Return the name of the schema that a dump is of.

    Raises:
        BadInput: the file cannot be read, or is no dump of one schema.
    """
    try:
        with open_regular(path) as file:
            return schema_of(Dump(file).statements())
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.", field="path") from error
