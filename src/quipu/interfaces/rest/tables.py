"""Tables that agents design themselves: rows are read, written and asked for in SQL."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Body, Query, Response
from pydantic import Field

from quipu.interfaces.rest.asking import Acting, given
from quipu.interfaces.rest.door import Reading, Writing, refused, room
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.told.tables import BriefingTold, ChangedRowsTold, SelectedTold, TablesTold
from quipu.interfaces.serving.confirming import unless_lossy
from quipu.kinds.tables.model import Changed

router = room("tables")

GONE = refused(_404="There is no such schema or table.")
TAKEN = refused(
    _404="There is no such schema or table.",
    _409="A row with that key, or that table, is there.",
    _412="What would go is no longer what was shown.",
)
SchemaName = Annotated[
    str,
    Query(alias="schema", max_length=512, description="Short name of the schema.", examples=["memory"]),
]
Agent = Annotated[
    str | None,
    Query(description="Who asks: it may do what was granted to it. None: the program.", examples=["scout"]),
]
_Table = Annotated[str, Field(examples=["dwarves"])]
_DryRun = Annotated[
    bool, Field(description="Change nothing: how many rows it would be, and the first 20 keys.")
]
_Where = Annotated[
    dict[str, Any] | str,
    Field(description='`{"id": 5}`, `{"age": {">": 30}}`, or SQL.', examples=[{"id": 5}]),
]


@router.get("", summary="List the tables", responses=GONE)
async def list_tables(
    here: Reading,
    schema: SchemaName = "memory",
    agent: Agent = None,
    table: Annotated[str | None, Query(description="Only this one.", examples=["dwarves"])] = None,
    show_columns: Annotated[bool, Query(description="With their columns.")] = True,
) -> TablesTold:
    """With columns, descriptions and row estimates, and which extensions there are."""
    found = await here.memory.tables.list_tables(
        table=table, show_columns=show_columns, space=here.space, schema=schema, agent=agent
    )
    return TablesTold.model_validate(found)


class Queried(Asked):
    """A question in SQL."""

    sql: Annotated[str, Field(examples=["select name from dwarves order by age desc"])]
    search_text: Annotated[
        str | None, Field(description="Its vector is `:search_embedding` in the query.")
    ] = None
    limit: Annotated[int | None, Field(ge=1, le=1000)] = None


@router.post("/query", summary="Ask in SQL", responses=GONE)
async def query(
    asked: Queried, here: Reading, schema: SchemaName = "memory", agent: Agent = None
) -> SelectedTold:
    """The rows of one `select`, at most `limit` (50) and 1 MB; it can only read."""
    found = await here.memory.tables.query(space=here.space, schema=schema, agent=agent, **given(asked))
    return SelectedTold.model_validate(found)


class Inserted(Acting):
    """A row, or several."""

    table: _Table
    data: dict[str, Any] | list[dict[str, Any]]


_ROW = {"table": "dwarves", "data": {"name": "Thorin", "age": 195}}


@router.post("/insert", status_code=201, summary="Insert rows", responses=TAKEN)
async def insert(
    asked: Annotated[Inserted, Body(examples=[_ROW])],
    here: Writing,
    response: Response,
    schema: SchemaName = "memory",
    agent: Agent = None,
) -> ChangedRowsTold:
    """One, or up to 10,000 (all or none); embedded fields are embedded. What takes something away elsewhere,
    as a trigger may, answers 200 with what that is, and needs `confirm`.
    """
    place: dict[str, Any] = {"space": here.space, "schema": schema, "agent": agent}
    done = await _done(
        "insert rows",
        asked,
        place,
        lambda seen: here.memory.tables.insert(
            asked.table, asked.data, lossless=seen is None, as_tried=seen, **place
        ),
    )
    if done.confirm is not None:
        response.status_code = 200
    return done


class Updated(Acting):
    """Which rows are to change, and how."""

    table: _Table
    data: Annotated[dict[str, Any], Field(description="Column to new value.", examples=[{"age": 196}])]
    where: _Where
    dry_run: _DryRun = False


@router.post("/update", summary="Change rows", responses=TAKEN)
async def update(
    asked: Updated, here: Writing, schema: SchemaName = "memory", agent: Agent = None
) -> ChangedRowsTold:
    """Those that satisfy `where`. A column `updated_at` follows by itself. What takes something away
    elsewhere, as a trigger or a function of the condition may, is shown first and needs `confirm`.
    """
    place: dict[str, Any] = {"space": here.space, "schema": schema, "agent": agent}
    return await _done(
        "update rows",
        asked,
        place,
        lambda seen: here.memory.tables.update(
            asked.table,
            asked.data,
            where=asked.where,
            dry_run=asked.dry_run,
            lossless=seen is None,
            as_tried=seen,
            **place,
        ),
    )


class Deleted(Acting):
    """Which rows are to go."""

    table: _Table
    where: _Where
    dry_run: _DryRun = False


@router.post("/delete", summary="Delete rows", responses=TAKEN)
async def delete(
    asked: Deleted, here: Writing, schema: SchemaName = "memory", agent: Agent = None
) -> ChangedRowsTold:
    """First those that satisfy `where` and what goes with them, with a token in `confirm`; with that token
    they go, and their vectors with them.
    """
    place: dict[str, Any] = {"space": here.space, "schema": schema, "agent": agent}
    return await _done(
        "delete rows",
        asked,
        place,
        lambda seen: here.memory.tables.delete(
            asked.table,
            where=asked.where,
            dry_run=asked.dry_run,
            lossless=seen is None,
            as_tried=seen,
            **place,
        ),
    )


async def _done(
    act: str,
    asked: Inserted | Updated | Deleted,
    place: dict[str, Any],
    do: Callable[[Changed | None], Awaitable[Changed]],
) -> ChangedRowsTold:
    """What was written, or with the token of a preview what would be."""
    rows = asked.model_dump(include={"table", "data", "where"})
    if isinstance(asked, Updated | Deleted) and asked.dry_run:
        return ChangedRowsTold.model_validate(await do(None))
    done, token = await unless_lossy(
        act,
        asked.confirm,
        do,
        shown=lambda tried: {**rows, **place, **tried.counts()},
    )
    return ChangedRowsTold.model_validate(done).model_copy(update={"confirm": token})


@router.get("/prompt", summary="The tables as text for a prompt", responses=GONE)
async def prompt(here: Reading, schema: SchemaName = "memory", agent: Agent = None) -> BriefingTold:
    """About the schema, its tools and tables, with an estimate of its tokens."""
    found = await here.memory.tables.prompt(space=here.space, schema=schema, agent=agent)
    return BriefingTold.model_validate(found)
