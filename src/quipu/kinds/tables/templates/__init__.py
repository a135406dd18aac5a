"""Statements about tables whose names are known when they run: ``{table}`` and the like are filled in.

They run on the writer's login. Filled in are quoted names (``psycopg.sql.Identifier``), places of parameters,
and what an agent or PostgreSQL itself wrote, which is marked where it is done.
"""

from __future__ import annotations

from typing import LiteralString, cast

from psycopg import sql

from quipu.kernel.db import queries

TEMPLATES = queries.load("quipu.kinds.tables", folder="templates")


def fill(name: str, /, **parts: sql.Composable | str) -> sql.Composed:
    """Return the statement of that name; a part that is a plain text becomes a literal."""
    return sql.SQL(TEMPLATES[name]).format(**parts)


def as_written(text: str) -> sql.SQL:
    """Return PostgreSQL's own text about the agent's objects, for the agent's own connection."""
    return sql.SQL(cast(LiteralString, text.rstrip(";")))
