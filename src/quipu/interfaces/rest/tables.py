"""Agents' tables: their derived routes, and those that are shown first only where something goes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import Body, Response
from pydantic import Field

from quipu.app.operations import OPERATIONS
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.door import Administering, Writing, refused
from quipu.interfaces.rest.models import Acting, Answer, given
from quipu.interfaces.serving.confirmation import unless_lossy
from quipu.kinds.tables.model import Changed, Done
from quipu.kinds.tables.recreate import Recreated

router = derived("tables", OPERATIONS)

_TAKEN = refused(
    _404="There is no such schema or table.",
    _409="A row with that key, or that table, is there.",
    _412="What would go is no longer what was shown.",
)
_Table = Annotated[str, Field(description="The name of the table.", examples=["dwarves"])]
_ShowFirst = Annotated[bool, Field(description="Show it first even where it takes nothing away.")]
_Where = Annotated[
    dict[str, Any] | str,
    Field(description='`{"id": 5}`, `{"age": {">": 30}}`, or a condition in SQL.', examples=[{"id": 5}]),
]


Confirm = Annotated[
    str | None,
    Field(
        description="Nothing was changed, since something would go: send it back to have it done.",
        examples=[None],
    ),
]


class StatementAnswer(Answer):
    """Outcome of a statement: PostgreSQL's word for it, and the rows that it touched or returned.

    `returned`: rows that it returned, at most so many; `embedded`: vectors made or taken out; `note`:
    what else there is to know. `lost`: what it takes away, a line each; `undone`: nothing was changed.
    """

    status: str
    rows: int
    returned: list[dict[str, Any]]
    embedded: int
    note: str | None
    lost: list[str]
    undone: bool
    confirm: Confirm = None


class ChangedRowsAnswer(Answer):
    """Rows that were inserted, updated or deleted: their primary keys, and how many vectors followed.

    Where it is `undone`, nothing was changed: those that would be, with the keys of the first 20.
    """

    table: str
    rows: int
    keys: list[dict[str, Any]]
    embedded: int
    note: str | None
    lost: Annotated[list[str], Field(description="The losses elsewhere, where nothing was changed.")]
    undone: Annotated[bool, Field(description="Nothing was changed.")]
    confirm: Confirm = None


class RecreatedAnswer(Answer):
    """Outcome, or where it is `undone` preview: the steps in their order, and what differs.

    `diff`: lines that begin with `+`, `-` or `~` and name a column, a constraint or a setting of the table,
    with the definition before and after. `rows` are carried over; a trial carries the first `tried` of them,
    at most 100,000, and undoes that. `lost` names what cannot come along.
    """

    table: str
    steps: list[str]
    diff: list[str]
    lost: list[str]
    rows: int
    tried: int
    embedded: int
    undone: Annotated[bool, Field(description="Nothing was changed.")]
    confirm: Confirm = None


class TablesAct(Acting):
    """Act in a schema, for the program or an agent."""

    schema_: Annotated[
        str, Field(alias="schema", description="The short name of the schema.", examples=["memory"])
    ] = "memory"
    agent: Annotated[
        str | None,
        Field(
            description="The agent that asks, which may do what was granted to it; null: the program.",
            examples=["scout"],
        ),
    ] = None

    def act(self, space: str) -> dict[str, Any]:
        """Return all that a token stands for, besides what was shown."""
        return {**self.model_dump(exclude={"confirm", "show_first"}, by_alias=True), "space": space}

    def place(self, space: str) -> dict[str, Any]:
        """Return the space, the schema and the agent of the act."""
        return {"space": space, "schema": self.schema_, "agent": self.agent}


class TablesInsert(TablesAct):
    """A row, or several."""

    table: _Table
    data: dict[str, Any] | list[dict[str, Any]]


_ROW = {"table": "dwarves", "data": {"name": "Thorin", "age": 195}}


@router.post("/insert", status_code=201, summary="Insert a row, or several: all or none", responses=_TAKEN)
async def insert(
    request: Annotated[TablesInsert, Body(examples=[_ROW])], here: Writing, response: Response
) -> ChangedRowsAnswer:
    """Insert one row, or up to 10,000; embedded fields are embedded. A loss elsewhere needs `confirm`.

    What takes something away elsewhere, as a trigger may, answers 200 with what that is.
    """
    done = await _changed(
        "insert rows",
        request,
        here.space,
        lambda seen: here.memory.tables.insert(
            request.table, request.data, confirm=seen, **request.place(here.space)
        ),
    )
    if done.confirm is not None:
        response.status_code = 200
    return done


class TablesUpdate(TablesAct):
    """Rows to change, and how."""

    table: _Table
    data: Annotated[dict[str, Any], Field(description="Column to new value.", examples=[{"age": 196}])]
    where: _Where
    show_first: _ShowFirst = False


@router.post("/update", summary="Change rows", responses=_TAKEN)
async def update(request: TablesUpdate, here: Writing) -> ChangedRowsAnswer:
    """Change the rows that satisfy `where`; set a column `updated_at`, too. A loss elsewhere needs `confirm`.

    What takes something away elsewhere, by a trigger, a cascade or a function, is shown first.
    """
    return await _changed(
        "update rows",
        request,
        here.space,
        lambda seen: here.memory.tables.update(
            request.table,
            request.data,
            where=request.where,
            confirm=seen,
            show_first=request.show_first,
            **request.place(here.space),
        ),
    )


class TablesDelete(TablesAct):
    """Rows to delete."""

    table: _Table
    where: _Where


@router.post("/delete", summary="Delete rows", responses=_TAKEN)
async def delete(request: TablesDelete, here: Writing) -> ChangedRowsAnswer:
    """Return those that satisfy `where` and what goes with them first, with a token; with it, delete them.

    Their vectors go with them.
    """
    return await _changed(
        "delete rows",
        request,
        here.space,
        lambda seen: here.memory.tables.delete(
            request.table, where=request.where, confirm=seen, **request.place(here.space)
        ),
    )


async def _changed(
    act: str,
    request: TablesInsert | TablesUpdate | TablesDelete,
    space: str,
    do: Callable[[Changed | Literal[False]], Awaitable[Changed]],
) -> ChangedRowsAnswer:
    """Return the written rows, or a preview of them with its token."""
    done, token = await unless_lossy(
        act, request.confirm, do, shown=lambda tried: {**request.act(space), **tried.counts()}
    )
    return ChangedRowsAnswer.model_validate(done).model_copy(update={"confirm": token})


class TablesExecute(TablesAct):
    """One other statement."""

    sql: Annotated[str, Field(examples=["create index on dwarves (name)"])]
    show_first: _ShowFirst = False


@router.post("/execute", summary="Run one other statement", responses=_TAKEN)
async def execute(request: TablesExecute, here: Administering) -> StatementAnswer:
    """Run `create index`, `drop table`, `insert … select`. A loss needs `confirm`.

    What takes anything away is undone, and `lost` says what that is.
    """

    async def do(seen: Done | Literal[False]) -> Done:
        return await here.memory.tables.execute(
            request.sql, confirm=seen, show_first=request.show_first, **request.place(here.space)
        )

    done, token = await unless_lossy(
        "execute",
        request.confirm,
        do,
        shown=lambda tried: {**request.act(here.space), "lost": list(tried.lost)},
    )
    return StatementAnswer.model_validate(done).model_copy(update={"confirm": token})


class TablesRecreate(TablesAct):
    """A table as it is to be."""

    table: _Table
    sql: Annotated[
        str,
        Field(
            description="One CREATE TABLE of the same name: the whole new definition.",
            examples=["create table dwarves (id int primary key, name text, age int)"],
        ),
    ]
    mapping: Annotated[
        dict[str, str] | None, Field(description="New column to old one, where the name differs.")
    ] = None
    embed_fields: Annotated[
        list[str] | None, Field(description="The columns to be found by meaning; null: as before.")
    ] = None
    description: Annotated[str | None, Field(description="The purpose of the table; null: as before.")] = None
    column_descriptions: Annotated[
        dict[str, str] | None,
        Field(description="The meaning of each column: column to text.", examples=[{"age": "In years."}]),
    ] = None


@router.post("/recreate", summary="Make a table anew with another definition", responses=_TAKEN)
async def recreate(request: TablesRecreate, here: Administering) -> RecreatedAnswer:
    """Keep its rows, vectors, indexes and references, in one transaction.

    `lost` names what cannot come. First comes the plan, with a token in `confirm`; with that token it is
    done.
    """
    about = given(request, "confirm", "schema_", "agent")

    async def do(seen: Recreated | Literal[False]) -> Recreated:
        return await here.memory.tables.recreate(**about, confirm=seen, **request.place(here.space))

    done, token = await unless_lossy(
        "replace table",
        request.confirm,
        do,
        shown=lambda plan: {**request.act(here.space), "plan": asdict(plan)},
    )
    return RecreatedAnswer.model_validate(done).model_copy(update={"confirm": token})
