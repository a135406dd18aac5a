"""Making and changing the structure of tables; what loses something needs the token of a preview."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from quipu.errors import BadInput
from quipu.interfaces.mcp.bounds import compact, fitting, more, shortened
from quipu.interfaces.mcp.model import Arguments, Desk, ToolAnswer, tool
from quipu.interfaces.mcp.tools.forget import Token
from quipu.interfaces.mcp.tools.tables_read import place
from quipu.interfaces.serving.confirmation import confirmed, token, unless_lossy
from quipu.kernel.db.plain import plain

_SQL = Annotated[str, Field(min_length=1, max_length=100_000)]


class TablesAnswer(ToolAnswer):
    """Outcome of the call, done or previewed."""

    done: Annotated[bool, Field(description="False: this is a preview, nothing has changed.")]
    note: str
    rows: Annotated[int, Field(description="Rows that were touched or carried over.")] = 0
    returned: Annotated[tuple[dict[str, Any], ...], Field(description="Rows that it returned.")] = ()
    left_out: int = 0
    token: Annotated[str | None, Field(description="Of the preview.")] = None

    def text(self) -> str:
        """Return the outcome, and the next step."""
        if self.done:
            lines = [self.note, *(compact(row) for row in self.returned)]
            return "\n".join(lines) + more(self.left_out, "use tables_query with a limit.")
        return (
            f"Preview, nothing has changed. {self.note}\nTell the user and ask; if they agree, call again "
            f"with the same arguments and token {self.token}."
        )


class TablesCreateArguments(Arguments):
    """A table: its definition, and what it is for."""

    name: Annotated[str, Field(max_length=63, description="Name of the table.")]
    sql: Annotated[_SQL, Field(description="One CREATE TABLE statement.")]
    description: Annotated[
        str | None, Field(max_length=4_000, description="The content, and the questions that it will answer.")
    ] = None
    embed_fields: Annotated[
        list[str] | None, Field(description="Columns to be found by meaning; an empty list if none.")
    ] = None
    column_descriptions: Annotated[dict[str, str] | None, Field(description="Column to what it holds.")] = (
        None
    )
    replace: Annotated[bool, Field(description="Change the table of that name: recreated with its rows.")] = (
        False
    )
    mapping: Annotated[
        dict[str, str] | None, Field(description="With replace: new column to old column.")
    ] = None
    token: Token = None


@tool("Create or change a table", level="admin", destructive=True, repeatable=False)
async def tables_create(desk: Desk, arguments: TablesCreateArguments) -> TablesAnswer:
    """Create a table with one CREATE TABLE, and register what it is for.

    Tables are for data of your own: collections, logs, structured notes. With replace it changes a table:
    it is recreated with its rows; the first such call returns the differences and a token, the second one
    with the token does it.
    """
    if arguments.replace:
        return await _replace(desk, arguments)
    if arguments.description is None or arguments.embed_fields is None:
        raise BadInput(
            "say what the table is for, and which columns are to be found by meaning.",
            field="description" if arguments.description is None else "embed_fields",
            hint="embed_fields is an empty list where none is.",
        )
    done = await desk.memory.tables.create_table(
        arguments.name,
        arguments.sql,
        description=arguments.description,
        embed_fields=arguments.embed_fields,
        column_descriptions=arguments.column_descriptions,
        **place(desk.caller),
    )
    return TablesAnswer(done=True, note=done.note or done.status)


async def _replace(desk: Desk, arguments: TablesCreateArguments) -> TablesAnswer:
    changes = arguments.model_dump(
        include={"sql", "mapping", "embed_fields", "description", "column_descriptions"}
    )
    sql = changes.pop("sql")
    recreate = desk.memory.tables.recreate
    plan = await recreate(arguments.name, sql, **changes, **place(desk.caller))
    act = {**asdict(plan), **changes, "sql": sql, **place(desk.caller)}
    lines = [f"{plan.table} is recreated; {plan.rows} rows come along.", *plan.diff]
    lines += [f"lost: {lost}" for lost in plan.lost]
    if not confirmed(arguments.token, "replace table", act):
        shown = "\n".join(lines)
        return TablesAnswer(done=False, note=shown, rows=plan.rows, token=token("replace table", act))
    done = await recreate(arguments.name, sql, confirm=plan, **changes, **place(desk.caller))
    return TablesAnswer(done=True, note=f"{done.table} was recreated with {done.rows} rows.", rows=done.rows)


class TablesExecuteArguments(Arguments):
    """One statement."""

    sql: Annotated[_SQL, Field(description="One statement, such as CREATE INDEX or INSERT ... SELECT.")]
    token: Token = None


@tool("Execute SQL", level="admin", destructive=True, repeatable=False)
async def tables_execute(desk: Desk, arguments: TablesExecuteArguments) -> TablesAnswer:
    """Run one other statement over your tables: CREATE INDEX, CREATE VIEW, INSERT ...

    SELECT. It is tried first: what takes something away (rows, definitions) returns a token and is done
    by a second call with it, after the user agreed.
    """
    here, execute = place(desk.caller), desk.memory.tables.execute
    done, confirm = await unless_lossy(
        "execute",
        arguments.token,
        lambda seen: execute(arguments.sql, confirm=seen, **here),
        shown=lambda tried: {"sql": arguments.sql, "lost": list(tried.lost), **here},
    )
    if confirm is not None:
        lost = fitting(done.lost)
        note = f"It takes away: {'; '.join(lost[0])}{f' and {lost[1]} more' if lost[1] else ''}."
        return TablesAnswer(done=False, note=note, token=confirm)
    shown, left_out = fitting([shortened(plain(dict(row))) for row in done.returned])
    note = f"{done.status}." + (f" {done.note}" if done.note else "")
    return TablesAnswer(done=True, note=note, rows=done.rows, returned=tuple(shown), left_out=left_out)
