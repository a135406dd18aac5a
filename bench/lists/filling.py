"""A space with so many rows of every kind, written by the server itself in a minute or two."""

from __future__ import annotations

from typing import Final

import psycopg
from psycopg import sql

from pace.statements import load
from quipu import AsyncMemory

SPACE: Final = "lists"
TABLE: Final = "boats"
_SQL = load("pages")
_FIRST: Final = ("quick", "space")
_LAST: Final = ("schema_name", "own_table")
_COLUMNS: Final = "id int primary key, name text not null, body text, level int, at timestamptz"
_TEXT: Final = "the boats lay in the harbour all night, and nobody knew who had brought them there."


async def fill(memory: AsyncMemory, conninfo: str, rows: int) -> None:
    """Make the space with ``rows`` rows of every kind. ``conninfo`` is that of the owner of the server."""
    await memory.observe([{"content": "Nothing of interest."}], space=SPACE, session="s")
    await memory.tables.create_table(
        TABLE,
        f"create table {TABLE} ({_COLUMNS})",
        description="What lies in the harbour",
        embed_fields=[],
        column_descriptions={"id": "The number that it is known by"},
        space=SPACE,
    )
    with psycopg.connect(conninfo, autocommit=True) as conn:
        conn.execute(_SQL["quick"])
        (number,) = conn.execute(_SQL["space"], {"name": SPACE}).fetchone() or (None,)
        values = {"space": number, "rows": rows, "text": _TEXT}
        for name, statement in _SQL.items():
            if name not in (*_FIRST, *_LAST):
                conn.execute(statement, values)
        (schema_name,) = conn.execute(_SQL["schema_name"], values).fetchone() or ("",)
        own_table = sql.SQL(_SQL["own_table"].decode())  # pyright: ignore[reportArgumentType] - our own file
        conn.execute(own_table.format(table=sql.Identifier(schema_name, TABLE)), values)
