"""The page `/config/memory`: the agents' tables, their snapshots and retention, export and import."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Form, Query
from starlette.responses import Response

from quipu.errors import NotFound
from quipu.interfaces.web.fields import page_router
from quipu.interfaces.web.page_context import PageContext, SentForm, ShownPage
from quipu.kinds.tables.model import Table

router = page_router()

RETENTION: Final = "memory_snapshot_retention_days"
_MOST_SNAPSHOTS: Final = 120
_MOST_TABLES: Final = 100

SchemaName = Annotated[str, Query(alias="schema", max_length=100)]


@router.get("/config/memory")
async def show(page: ShownPage, schema: SchemaName = "memory") -> Response:
    """Show tables, snapshots, retention, export and import."""
    memory = page.memory
    schemas = [one.name for one in await memory.tables.schemas(space=page.space)] if page.space else []
    snapshots = [*await memory.snapshots.list(space=page.space, schema=schema)] if page.space else []
    return page.render(
        "config.html",
        schema=schema,
        schemas=schemas if schema in schemas else [schema, *schemas],
        there=schema in schemas,
        tables=(await tables_of(page, schema))[:_MOST_TABLES] if schema in schemas else [],
        snapshots=snapshots[:_MOST_SNAPSHOTS],
        more=len(snapshots) - _MOST_SNAPSHOTS,
        retention=await memory.settings.get(RETENTION, space=page.space or None),
    )


@router.get("/config/memory/tables/{name}")
async def table(page: ShownPage, name: str, schema: SchemaName = "memory") -> Response:
    """Show one table: its purpose, its columns, and what of it is embedded."""
    listing = await page.memory.tables.list(table=name, space=page.space, schema=schema)
    if not listing.tables:
        raise NotFound(f"There is no table {name!r}.")
    return page.render("config_table.html", table=listing.tables[0], schema=schema)


@router.post("/config/memory/settings")
async def retention(
    page: SentForm, days: Annotated[str, Form(max_length=20)], schema: SchemaName = "memory"
) -> Response:
    """Keep for how many days snapshots of this space stay."""
    state = await page.memory.settings.set(RETENTION, days.strip(), space=page.space)
    news = f"Snapshots of {page.space} stay {state.value} days."
    if state.overridden:
        news = f"It is saved, but {state.variable} says {state.value} days and comes first."
    return page.back(address(page, schema), news=news)


async def tables_of(page: PageContext, schema: str) -> list[Table]:
    """Return the agents' tables of a schema, by name."""
    listing = await page.memory.tables.list(show_columns=False, space=page.space, schema=schema)
    return [one for one in listing.tables if not one.protected]


def address(page: PageContext, schema: str) -> str:
    """Return the address of a schema's page."""
    return page.link("/config/memory", schema=None if schema == "memory" else schema)
