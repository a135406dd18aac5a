"""Looking into tables: which there are, and what a SELECT finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from quipu.interfaces.mcp.bounds import compact, fitting, more, shortened
from quipu.interfaces.mcp.model import Arguments, Caller, Desk, ToolAnswer, tool
from quipu.kernel.db.plain import plain

if TYPE_CHECKING:
    from quipu.kinds.tables.model import Table as Known


def place(caller: Caller) -> dict[str, Any]:
    """Return the place of a caller's tables."""
    return {"space": caller.space, "schema": caller.schema, "agent": caller.agent}


class TablesListArguments(Arguments):
    """Tables to list."""

    table: Annotated[str | None, Field(max_length=63, description="Only this one.")] = None
    show_columns: Annotated[bool, Field(description="List their columns, too.")] = True


class Table(ToolAnswer):
    """A table."""

    name: str
    about: str | None
    rows: Annotated[int, Field(description="An estimate.")]
    key: list[str]
    embedded: Annotated[list[str], Field(description="Columns that are found by meaning.")]
    columns: Annotated[list[str], Field(description="Each as: name type, what it holds.")]

    def text(self) -> str:
        """Return a line for the table and one for each column."""
        head = f"{self.name} (about {self.rows} rows): {self.about or 'nobody said what for'}"
        return "\n".join([head, *(f"  - {column}" for column in self.columns)])


class TablesListAnswer(ToolAnswer):
    """Tables, and what their SQL can use."""

    schema_name: str
    tables: list[Table]
    extensions: list[str]
    left_out: int = 0

    def text(self) -> str:
        """Return the tables with their columns."""
        if not self.tables:
            return f"The schema {self.schema_name} has no tables yet."
        lines = "\n".join(table.text() for table in self.tables)
        return f"Schema {self.schema_name}\n{lines}" + more(
            self.left_out, "give table or show_columns=false."
        )


@tool("List tables", level="read")
async def tables_list(desk: Desk, arguments: TablesListArguments) -> TablesListAnswer:
    """List the tables that you keep: what each is for, its columns and about how many rows.

    Use it before you write SQL or make a table; the resource quipu://tables says more.
    """
    listing = await desk.memory.tables.list(
        table=arguments.table, show_columns=arguments.show_columns, **place(desk.caller)
    )
    shown, left_out = fitting([_table(one) for one in listing.tables])
    there = {"postgis": listing.extensions.postgis, "pg_trgm": listing.extensions.pg_trgm}
    return TablesListAnswer(
        schema_name=listing.schema,
        tables=shown,
        extensions=[name for name, is_there in there.items() if is_there],
        left_out=left_out,
    )


def _table(one: Known) -> Table:
    columns = [
        f"{column.name} {column.type}"
        + ("" if column.nullable else " not null")
        + (f", {shortened(column.description, longest=200)}" if column.description else "")
        for column in one.columns
    ]
    return Table(
        name=one.name,
        about=shortened(one.description, longest=600),
        rows=one.rows,
        key=list(one.key),
        embedded=list(one.embed_fields),
        columns=columns,
    )


class TablesQueryArguments(Arguments):
    """One SELECT."""

    sql: Annotated[
        str,
        Field(
            min_length=1,
            max_length=100_000,
            description="One SELECT. :search_embedding in it is the vector of search_text.",
        ),
    ]
    search_text: Annotated[
        str | None, Field(max_length=8_000, description="The text to look for by meaning.")
    ] = None
    limit: Annotated[int, Field(ge=1, le=1_000, description="Rows at most.")] = 50


class TablesQueryAnswer(ToolAnswer):
    """The rows that a SELECT found."""

    columns: list[str]
    rows: list[dict[str, Any]]
    left_out: Annotated[int, Field(description="Rows that were found and did not fit.")] = 0
    limited: Annotated[bool, Field(description="True if there are more than the limit.")] = False
    note: str | None = None

    def text(self) -> str:
        """Return a line of JSON for each row."""
        if not self.rows:
            return "No rows."
        lines = "\n".join(compact(row) for row in self.rows)
        note = f"\n({self.note})" if self.note else ""
        return lines + note + more(self.left_out, "select fewer columns or rows.")


@tool("Query tables", level="read")
async def tables_query(desk: Desk, arguments: TablesQueryArguments) -> TablesQueryAnswer:
    """Run one SELECT over your tables, read only; PostgreSQL, joins and aggregates included.

    For search by meaning, order by embedding <=> :search_embedding over the table embeddings and give
    search_text. Returns rows as JSON.
    """
    rows = await desk.memory.tables.query(
        arguments.sql, search_text=arguments.search_text, limit=arguments.limit, **place(desk.caller)
    )
    shown, left_out = fitting([shortened(plain(dict(row))) for row in rows.results])
    return TablesQueryAnswer(
        columns=list(rows.columns), rows=shown, left_out=left_out, limited=rows.limited, note=rows.note
    )
