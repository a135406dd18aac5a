"""The design of agents' tables: made, changed, dropped; schemas, and who may do what in them."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from quipu.interfaces.rest.asking import Acting, given
from quipu.interfaces.rest.door import Administering, Reading, refused, room
from quipu.interfaces.rest.models import Asked, Told
from quipu.interfaces.rest.showing import shown_first
from quipu.interfaces.rest.tables import GONE, TAKEN, Agent, SchemaName
from quipu.interfaces.rest.told.items import Confirmable, Items
from quipu.interfaces.rest.told.tables import GrantTold, RecreatedTold, SchemaTold, StatementTold
from quipu.interfaces.serving.confirming import confirmed, token, unless_lossy
from quipu.kinds.tables.model import Permission

router = room("tables")

_Schema = Annotated[str, Field(description="Its short name.", examples=["expedition"])]
_Descriptions = Annotated[
    dict[str, str] | None, Field(description="Column to text.", examples=[{"age": "In years."}])
]


class Created(Asked):
    """A table that is to be made, and what it is for."""

    name: Annotated[str, Field(examples=["dwarves"])]
    sql: Annotated[
        str,
        Field(
            description="One CREATE TABLE.",
            examples=["create table dwarves (id int generated always as identity primary key, name text)"],
        ),
    ]
    description: Annotated[str, Field(examples=["Who goes along."])]
    embed_fields: Annotated[list[str], Field(description="To be found by meaning.", examples=[["name"]])]
    column_descriptions: _Descriptions = None


@router.post("/create", status_code=201, summary="Make a table", responses=TAKEN)
async def create_table(
    asked: Created, here: Administering, schema: SchemaName = "memory", agent: Agent = None
) -> StatementTold:
    """In one transaction, and register what it is for."""
    done = await here.memory.tables.create_table(space=here.space, schema=schema, agent=agent, **given(asked))
    return StatementTold.model_validate(done)


class Executed(Acting):
    """One other statement."""

    sql: Annotated[str, Field(examples=["create index on dwarves (name)"])]
    dry_run: Annotated[bool, Field(description="Try it, and undo it.")] = False
    lossless: Annotated[bool, Field(description="Undo it if it takes anything away.")] = False


@router.post("/execute", summary="Run one other statement", responses=TAKEN)
async def execute(
    asked: Executed, here: Administering, schema: SchemaName = "memory", agent: Agent = None
) -> StatementTold:
    """`create index`, `drop table`, `insert … select`. What takes anything away is undone, and `lost` says
    what that is: it needs `confirm`. With `dry_run` or `lossless` there is no token.
    """
    place: dict[str, Any] = {"space": here.space, "schema": schema, "agent": agent}
    run = partial(here.memory.tables.execute, asked.sql, **place)
    if asked.dry_run or asked.lossless:
        done = await run(dry_run=asked.dry_run, lossless=asked.lossless)
        return StatementTold.model_validate(done)
    done, token = await unless_lossy(
        "execute",
        asked.confirm,
        lambda seen: run(lossless=seen is None, as_tried=seen),
        shown=lambda tried: {"sql": asked.sql, "lost": list(tried.lost), **place},
    )
    return StatementTold.model_validate(done).model_copy(update={"confirm": token})


class Recreated(Acting):
    """A table as it is to be."""

    table: Annotated[str, Field(examples=["dwarves"])]
    sql: Annotated[
        str,
        Field(
            description="One CREATE TABLE of the same name.",
            examples=["create table dwarves (id int primary key, name text, age int)"],
        ),
    ]
    mapping: Annotated[dict[str, str] | None, Field(description="New column to old.")] = None
    embed_fields: list[str] | None = None
    description: str | None = None
    column_descriptions: _Descriptions = None
    dry_run: Annotated[bool, Field(description="Try it, and undo it.")] = False


@router.post("/recreate", summary="Make a table anew", responses=TAKEN)
async def recreate(
    asked: Recreated, here: Administering, schema: SchemaName = "memory", agent: Agent = None
) -> RecreatedTold:
    """With its rows, vectors, indexes and references, in one transaction; `lost` names what cannot come.
    First the plan, with a token in `confirm`; with that token it is done.
    """
    about = given(asked, "confirm", "dry_run")
    place: dict[str, Any] = {"space": here.space, "schema": schema, "agent": agent}
    plan = await here.memory.tables.recreate(**about, dry_run=True, **place)
    act = {**asdict(plan), **about, **place}
    if asked.dry_run or not confirmed(asked.confirm, "replace table", act):
        shown = None if asked.dry_run else token("replace table", act)
        return RecreatedTold.model_validate(plan).model_copy(update={"confirm": shown})
    return RecreatedTold.model_validate(await here.memory.tables.recreate(**about, as_tried=plan, **place))


@router.get("/schemas", summary="List the schemas")
async def schemas(here: Reading) -> Items[SchemaTold]:
    """The default first."""
    found = await here.memory.tables.schemas(space=here.space)
    return Items(items=[SchemaTold.model_validate(one) for one in found])


class SchemaAsked(Asked):
    """A schema that is to be made."""

    name: _Schema
    description: str | None = None


@router.post("/schemas", status_code=201, summary="Make a schema")
async def create_schema(asked: SchemaAsked, here: Administering) -> SchemaTold:
    """That of this name, made with its login roles if it is not there yet."""
    made = await here.memory.tables.create_schema(space=here.space, **given(asked))
    return SchemaTold.model_validate(made)


class Dropping(Acting):
    """Which schema is to go."""

    name: _Schema


class DroppedTold(Told):
    """The tables that would go, or went, with an estimate of their rows."""

    tables: dict[str, int]


@router.post(
    "/schemas/drop",
    summary="Drop a schema",
    responses=refused(_404="There is no such schema.", _412="What would go is no longer what was shown."),
)
async def drop_schema(asked: Dropping, here: Administering) -> Confirmable[DroppedTold]:
    """First its tables, with a token; with that token it goes, with everything in it."""

    async def do(confirm: bool) -> dict[str, int]:
        found = await here.memory.tables.list_tables(space=here.space, schema=asked.name, show_columns=False)
        if confirm:
            await here.memory.tables.drop_schema(asked.name, space=here.space)
        return {one.name: one.rows for one in found.tables}

    return await shown_first(
        "drop schema",
        asked.confirm,
        do,
        tell=lambda tables: DroppedTold(tables=tables),
        counts=lambda tables: {"space": here.space, "schema": asked.name, "tables": sorted(tables)},
    )


@router.get("/grants", summary="Who may do what", responses=GONE)
async def grants(
    here: Reading,
    schema: Annotated[str | None, Query(description="Only in this one.", examples=["memory"])] = None,
) -> Items[GrantTold]:
    """In one schema, or in all of them."""
    found = await here.memory.tables.grants(schema=schema, space=here.space)
    return Items(items=[GrantTold.model_validate(one) for one in found])


class Granted(Asked):
    """What an agent may do from now on."""

    agent: Annotated[str, Field(examples=["scout"])]
    permission: Annotated[Permission, Field(description="`write`: rows. `admin`: structure and rows.")]


@router.post("/grants", status_code=204, summary="Let an agent do something", responses=GONE)
async def grant(asked: Granted, here: Administering, schema: SchemaName = "memory") -> None:
    """Read, write or administer a schema, from now on."""
    await here.memory.tables.grant(asked.agent, asked.permission, schema=schema, space=here.space)


class Revoked(Asked):
    """Whom nothing is allowed any more."""

    agent: Annotated[str, Field(examples=["scout"])]


@router.post("/grants/revoke", status_code=204, summary="Let an agent do nothing", responses=GONE)
async def revoke(asked: Revoked, here: Administering, schema: SchemaName = "memory") -> None:
    """In a schema, from now on."""
    await here.memory.tables.revoke(asked.agent, schema=schema, space=here.space)
