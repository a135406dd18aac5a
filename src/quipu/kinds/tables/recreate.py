"""Recreating a table with another definition: rows, vectors, registry, indexes and references come along.

The four steps of the seed (new table, migrate, update embeddings, drop the old one) in one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Final, cast

import psycopg
from psycopg import sql

from quipu.errors import BadInput
from quipu.kernel.db.database import Connection
from quipu.kinds.tables import catalogue, sequences
from quipu.kinds.tables.access import SchemaPlace
from quipu.kinds.tables.catalogue import ShapeQuery
from quipu.kinds.tables.ddl import descriptions_of, fields_of, made, register, statement_of
from quipu.kinds.tables.engine import Engine, Undone, settled
from quipu.kinds.tables.exchange import exchange, run
from quipu.kinds.tables.introspection import VIEWS, Part, TableStructure, differences, own_structure
from quipu.kinds.tables.losses import outdated, own_state, refuse_losses
from quipu.kinds.tables.model import StoredSchema, Table
from quipu.kinds.tables.names import nearest
from quipu.kinds.tables.refusals import Request
from quipu.kinds.tables.templates import as_written, fill
from quipu.kinds.tables.values import parsed

_TIMES: Final = 10  # so much longer than one statement may it take
_OLD: Final = "__before"
MOST_TRIED: Final = 100_000  # rows that a trial carries over
_TUNED: Final = ("storage of column", "compression of column", "statistics of column", "options of column")
_OF_COLUMN: Final = ("comment of column", "right to column", *_TUNED)
_RENAMED: Final = {"constraint": "rename_constraint", "index": "rename_index", "sequence": "rename_sequence"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recreated:
    """Outcome, or where it is ``undone`` preview: the steps in their order, and what differs.

    ``diff``: lines that begin with ``+``, ``-`` or ``~`` and name a column, a constraint or a setting of the
    table, with the definition before and after. ``rows`` are carried over; a trial carries the first
    ``tried`` of them, at most 100,000, and undoes that. ``lost`` names what cannot come along.
    """

    table: str
    steps: Sequence[str]
    diff: Sequence[str]
    lost: Sequence[str]
    rows: int
    tried: int = 0
    embedded: int = 0
    undone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """Order to recreate a table."""

    schema: StoredSchema
    table: str
    statement: str
    mapping: Mapping[str, str]
    fields: Sequence[str] | None
    about: str | None
    told: Mapping[str, str]
    confirm: bool | Recreated
    listed: Table

    def name(self, table: str) -> sql.Identifier:
        """Return a table of the schema."""
        return sql.Identifier(self.schema.schema_name, table)


async def recreate(
    engine: Engine,
    place: SchemaPlace,
    table: object,
    statement: object,
    *,
    mapping: object,
    embed_fields: object,
    description: object,
    column_descriptions: object,
    confirm: bool | Recreated,
) -> Recreated:
    """Recreate the table, or without ``confirm`` try it and undo it; refuse what was not confirmed."""
    text = engine.clean_statement(statement_of(statement))
    looked = ShapeQuery(place.schema, table)
    async with engine.access.entered(place, "admin", ask=looked.ask) as (tx, schema):
        shape = await looked.shape(tx, schema)
        name = shape.name
        if shape.protected or not shape.is_table:
            raise BadInput(f"{name} is no table of yours.", field="table")
        order = _Order(
            schema=schema,
            table=name,
            statement=text,
            mapping=_mapping(mapping, list(shape.types)),
            fields=None if embed_fields is None else fields_of(embed_fields),
            about=engine.clean(description) if isinstance(description, str) and description.strip() else None,
            told={k: engine.clean(v) for k, v in descriptions_of(column_descriptions).items()},
            confirm=confirm,
            listed=(await catalogue.listing(tx, schema, table=name)).tables[0],
        )
    limit = _TIMES * engine.seconds
    request = Request(schema=schema, field="sql", seconds=limit, statement=text, columns=list(shape.types))
    done = await engine.run(
        place.space, request, "writer", lambda conn: _all_of_it(conn, order, seconds=limit)
    )
    embedded = 0 if done.undone else await engine.followed(place.space, schema)
    return replace(done, embedded=embedded)


async def _all_of_it(conn: Connection, order: _Order, *, seconds: float) -> Recreated:
    done: Recreated | None = None
    async with settled(conn):
        limited = sql.SQL("set local statement_timeout = {}").format(str(int(seconds * 1000)))
        await conn.execute(limited)
        done = await _Work(conn, order).do()
        if done.undone:
            raise Undone
        plan = order.confirm
        if isinstance(plan, Recreated) and (done.diff, done.lost) != (plan.diff, plan.lost):
            raise outdated()
    assert done is not None
    return done


class _Work:
    """The steps, within a transaction of the writer."""

    def __init__(self, conn: Connection, order: _Order) -> None:
        self._conn = conn
        self._order = order
        self._steps: list[str] = []
        self._lost: list[str] = []
        self._failed: list[Part] = []
        self._old = _OLD
        self._unchecked: list[Part] = []

    async def do(self) -> Recreated:
        """Run all steps."""
        order = self._order
        names = order.schema.names
        given = await own_structure(self._conn, order.table)
        if given.hindrances:
            raise BadInput(
                f"{order.table} cannot be recreated: {names.in_message('; '.join(given.hindrances))}.",
                field="table",
                hint="Drop what depends on it, or make another table and INSERT … SELECT into it.",
            )
        self._old = await self._free_name()
        called = await self._rename_columns(given)
        before = await own_structure(self._conn, order.table)
        await self._set_aside(before)
        recreated = await self._make()
        self._steps.append(f"make {order.table} as given")
        sources = {new: order.mapping.get(new, new) for new in recreated.columns}
        copied = {
            new: called[old]
            for new, old in sources.items()
            if old in called and new not in recreated.computed
        }
        rows, tried = await self._carry(copied, recreated)
        await self._drop_old(before)
        await self._bring_along(before, recreated, checked=rows == tried)
        await self._register({old: new for old, new in called.items() if new in recreated.columns})
        after = await own_structure(self._conn, order.table)
        after = TableStructure([*after.parts, *self._unchecked])
        self._note_lost(before, after)
        return Recreated(
            table=order.table,
            undone=order.confirm is False,
            steps=tuple(map(names.in_message, self._steps)),
            diff=differences(given, after, called, names),
            lost=tuple(map(names.in_message, self._lost)),
            rows=rows,
            tried=tried if order.confirm is False else 0,
        )

    async def _free_name(self) -> str:
        """Return a name for the old table meanwhile, with room for a number behind it."""
        for number in count():
            ending = f"{_OLD}{number or ''}"
            name = f"{self._order.table[: 58 - len(ending)]}{ending}"
            if not (await run(self._conn, fill("is_taken"), [name])).rows[0]["found"]:
                return name
        raise AssertionError

    async def _rename_columns(self, given: TableStructure) -> dict[str, str]:
        """Give columns the names that they have in the new definition, so that what hangs on them follows.

        Returns what each column is called now.
        """
        order = self._order
        async with self._conn.transaction(force_rollback=True):
            await self._set_aside(given)
            wanted = await self._make()
        self._steps.clear()
        for new in order.mapping:
            if new not in wanted.columns:
                said = f"the new table has no column {new!r}."
                raise BadInput(said, field="mapping", hint=nearest(new, list(wanted.columns)))
        called = {old: self._called(old, wanted) for old in given.columns}
        moved = {old: new for old, new in called.items() if old != new}
        for place, old in enumerate(moved):
            await self._rename_column(old, f"{_OLD}_{place}")
        for place, new in enumerate(moved.values()):
            await self._rename_column(f"{_OLD}_{place}", new)
        return called

    def _called(self, old: str, wanted: TableStructure) -> str:
        """Return the new name of a column: the old one, where the new table has it too."""
        mapping = self._order.mapping
        if old not in mapping and old in wanted.columns:
            return old
        named = [new for new, taken in mapping.items() if taken == old]
        if old in named or (not named and old not in mapping):
            return old
        return named[0] if named else f"{old[:50]}{_OLD}"  # another one takes its name, and it goes

    async def _rename_column(self, old: str, new: str) -> None:
        order = self._order
        table, named = order.name(order.table), sql.Identifier(new)
        await self._conn.execute(fill("rename_column", table=table, old=sql.Identifier(old), name=named))

    async def _set_aside(self, before: TableStructure) -> None:
        """Free the names that the new table may want."""
        order = self._order
        for view in reversed(before.views):
            kind, name = as_written(view.kind), as_written(view.name)
            await self._conn.execute(fill("drop_view", kind=kind, view=name))
        table = order.name(order.table)
        for place, one in enumerate(before.names):
            if one in before.named_sequences:  # the new definition may count by it
                continue
            name = sql.Identifier(f"{self._old}_{place}")
            where = order.name(one.name)
            await self._conn.execute(
                fill(
                    _RENAMED[one.definition or ""],
                    table=table,
                    old=sql.Identifier(one.name),
                    index=where,
                    name=name,
                )
            )
        await self._conn.execute(fill("rename_table", table=table, name=sql.Identifier(self._old)))
        self._steps.append(f"set {order.table} aside as {self._old}")

    async def _make(self) -> TableStructure:
        """Run the new definition.

        Raises:
            BadInput: it makes no table of that name, or one without columns.
        """
        order = self._order
        before = await own_state(self._conn)
        status = (await exchange(self._conn, order.statement, most=0, all_of_it=True)).status
        refuse_losses(before, await own_state(self._conn), order.schema.names)
        await made(self._conn, order.schema, order.table, statement=order.statement, status=status)
        structure = await own_structure(self._conn, order.table)
        if not structure.columns:
            raise BadInput("the new definition has no columns.", field="sql")
        return structure

    async def _carry(self, columns: Mapping[str, str], recreated: TableStructure) -> tuple[int, int]:
        """Carry rows over: how many there are, and how many were carried."""
        order = self._order
        counted = fill("count_rows", table=order.name(self._old))
        rows: int = (await run(self._conn, counted)).rows[0]["count"]
        if not columns:
            return 0, 0
        few = order.confirm is False and rows > MOST_TRIED
        if few:
            await self._leave_unchecked([one for one in recreated.constraints if one.of is not None])
        statement = fill(
            "carry",
            new=order.name(order.table),
            old=order.name(self._old),
            columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
            taken=sql.SQL(", ").join(map(sql.Identifier, columns.values())),
            few=sql.SQL(" limit {}").format(MOST_TRIED) if few else sql.SQL(""),
        )
        done = await run(self._conn, statement)
        await self._conn.execute(fill("end_of_statement"))  # else no index could be made
        trial = f"; this trial carries the first {MOST_TRIED:,} of them" if few else ""
        self._steps.append(f"carry {rows:,} rows over{trial}")
        for name, taken in columns.items():
            await sequences.count_on(self._conn, order.schema, (self._old, taken), (order.table, name))
        return rows, done.touched

    async def _leave_unchecked(self, constraints: Sequence[Part]) -> None:
        """Take out references of the table to itself: of some of its rows they may lead to others."""
        table = self._order.name(self._order.table)
        for one in constraints:
            await self._conn.execute(fill("drop_constraint", table=table, name=sql.Identifier(one.name)))
        self._unchecked += constraints

    async def _drop_old(self, before: TableStructure) -> None:
        order = self._order
        for one in before.hanging:
            if one.kind == "reference":
                table, name = as_written(one.of or ""), sql.Identifier(one.name)
                await self._conn.execute(fill("drop_constraint", table=table, name=name))
        for one in before.named_sequences:
            await self._conn.execute(fill("disown_sequence", sequence=order.name(one.name)))
        await self._conn.execute(fill("drop_table", table=order.name(self._old)))
        for one in before.named_sequences:
            await sequences.own_again(self._conn, order.schema, order.table, one)
        self._steps.append(f"drop {self._old}")

    async def _bring_along(self, before: TableStructure, recreated: TableStructure, *, checked: bool) -> None:
        """Make again what hung on the old table, as far as the new one can bear it.

        Without ``checked`` references of other tables are not compared with the rows, for not all are there.
        """
        there = {one.statement for one in recreated.hanging}
        reset = {(one.kind, one.name) for one in recreated.hanging if one.kind in _TUNED}
        for one in before.hanging:
            if one.statement in there or (one.kind, one.name) in reset or self._is_of_gone(one, recreated):
                continue
            later = " not valid" if one.kind == "reference" and not checked else ""
            await self._try(one, as_written(f"{(one.statement or '').rstrip(';')}{later}"))

    async def _register(self, called: Mapping[str, str]) -> None:
        """Write registry and descriptions: those given, else those of before."""
        order = self._order
        about = order.about or order.listed.description
        fields = order.fields
        if fields is None:
            fields = [called[name] for name in order.listed.embed_fields if name in called]
        if about is None and not fields and not order.told:
            return
        await register(
            self._conn, order.schema, order.table, about=about or "", fields=fields, columns=order.told
        )
        gone = [name for name in order.listed.embed_fields if name not in called]
        self._lost += [f"vectors of {name}" for name in gone]
        self._steps.append(f"register it, embedded: {', '.join(fields) or 'nothing'}")

    async def _try(self, part: Part, statement: sql.SQL | sql.Composed) -> None:
        try:
            async with self._conn.transaction():
                await run(self._conn, statement)
        except psycopg.DatabaseError as error:
            self._lost.append(f"{part.words}: {error.diag.message_primary}")
            self._failed.append(part)
        else:
            self._steps.append(f"bring {part.words} along")

    def _note_lost(self, before: TableStructure, after: TableStructure) -> None:
        """Name what is gone although nothing failed, and is not said by the definition."""
        there = {(one.kind, one.of, one.name) for one in after.hanging}
        for one in before.hanging:
            there_not = (one.kind, one.of, one.name) not in there
            if there_not and one not in self._failed and not self._is_of_gone(one, after):
                self._lost.append(f"{one.words}: it is not there any more")

    def _is_of_gone(self, part: Part, new: TableStructure) -> bool:
        """Return True if a part hangs on a view that could not be made again, or on a column that is gone."""
        if part.of is None:
            return part.kind in _OF_COLUMN and part.name not in new.columns
        return part.of in {one.name for one in self._failed if one.kind in VIEWS}


def _mapping(value: object, before: Sequence[str]) -> dict[str, str]:
    """Return the mapping from new column to old one.

    Raises:
        BadInput: it is no such object, or names no column of before.
    """
    given: Any = parsed(value, field="mapping") if value else {}
    if not isinstance(given, Mapping):
        raise BadInput("an object is needed: new column to old column.", field="mapping")
    mapping = {str(new): old for new, old in cast("Mapping[Any, Any]", given).items()}
    for old in mapping.values():
        if old not in before:
            raise BadInput(
                f"there is no column {old!r} now.", field="mapping", hint=nearest(str(old), list(before))
            )
    return mapping
