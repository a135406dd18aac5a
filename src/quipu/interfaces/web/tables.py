"""The browser of agents' tables: rows paged, sorted, filtered, found by meaning; what a row hangs on to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, cast

import orjson
from fastapi import Depends, Query
from starlette.responses import Response

from quipu.errors import BadInput
from quipu.interfaces.web.config import SchemaName, tables_of
from quipu.interfaces.web.fields import Word, page_router
from quipu.interfaces.web.links import Value
from quipu.interfaces.web.page_context import PageContext, ShownPage
from quipu.kinds.tables.browse.browse import ForeignKey, TableRow

router = page_router()

_TABLES: Final = 200
_BYTES: Final = 60_000
_MOST_ROWS: Final = 50
_LEAST_ROWS: Final = 10
_CHARACTERS: Final = 120
_NEAR: Final = 20
_NUMBERS: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """View of rows, as in the address.

    ``match`` is a JSON object of columns with values, which references make; ``column`` and ``contains`` are
    typed by somebody; ``near`` asks by meaning.
    """

    sort: Word = None
    down: bool = False
    column: Word = None
    contains: Word = None
    match: Word = None
    near: Word = None

    def query(self, **other: Value) -> dict[str, Value]:
        """Return the view as the address of the page has it, with some parts replaced."""
        fields: dict[str, Value] = {
            "sort": self.sort,
            "down": self.down,
            "column": self.column,
            "contains": self.contains,
            "match": self.match,
        }
        return {**fields, **other}

    def matched(self) -> dict[str, Any]:
        """Return the columns that must have a value.

        Raises:
            BadInput: it is no JSON object.
        """
        if self.match is None:
            return {}
        try:
            values = cast("object", orjson.loads(self.match))
        except orjson.JSONDecodeError:
            values = None
        if not isinstance(values, dict):
            raise BadInput("a JSON object of columns with values is needed.", field="match")
        return cast("dict[str, Any]", values)


@dataclass(frozen=True, slots=True)
class Related:
    """Rows that a row hangs together with: what they are called, and where they are."""

    said: str
    href: str


Looking = Annotated[Looked, Depends(Looked)]


@router.get("/tables")
async def show(page: ShownPage, schema: SchemaName = "memory") -> Response:
    """Show the tables of a schema."""
    if not page.space:
        return page.render("nothing.html", title="Tables")
    schemas = [one.name for one in await page.memory.tables.schemas(space=page.space)]
    tables = await tables_of(page, schema) if schema in schemas else []
    return page.render("tables.html", schema=schema, schemas=schemas, tables=tables[:_TABLES])


@router.get("/tables/{name}")
async def table(
    page: ShownPage,
    name: str,
    looked: Looking,
    after: Annotated[str | None, Query(max_length=20_000)] = None,
    schema: SchemaName = "memory",
) -> Response:
    """Show rows of a table: a page of them, or those that are near a text in meaning."""
    tables, address = page.memory.tables, f"/tables/{name}"
    (about,) = (await tables.list(table=name, space=page.space, schema=schema)).tables
    rows = await tables.browse(
        name,
        match=looked.matched(),
        contains={looked.column: looked.contains} if looked.column and looked.contains else None,
        sort=looked.sort,
        descending=looked.down,
        after=after,
        limit=_fitting(len(about.columns)),
        characters=_CHARACTERS,
        space=page.space,
        schema=schema,
    )
    near = []
    if looked.near:
        near = await tables.near(name, looked.near, limit=_NEAR, space=page.space, schema=schema)
    options = {} if schema == "memory" else {"schema": schema}
    return page.render(
        "table.html",
        about=about,
        schema=schema,
        rows=rows,
        near=near,
        looked=looked,
        address=address,
        asked=options,
        sorts={
            one: page.link(address, **looked.query(sort=one, down=_turned(looked, one)), **options)
            for one in rows.columns
        },
        next=rows.after and page.link(address, **looked.query(after=rows.after), **options),
        first=after and page.link(address, **looked.query(), **options),
    )


@router.get("/tables/{name}/row")
async def row(
    page: ShownPage,
    name: str,
    key: Annotated[str, Query(max_length=20_000)],
    schema: SchemaName = "memory",
) -> Response:
    """Show one row: its values, the rows it refers to and those that refer to it, its vectors."""
    tables = page.memory.tables
    content = await tables.row(name, key, space=page.space, schema=schema)
    references = await tables.references(name, space=page.space, schema=schema)
    return page.render(
        "table_row.html",
        name=name,
        schema=schema,
        one=content,
        related=[one for reference in references for one in _related(page, name, schema, content, reference)],
        vectors=await tables.embedded(name, key, space=page.space, schema=schema),
        numbers=_NUMBERS,
        asked={} if schema == "memory" else {"schema": schema},
    )


def _fitting(columns: int) -> int:
    """Return the number of rows that fit a page, however wide they are."""
    return max(_LEAST_ROWS, min(_MOST_ROWS, _BYTES // (columns * (_CHARACTERS + 40))))


def _turned(looked: Looked, column: str) -> bool:
    """Return True if another click on a column sorts it in descending order."""
    return looked.sort == column and not looked.down


def _related(
    page: PageContext, name: str, schema: str, content: TableRow, reference: ForeignKey
) -> list[Related]:
    """Return the rows on the other side of a reference, seen from a row; none if it is null."""
    options: dict[str, Value] = {} if schema == "memory" else {"schema": schema}
    sides = [(reference.columns, reference.other, reference.other_columns, "refers to")]
    turned = (reference.other_columns, reference.table, reference.columns, "is referred to by")
    if reference.table != name:
        sides = [turned]
    elif reference.other == name:
        sides.append(turned)
    related: list[Related] = []
    for own, other, columns, how in sides:
        values = [content.values.get(column) for column in own]
        if None in values:
            continue
        match = orjson.dumps(dict(zip(columns, values, strict=True))).decode()
        description = f"{how} {other} ({', '.join(columns)} = {', '.join(str(one)[:80] for one in values)})"
        related.append(Related(description, page.link(f"/tables/{other}", match=match, **options)))
    return related
