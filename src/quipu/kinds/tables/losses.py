"""Losses by a statement: what exists before and after it is compared. Its words decide nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, LiteralString, cast

from psycopg import sql

from quipu.errors import BadInput, Outdated
from quipu.kernel.db.database import Connection
from quipu.kernel.db.schema_names import SchemaNames
from quipu.kinds.tables.exchange import run
from quipu.kinds.tables.templates import fill

_NUMBER: Final = "number of sequence "
_OF_OBJECT: Final = (
    "right ",
    "row level security of ",
    "replica identity of ",
    "options of ",
    "numbering of ",
    "number of ",
)
_WHOLE: Final = re.compile(r"table (?P<table>.+?)(?: goes|: emptied or rewritten)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class State:
    """An object of a schema: how it is defined, and rows that the transaction updated and deleted so far."""

    definition: str | None
    updated: int
    deleted: int


async def own_state(conn: Connection) -> dict[str, State]:
    """Read the objects of the writer who is logged in, as the transaction sees them."""
    rows = await (await conn.execute(fill("own_state"))).fetchall()  # thousands, in a schema of many tables
    return {name: State(definition, updated, deleted) for name, definition, updated, deleted in rows}


def losses(before: Mapping[str, State], after: Mapping[str, State]) -> tuple[str, ...]:
    """Return the losses from one state to the other, a line each: rows, definitions, objects."""
    lines: list[str] = []
    gone = [name for name in before if name not in after and not name.startswith(_OF_OBJECT)]
    for name, was in before.items():
        now = after.get(name)
        if now is None:
            if not name.startswith(_OF_OBJECT) or not any(f" {one}" in name for one in gone):
                lines.append(f"{name} goes")
            continue
        if name.startswith(_NUMBER):
            if _reached(now) < _reached(was):
                back = now.definition.split()[0] if now.definition else "its start"
                lines.append(f"{name}: set back from {(was.definition or '').split()[0]} to {back}")
            continue
        if now.deleted > was.deleted:
            lines.append(f"{name}: {now.deleted - was.deleted:,} rows deleted")
        if now.updated > was.updated:
            lines.append(f"{name}: {now.updated - was.updated:,} rows changed")
        if now.definition != was.definition:
            lines.append(
                f"{name}: emptied or rewritten" if name.startswith("table ") else f"{name}: replaced"
            )
    return tuple(sorted(lines))


def _reached(state: State) -> float:
    """Return the count of a sequence, upwards in either direction."""
    if not state.definition:
        return -inf
    last, sign = state.definition.split()
    return int(last) * int(sign)


async def count_again(conn: Connection, before: Mapping[str, State]) -> None:
    """Set sequences forward again that an undone statement had set back: a rollback does not do that."""
    after = await own_state(conn)
    for name, was in before.items():
        now = after.get(name)
        if name.startswith(_NUMBER) and now is not None and _reached(now) < _reached(was):
            last = (was.definition or "").split()[0]
            await run(conn, fill("count_again"), [name.removeprefix(_NUMBER), last])


def beside(
    before: Mapping[str, State], after: Mapping[str, State], *, table: str, word: str
) -> tuple[str, ...]:
    """Return the losses other than the rows of a table and its partitions that were to be changed or deleted.

    ``table`` is its name with the schema; ``word`` is what `losses` says of such rows, empty if there are
    none.
    """
    names = [table, '{}."{}"'.format(*table.split("."))]  # one that is a keyword is quoted
    for name in names:
        parts = [one.removesuffix(f" of {name}") for one in before if one.endswith(f" of {name}")]
        names += [one.removeprefix("part ") for one in parts if one.startswith("part ")]
    meant = re.compile(rf"table (?:{'|'.join(map(re.escape, names))}): [\d,]+ rows {word or 'meant'}")
    return tuple(line for line in losses(before, after) if not meant.fullmatch(line))


async def with_counts(conn: Connection, lost: Sequence[str]) -> tuple[str, ...]:
    """Add its number of rows to each table that is dropped or emptied; after the statement was undone."""
    lines: list[str] = []
    for line in lost:
        match = _WHOLE.fullmatch(line)
        if match is not None:
            # PostgreSQL itself wrote the name, of the agent's own table and for the agent's own connection.
            table = sql.SQL(cast(LiteralString, match["table"]))
            (row,) = (await run(conn, fill("count_rows", table=table))).rows
            line = f"{line} ({row['count']:,} rows)"
        lines.append(line)
    return tuple(lines)


async def hold(
    conn: Connection, before: Mapping[str, State], lost: Sequence[str], names: SchemaNames
) -> dict[str, int]:
    """Lock the tables that are dropped or emptied, and count their rows.

    ``lost`` are the lines of a preview. Returns the rows by the line for each, as `losses` writes it.
    """
    held: dict[str, int] = {}
    for name in before:
        for line in (f"{name} goes", f"{name}: emptied or rewritten"):
            if name.startswith("table ") and any(
                one.startswith(f"{names.in_message(line)} (") for one in lost
            ):
                table = sql.SQL(cast(LiteralString, name.removeprefix("table ")))  # as PostgreSQL wrote it
                await conn.execute(fill("hold", table=table))
                (row,) = (await run(conn, fill("count_rows", table=table))).rows
                held[line] = row["count"]
    return held


def outdated() -> Outdated:
    """Return the error where something else would be taken away than was shown."""
    return Outdated(
        "What would be done is not what was shown.",
        hint="Nothing was changed. Look at the preview again, and confirm that one.",
    )


def refuse_losses(before: Mapping[str, State], after: Mapping[str, State], names: SchemaNames) -> None:
    """Refuse a definition that also takes something away.

    Raises:
        BadInput: something is lost; names it.
    """
    lost = losses(before, after)
    if lost:
        raise BadInput(
            f"to define a table must take nothing away; this does: {names.in_message('; '.join(lost[:5]))}.",
            field="sql",
            hint="Nothing was changed. Do that in a statement of its own.",
        )
