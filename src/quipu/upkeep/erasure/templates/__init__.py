"""Statements that look for names in tables that are known when they run, and take them out.

Filled in are quoted names of tables and columns, and quoted patterns (``psycopg.sql``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from psycopg import sql

from quipu.kernel.db import queries

TEMPLATES = queries.load("quipu.upkeep.erasure", folder="templates")


@dataclass(frozen=True, slots=True)
class Column:
    """A column that can hold a name; ``type`` as PostgreSQL writes it, empty where it is a text."""

    name: str
    type: str = ""


def fill(name: str, /, **parts: sql.Composable) -> sql.Composed:
    """Return the statement of that name."""
    return sql.SQL(TEMPLATES[name]).format(**parts)


def counting(name: str, table: sql.Composable, columns: Sequence[Column], pattern: str) -> sql.Composed:
    """Return a statement that counts the rows with a name, by column."""
    counts = [fill("counted", held=held([one], pattern)) for one in columns]
    return fill(name, table=table, counts=sql.SQL(", ").join(counts))


def held(columns: Iterable[Column], pattern: str) -> sql.Composed:
    """Return a condition: one of the columns has a name in it."""
    found = [
        fill(
            "held_json" if one.type else "held_text",
            column=sql.Identifier(one.name),
            pattern=sql.Literal(pattern),
        )
        for one in columns
    ]
    return sql.SQL(" or ").join(found)


def equal(columns: Iterable[Column], whole: str) -> sql.Composed:
    """Return a condition: a value of one of the columns is a name."""
    found = [
        fill("is_json" if one.type else "is_text", column=sql.Identifier(one.name), whole=sql.Literal(whole))
        for one in columns
    ]
    return sql.SQL(" or ").join(found)


def redacting(
    name: str, table: sql.Composable, columns: Sequence[Column], pattern: str, mark: str
) -> sql.Composed:
    """Return a statement that puts the mark in the place of names."""
    changes = [
        fill(
            "change_other" if one.type else "change_text",
            column=sql.Identifier(one.name),
            pattern=sql.Literal(pattern),
            mark=sql.Literal(mark),
            **({"type": sql.SQL(one.type)} if one.type else {}),  # pyright: ignore[reportArgumentType]
        )
        for one in columns
    ]
    return fill(name, table=table, changes=sql.SQL(", ").join(changes), held=held(columns, pattern))
