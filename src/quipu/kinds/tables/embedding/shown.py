"""How rows are read to be embedded. A value is taken as the output function of its type writes it, exactly as
the triggers do. ``t`` stands for the table. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import sql

from quipu.kinds.tables.embedding.rules import MOST_CHARACTERS


def text(column: str) -> sql.Composed:
    """A value as text."""
    return sql.SQL("pg_catalog.concat(t.{})").format(sql.Identifier(column))


def key(columns: Sequence[str]) -> sql.Composable:
    """The key of a row as text; a JSON array of texts where it has several columns."""
    texts = [text(name) for name in columns]
    if len(texts) == 1:
        return texts[0]
    return sql.SQL("pg_catalog.jsonb_build_array({})::text").format(sql.SQL(", ").join(texts))


def fields(columns: Sequence[str]) -> sql.Composed:
    """Fields as texts, as far as they are read."""
    most = sql.Literal(MOST_CHARACTERS)
    return sql.SQL(", ").join(sql.SQL("pg_catalog.left({}, {})").format(text(name), most) for name in columns)
