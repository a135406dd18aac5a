"""Recipes to use instead of ALTER TABLE: the call that makes the table anew, ready to run."""

from __future__ import annotations

from quipu.kernel.db.database import Within
from quipu.kinds.tables import catalogue
from quipu.kinds.tables.anatomy import anatomy
from quipu.kinds.tables.model import Schema
from quipu.kinds.tables.names import PROTECTED
from quipu.kinds.tables.scan import name_after
from quipu.kinds.tables.values import as_json

_GENERAL = (
    "Call memory:schema:recreate with the whole new definition; rows, vectors and indexes come along. "
    "Confirm with the user first."
)


async def recreate_recipe(within: Within, schema: Schema, statement: str) -> str:
    """Return the call to make, with the table's present definition, for the change to be written into."""
    named = name_after(statement, "alter", "table")
    if named is None:
        return _GENERAL
    _, table = named
    if table in PROTECTED:
        return f"{table} is the engine's and stays as it is."
    found = await catalogue.find_shape(within, schema, table)
    if found is None or not found.is_table:
        return _GENERAL
    definition = (await anatomy(within, found)).create(schema, table)
    arguments: dict[str, object] = {"table": table, "sql": definition, "mapping": {}, "dry_run": True}
    return (
        f"Confirm with the user, write the change into the definition, and call "
        f"memory:schema:recreate {as_json(arguments)}. "
        f'In mapping, name the columns that are called otherwise: {{"new": "old"}}. '
        f"With dry_run false it is done, in one transaction."
    )
