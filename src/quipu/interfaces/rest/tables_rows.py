"""Rows of agents' tables, looked at: page by page, one with its vectors, those near a text."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from quipu.interfaces.rest.asking import given
from quipu.interfaces.rest.door import Reading, refused, room
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.tables import GONE, Agent, SchemaName
from quipu.interfaces.rest.told.items import Items
from quipu.interfaces.rest.told.tables_rows import (
    EmbeddedFieldTold,
    ForeignKeyTold,
    NearRowTold,
    TableRowsTold,
    TableRowTold,
)

router = room("tables")

_NO_ROW = refused(_404="There is no such schema, table or row.")
_Table = Annotated[str, Field(examples=["dwarves"])]


class Browsed(Asked):
    """Which rows of a table are looked at."""

    table: _Table
    match: Annotated[dict[str, Any] | None, Field(description="Column to the value that it has.")] = None
    contains: Annotated[dict[str, str] | None, Field(description="Column to a text in it.")] = None
    sort: Annotated[str | None, Field(description="The column; null: the primary key.")] = None
    descending: bool = False
    after: Annotated[str | None, Field(max_length=10_000, description="`after` of the page before.")] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    characters: Annotated[int, Field(ge=1, le=10_000, description="Of a value at most.")] = 200


@router.post("/browse", summary="Look at rows", responses=GONE)
async def browse(
    asked: Browsed, here: Reading, schema: SchemaName = "memory", agent: Agent = None
) -> TableRowsTold:
    """Page by page, sorted and narrowed."""
    found = await here.memory.tables.browse(space=here.space, schema=schema, agent=agent, **given(asked))
    return TableRowsTold.model_validate(found)


class RowNamed(Asked):
    """A row by its key, as it was told."""

    table: _Table
    key: Annotated[str, Field(examples=["1"])]


@router.post("/row", summary="A row", responses=_NO_ROW)
async def row(
    asked: RowNamed, here: Reading, schema: SchemaName = "memory", agent: Agent = None
) -> TableRowTold:
    """With its values whole."""
    found = await here.memory.tables.row(asked.table, asked.key, space=here.space, schema=schema, agent=agent)
    return TableRowTold.model_validate(found)


@router.post("/embedded", summary="The vectors of a row", responses=_NO_ROW)
async def embedded(
    asked: RowNamed, here: Reading, schema: SchemaName = "memory", agent: Agent = None
) -> Items[EmbeddedFieldTold]:
    """By field: what they stand for, and their numbers."""
    found = await here.memory.tables.embedded(
        asked.table, asked.key, space=here.space, schema=schema, agent=agent
    )
    return Items(items=[EmbeddedFieldTold.model_validate(one) for one in found])


@router.get("/references", summary="What a table refers to", responses=GONE)
async def references(
    here: Reading,
    table: Annotated[str, Query(description="Which table.", examples=["dwarves"])],
    schema: SchemaName = "memory",
    agent: Agent = None,
) -> Items[ForeignKeyTold]:
    """Its foreign keys, and those of others to it."""
    found = await here.memory.tables.references(table, space=here.space, schema=schema, agent=agent)
    return Items(items=[ForeignKeyTold.model_validate(one) for one in found])


class NearTo(Asked):
    """A text that rows are to be near to."""

    table: _Table
    text: Annotated[str, Field(examples=["an old warrior"])]
    limit: Annotated[int, Field(ge=1, le=200)] = 20


@router.post("/near", summary="Rows near a text", responses=GONE)
async def near(
    asked: NearTo, here: Reading, schema: SchemaName = "memory", agent: Agent = None
) -> Items[NearRowTold]:
    """By meaning, the nearest first."""
    found = await here.memory.tables.near(space=here.space, schema=schema, agent=agent, **given(asked))
    return Items(items=[NearRowTold.model_validate(one) for one in found])
