"""Rows as texts to be embedded: each value as the output function of its type writes it.

The triggers do exactly the same. ``t`` stands for the table. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import sql

from quipu.kinds.tables.embedding.rules import MOST_CHARACTERS


def text(column: str) -> sql.Composed:
    """Return a value as text."""
    return sql.SQL("pg_catalog.concat(t.{})").format(sql.Identifier(column))


def key(columns: Sequence[str]) -> sql.Composable:
    """Return the key of a row as text; a JSON array of texts if it has several columns."""
    texts = [text(name) for name in columns]
    if len(texts) == 1:
        return texts[0]
    return sql.SQL("pg_catalog.jsonb_build_array({})::text").format(sql.SQL(", ").join(texts))


def fields(columns: Sequence[str]) -> sql.Composed:
    """Return fields as texts, as far as they are read."""
    most = sql.Literal(MOST_CHARACTERS)
    return sql.SQL(", ").join(sql.SQL("pg_catalog.left({}, {})").format(text(name), most) for name in columns)
