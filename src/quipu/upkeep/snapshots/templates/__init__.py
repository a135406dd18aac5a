"""Statements about tables whose names are known when they run: ``{table}`` and the like are filled in.

They run on the login of the schema's writer. Filled in are quoted names (``psycopg.sql.Identifier``).
"""

from __future__ import annotations

from psycopg import sql

from quipu.kernel.db import queries

TEMPLATES = queries.load("quipu.upkeep.snapshots", folder="templates")


def fill(name: str, /, **parts: sql.Composable) -> sql.Composed:
    """Return the statement of that name."""
    return sql.SQL(TEMPLATES[name]).format(**parts)
