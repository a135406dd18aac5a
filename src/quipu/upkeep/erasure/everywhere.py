"""Names of a person in what is not theirs: where they stand in our tables, and taking them out.

Tables and columns are known only when a statement runs: it is filled in with quoted names and patterns
(``psycopg.sql``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from psycopg import sql

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.upkeep.erasure.model import Left, Named
from quipu.upkeep.erasure.names import MARK

EVERYWHERE = "forgetting everywhere takes it out"
BY_HAND = "no erasure changes it: correct or delete it where it was written"

_SQL = queries.load("quipu.upkeep.erasure")
fill = queries.load("quipu.upkeep.erasure", folder="templates").fill


@dataclass(frozen=True, slots=True)
class Column:
    """A column that can hold a name; ``type`` as PostgreSQL writes it, empty where it is a text."""

    name: str
    type: str = ""


async def search(tx: SpaceTransaction, pattern: str, named: Iterable[Named]) -> list[Left]:
    """Find names in the tables of a space, as row level security shows them."""
    reached = {
        f"{table}.{column}"
        for one in named
        for part in (one.gone, one.words, one.again)
        for table, columns in part.items()
        for column in columns
    }
    hits: list[Left] = []
    for table, columns in (await _tables(tx)).items():
        query = counting("of_space", sql.Identifier(*table.split(".")), columns, pattern)
        row = await (await tx.conn.execute(query)).fetchone()
        for column, count in zip(columns, row or (), strict=True):
            place = f"{table}.{column.name}"
            if count:
                hits.append(Left(place, count, EVERYWHERE if place in reached else BY_HAND))
    return hits


async def entries_with(tx: SpaceTransaction, pattern: str) -> int:
    """Count the entries of the index whose text matches."""
    ((count,),) = await tx.rows(_SQL["entries_with"], pattern=pattern)
    return count


async def take_out(
    tx: SpaceTransaction, pattern: str, named: Sequence[Named]
) -> tuple[dict[str, int], list[int]]:
    """Remove names from the tables that kinds declare; return rows by table, and index entries that go.

    Words are changed first: what is made again is made of them.
    """
    columns = await _tables(tx)
    counts: dict[str, int] = {}
    entries: list[int] = []
    for one in named:
        for table, names in one.words.items():
            changed = _of(columns, table, names)
            where = sql.Identifier(*table.split("."))
            query = redacting("redact_of_space", where, changed, pattern, MARK)
            if one.before_words is not None:
                entries += await one.before_words(tx, pattern)
            counts[f"{table} (words)"] = (await tx.conn.execute(query)).rowcount
    for one in named:
        for table, names in one.gone.items():
            query = fill(
                "drop_of_space",
                table=sql.Identifier(*table.split(".")),
                held=held(_of(columns, table, names), pattern),
                entry=fill("entry" if table in one.indexed else "no_entry"),
            )
            gone = await (await tx.conn.execute(query)).fetchall()
            counts[table] = len(gone)
            entries += [entry for (entry,) in gone if entry is not None]
        if one.make_again is not None:
            entries += await one.make_again(tx, pattern)
    return {table: count for table, count in counts.items() if count}, entries


def _of(columns: Mapping[str, Sequence[Column]], table: str, names: Sequence[str]) -> list[Column]:
    return [column for column in columns[table] if column.name in names]


async def _tables(tx: SpaceTransaction) -> dict[str, list[Column]]:
    """Return the columns that can hold a name, by table."""
    tables: dict[str, list[Column]] = {}
    for schema, table, name, type_ in await tx.rows(_SQL["columns"]):
        tables.setdefault(f"{schema}.{table}", []).append(Column(name, type_))
    return tables


def counting(name: str, table: sql.Composable, columns: Sequence[Column], pattern: str) -> sql.Composed:
    """Return a statement that counts the rows with a name, by column."""
    counts = [fill("counted", held=held([one], pattern)) for one in columns]
    return fill(name, table=table, counts=sql.SQL(", ").join(counts))


def redacting(
    name: str, table: sql.Composable, columns: Sequence[Column], pattern: str, mark: str
) -> sql.Composed:
    """Return a statement that puts the mark in the place of names."""
    changes = [
        fill(
            "change_other" if one.type else "change_text",
            column=sql.Identifier(one.name),
            pattern=pattern,
            mark=mark,
            **({"type": sql.SQL(one.type)} if one.type else {}),  # pyright: ignore[reportArgumentType]
        )
        for one in columns
    ]
    return fill(name, table=table, changes=sql.SQL(", ").join(changes), held=held(columns, pattern))


def held(columns: Iterable[Column], pattern: str) -> sql.Composed:
    """Return a condition: one of the columns has a name in it."""
    return sql.SQL(" or ").join(
        fill("held_json" if one.type else "held_text", column=sql.Identifier(one.name), pattern=pattern)
        for one in columns
    )


def equal(columns: Iterable[Column], whole: str) -> sql.Composed:
    """Return a condition: a value of one of the columns is a name."""
    return sql.SQL(" or ").join(
        fill("is_json" if one.type else "is_text", column=sql.Identifier(one.name), whole=whole)
        for one in columns
    )
