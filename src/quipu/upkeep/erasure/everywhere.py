"""Names of a person in what is not theirs: where they stand in our tables, and taking them out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from psycopg import sql

from quipu.kernel.db.database import SpaceTransaction
from quipu.upkeep.erasure import store, templates
from quipu.upkeep.erasure.model import Left, Named
from quipu.upkeep.erasure.names import MARK
from quipu.upkeep.erasure.templates import Column

EVERYWHERE = "forgetting everywhere takes it out"
BY_HAND = "no erasure changes it: correct or delete it where it was written"


async def search(tx: SpaceTransaction, pattern: str, named: Iterable[Named]) -> list[Left]:
    """Find names in the tables of a space, as row level security shows them."""
    reached = {
        f"{table}.{column}"
        for one in named
        for part in (one.gone, one.words, one.again)
        for table, columns in part.items()
        for column in columns
    }
    found: list[Left] = []
    for table, columns in await _tables(tx):
        query = templates.counting("of_space", sql.Identifier(*table.split(".")), columns, pattern)
        row = await (await tx.conn.execute(query)).fetchone()
        for column, count in zip(columns, row or (), strict=True):
            place = f"{table}.{column.name}"
            if count:
                found.append(Left(place, count, EVERYWHERE if place in reached else BY_HAND))
    return found


async def take_out(
    tx: SpaceTransaction, pattern: str, named: Sequence[Named]
) -> tuple[dict[str, int], list[int]]:
    """Take names out of what kinds say can be changed; rows by table, and entries of the index that go.

    Words are changed first: what is made anew is made of them.
    """
    columns = dict(await _tables(tx))
    counts: dict[str, int] = {}
    entries: list[int] = []
    for one in named:
        for table, names in one.words.items():
            changed = _of(columns, table, names)
            where = sql.Identifier(*table.split("."))
            query = templates.redacting("redact_of_space", where, changed, pattern, MARK)
            if one.before_words is not None:
                entries += await one.before_words(tx, pattern)
            counts[f"{table} (words)"] = (await tx.conn.execute(query)).rowcount
    for one in named:
        for table, names in one.gone.items():
            query = templates.fill(
                "drop_of_space",
                table=sql.Identifier(*table.split(".")),
                held=templates.held(_of(columns, table, names), pattern),
                entry=templates.fill("entry" if table in one.indexed else "no_entry"),
            )
            gone = await (await tx.conn.execute(query)).fetchall()
            counts[table] = len(gone)
            entries += [entry for (entry,) in gone if entry is not None]
        if one.make_again is not None:
            entries += await one.make_again(tx, pattern)
    return {table: count for table, count in counts.items() if count}, entries


def _of(columns: Mapping[str, Sequence[Column]], table: str, names: Sequence[str]) -> list[Column]:
    return [column for column in columns[table] if column.name in names]


async def _tables(tx: SpaceTransaction) -> list[tuple[str, list[Column]]]:
    rows = await store.columns(tx)
    return [
        (table, [Column(name, type_) for _, name, type_ in group])
        for table, group in groupby(rows, key=lambda row: row[0])
    ]
