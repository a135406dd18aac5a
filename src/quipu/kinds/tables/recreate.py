"""Making a table anew with another definition: rows, vectors, registry, indexes and references come along.

The four steps of the seed (new table, migrate, update embeddings, drop the old one) in one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, LiteralString, cast

import psycopg
from psycopg import sql

from quipu.errors import BadInput
from quipu.kernel.db.database import Connection
from quipu.kinds.tables import catalogue
from quipu.kinds.tables.access import Place
from quipu.kinds.tables.anatomy import Anatomy, Part, anatomy
from quipu.kinds.tables.catalogue import AskedShape
from quipu.kinds.tables.ddl import descriptions_of, fields_of, made, register, statement_of
from quipu.kinds.tables.engine import Engine, settled
from quipu.kinds.tables.exchange import exchange
from quipu.kinds.tables.model import Schema, Table
from quipu.kinds.tables.names import nearest
from quipu.kinds.tables.refusals import Asked
from quipu.kinds.tables.running import run
from quipu.kinds.tables.templates import fill
from quipu.kinds.tables.values import parsed

_TIMES: Final = 10  # so much longer than one statement may it take
_OLD: Final = "__before"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recreated:
    """What was done, or with ``dry_run`` what would be: the steps in their order, and what differs.

    ``diff``: lines that begin with ``+``, ``-`` or ``~`` and a column, the type before and after. ``rows``
    were carried over; ``lost`` names what could not come along.
    """

    table: str
    dry_run: bool
    steps: Sequence[str]
    diff: Sequence[str]
    lost: Sequence[str]
    rows: int
    embedded: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """What is to be done."""

    schema: Schema
    table: str
    statement: str
    mapping: Mapping[str, str]
    fields: Sequence[str] | None
    about: str | None
    told: Mapping[str, str]
    dry_run: bool
    before: Anatomy
    listed: Table

    @property
    def old(self) -> str:
        """What the table before is called meanwhile."""
        return f"{self.table[: 63 - len(_OLD)]}{_OLD}"

    def name(self, table: str) -> sql.Identifier:
        """A table of the schema."""
        return sql.Identifier(self.schema.schema_name, table)


async def recreate(
    engine: Engine,
    place: Place,
    table: object,
    statement: object,
    *,
    mapping: object,
    embed_fields: object,
    description: object,
    column_descriptions: object,
    dry_run: bool,
) -> Recreated:
    """Make the table anew, or with ``dry_run`` try it and undo it."""
    text = engine.clean_statement(statement_of(statement))
    looked = AskedShape(place.schema, table)
    async with engine.access.entered(place, "admin", ask=looked.ask) as (within, schema):
        shape = await looked.shape(within, schema)
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
            dry_run=dry_run,
            before=await anatomy(within, shape),
            listed=(await catalogue.listing(within, schema, table=name)).tables[0],
        )
    asked = Asked(schema=schema, field="sql", seconds=_TIMES * engine.seconds, columns=list(shape.types))
    done = await engine.run(
        place.space, asked, "writer", lambda conn: _all_of_it(conn, order, seconds=asked.seconds)
    )
    embedded = 0 if dry_run else await engine.followed(place.space, schema)
    return Recreated(
        table=done.table,
        dry_run=dry_run,
        steps=done.steps,
        diff=done.diff,
        lost=done.lost,
        rows=done.rows,
        embedded=embedded,
    )


class _Undone(Exception):
    """A trial is at its end."""


async def _all_of_it(conn: Connection, order: _Order, *, seconds: float) -> Recreated:
    done: Recreated | None = None
    try:
        async with settled(conn):
            milliseconds = str(int(seconds * 1000))
            limited = sql.SQL("set local statement_timeout = {}")
            await conn.execute(limited.format(milliseconds))
            done = await _Work(conn, order).do()
            if order.dry_run:
                raise _Undone
    except _Undone:
        pass
    assert done is not None
    return done


class _Work:
    """The steps, within a transaction of the writer."""

    def __init__(self, conn: Connection, order: _Order) -> None:
        self._conn = conn
        self._order = order
        self._steps: list[str] = []
        self._lost: list[str] = []

    async def do(self) -> Recreated:
        """All of them."""
        order = self._order
        await self._set_aside()
        status = (await exchange(self._conn, order.statement, most=0, all_of_it=True)).status
        await made(self._conn, order.schema, order.table, statement=order.statement, status=status)
        self._steps.append(f"make {order.schema.schema_name}.{order.table} as given")
        after, computed = await self._columns(order.table)
        copied = {new: old for new, old in self._copied(after).items() if new not in computed}
        rows = await self._carry(copied)
        await self._drop_old()
        await self._bring_along({old: new for new, old in copied.items()})
        return Recreated(
            table=f"{order.schema.schema_name}.{order.table}",
            dry_run=order.dry_run,
            steps=tuple(self._steps),
            diff=_diff({one.name: one.type for one in order.listed.columns}, after, order.mapping),
            lost=tuple(self._lost),
            rows=rows,
        )

    async def _set_aside(self) -> None:
        order = self._order
        for view in order.before.views:
            await self._conn.execute(fill("drop_view", kind=_kind(view), view=_as_written(view.name)))
        renamed = fill("rename_table", table=order.name(order.table), name=sql.Identifier(order.old))
        await self._conn.execute(renamed)
        for place, index in enumerate(order.before.indexes):
            name = sql.Identifier(f"{order.old[:50]}_{place}")
            await self._conn.execute(fill("rename_index", index=order.name(index.name), name=name))
        self._steps.append(f"set {order.table} aside as {order.old}")

    async def _columns(self, table: str) -> tuple[dict[str, str], set[str]]:
        """Return its columns with their types, and those that PostgreSQL fills itself."""
        columns = (await run(self._conn, fill("columns"), [table])).rows
        if not columns:
            raise BadInput("the new definition has no columns.", field="sql")
        types = {row["name"]: row["type"] for row in columns}
        return types, {row["name"] for row in columns if row["computed"]}

    def _copied(self, after: Mapping[str, str]) -> dict[str, str]:
        """For each new column the old one that fills it."""
        order = self._order
        for new in order.mapping:
            if new not in after:
                raise BadInput(
                    f"the new table has no column {new!r}.", field="mapping", hint=nearest(new, list(after))
                )
        before = {one.name for one in order.before.columns}
        copied = {new: order.mapping.get(new, new) for new in after}
        return {new: old for new, old in copied.items() if old in before}

    async def _carry(self, copied: Mapping[str, str]) -> int:
        order = self._order
        if not copied:
            return 0
        statement = fill(
            "carry",
            new=order.name(order.table),
            old=order.name(order.old),
            columns=sql.SQL(", ").join(map(sql.Identifier, copied)),
            taken=sql.SQL(", ").join(map(sql.Identifier, copied.values())),
            few=sql.SQL(" limit 0" if order.dry_run else ""),
        )
        done = await run(self._conn, statement)
        self._steps.append(f"carry {'the rows' if order.dry_run else f'{done.touched:,} rows'} over")
        for name in copied:
            await self._count_on(name)
        return done.touched

    async def _drop_old(self) -> None:
        order = self._order
        for one in order.before.referring:
            table, name = _as_written(one.table or ""), sql.Identifier(one.name)
            await self._conn.execute(fill("drop_constraint", table=table, name=name))
        await self._conn.execute(fill("drop_table", table=order.name(order.old)))
        self._steps.append(f"drop {order.old}")

    async def _count_on(self, column: str) -> None:
        """A column that numbers itself goes on after the rows that were carried over."""
        table = self._order.name(self._order.table)
        named = [table.as_string(self._conn), column]
        sequence = (await run(self._conn, fill("sequence"), named)).rows[0]["sequence"]
        if sequence is not None:
            moved = fill("count_on", column=sql.Identifier(column), table=table)
            await run(self._conn, moved, [sequence])

    async def _bring_along(self, renamed: Mapping[str, str]) -> None:
        """What hung on the old table, as far as the new one can bear it."""
        order = self._order
        await self._say(renamed)
        # In a trial there are no rows that others could refer to.
        checked = sql.SQL(" not valid" if order.dry_run else "")
        for one in order.before.referring:
            words = fill(
                "add_constraint",
                table=_as_written(one.table or ""),
                name=sql.Identifier(one.name),
                definition=_as_written(one.definition),
                checked=checked,
            )
            await self._try(f"reference {one.name} of {one.table}", words)
        for index in order.before.indexes:
            if index.own:
                await self._try(f"index {index.name}", _as_written(index.definition))
        for trigger in order.before.triggers:
            await self._try(f"trigger {trigger.name}", _as_written(trigger.definition))
        for view in reversed(order.before.views):
            name, definition = _as_written(view.name), _as_written(view.definition)
            words = fill("create_view", kind=_kind(view), view=name, definition=definition)
            await self._try(f"view {view.name}", words)

    async def _say(self, renamed: Mapping[str, str]) -> None:
        """Registry and descriptions: those given, else those of before."""
        order = self._order
        about = order.about or order.listed.description
        fields = order.fields
        if fields is None:
            fields = [renamed[name] for name in order.listed.embed_fields if name in renamed]
        told = {
            renamed[one.name]: one.description
            for one in order.before.columns
            if one.description and one.name in renamed
        }
        if about is None and not fields:
            return
        await register(
            self._conn,
            order.schema,
            order.table,
            about=about or "",
            fields=fields,
            columns=told | dict(order.told),
        )
        gone = [name for name in order.listed.embed_fields if name not in renamed]
        self._lost += [f"vectors of {name}" for name in gone]
        self._steps.append(f"register it, embedded: {', '.join(fields) or 'nothing'}")

    async def _try(self, what: str, statement: sql.SQL | sql.Composed) -> None:
        try:
            async with self._conn.transaction():
                await run(self._conn, statement)
        except psycopg.DatabaseError as error:
            self._lost.append(f"{what}: {error.diag.message_primary}")
        else:
            self._steps.append(f"bring {what} along")


def _kind(view: Part) -> sql.SQL:
    return sql.SQL("view" if view.own else "materialized view")


def _as_written(text: str) -> sql.SQL:
    """What PostgreSQL itself wrote of the agent's own objects, for the agent's own connection."""
    return sql.SQL(cast(LiteralString, text.rstrip(";")))


def _mapping(value: object, before: Sequence[str]) -> dict[str, str]:
    """New column to old one.

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


def _diff(before: Mapping[str, str], after: Mapping[str, str], mapping: Mapping[str, str]) -> tuple[str, ...]:
    """What differs, column by column."""
    lines: list[str] = []
    kept = {mapping.get(new, new) for new in after}
    for new, kind in after.items():
        old = mapping.get(new, new)
        if old not in before:
            lines.append(f"+ {new} {kind}")
        elif (old, before[old]) != (new, kind):
            lines.append(f"~ {old} {before[old]} -> {new} {kind}")
    lines += [f"- {old} {kind}" for old, kind in before.items() if old not in kept]
    return tuple(lines)
