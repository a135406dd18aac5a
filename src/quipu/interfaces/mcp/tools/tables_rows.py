"""Writing rows of tables: inserting, updating, deleting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from quipu.errors import BadInput
from quipu.interfaces.mcp.bounds import compact, fitting, more
from quipu.interfaces.mcp.model import Arguments, Desk, ToolAnswer, tool
from quipu.interfaces.mcp.tools.forget import Token
from quipu.interfaces.mcp.tools.tables_read import place
from quipu.interfaces.serving.confirmation import unless_lossy
from quipu.kernel.db.plain import plain
from quipu.kinds.tables.model import Changed


class TablesWriteArguments(Arguments):
    """Action on rows."""

    action: Literal["insert", "update", "delete"]
    table: Annotated[str, Field(min_length=1, max_length=63, description="Name of the table.")]
    data: Annotated[
        dict[str, Any] | list[dict[str, Any]] | None,
        Field(description="insert: a row or a list of rows; update: the new values. Column to value."),
    ] = None
    where: Annotated[
        dict[str, Any] | str | None,
        Field(description='update and delete: {"id": 5}, {"level": {">": 3}}, or a condition in SQL.'),
    ] = None
    token: Token = None


class TablesWriteAnswer(ToolAnswer):
    """Rows that were written, or would be."""

    done: Annotated[bool, Field(description="False: this is a preview, nothing has changed.")]
    note: str
    rows: int = 0
    keys: Annotated[tuple[dict[str, Any], ...], Field(description="Primary keys of the rows.")] = ()
    left_out: int = 0
    token: Annotated[str | None, Field(description="Of the preview.")] = None

    def text(self) -> str:
        """Return a sentence, and the keys."""
        keys = f" Keys: {', '.join(compact(key) for key in self.keys)}." if self.keys else ""
        summary = self.note + keys + more(self.left_out, "tables_query finds them.")
        if self.done:
            return summary
        return (
            f"Preview, nothing has changed. {summary} If that is meant, call again with the same "
            f"arguments and token {self.token}."
        )


@tool("Write rows", level="write", destructive=True, repeatable=False)
async def tables_write(desk: Desk, arguments: TablesWriteArguments) -> TablesWriteAnswer:
    """Insert, update or delete rows of one of your tables.

    What is to be found by meaning is embedded by itself. An update replaces whole values, so read before
    you write. A delete, and what takes more away as by a trigger, returns a token first and is done by a
    second call with it. Returns how many rows, and their keys.
    """
    if arguments.action != "insert" and arguments.where is None:
        raise BadInput("say which rows.", field="where", hint='{"id": 5} or SQL; "true" is all rows.')
    if arguments.action != "delete" and arguments.data is None:
        raise BadInput("give the values: column to value.", field="data", hint='{"name": "Thorin"}')
    if arguments.action == "update" and isinstance(arguments.data, list):
        raise BadInput("an update takes one object: column to new value.", field="data")
    named = {**arguments.model_dump(include={"action", "table", "data", "where"}), **place(desk.caller)}

    def shown(tried: Changed) -> Mapping[str, object]:
        return named | tried.counts()

    changed, token = await unless_lossy(
        "write rows", arguments.token, lambda seen: _put(desk, arguments, seen), shown=shown
    )
    keys, _ = fitting([plain(dict(key)) for key in changed.keys], most_tokens=500)
    if token is None:
        done = {"insert": "inserted into", "update": "updated in", "delete": "deleted from"}[arguments.action]
        note = f"{changed.rows} rows {done} {changed.table}."
        if arguments.action == "delete":
            return TablesWriteAnswer(done=True, note=note, rows=changed.rows)
        left_out = len(changed.keys) - len(keys)
        return TablesWriteAnswer(done=True, note=note, rows=changed.rows, keys=tuple(keys), left_out=left_out)
    if arguments.action != "delete":
        word = "inserted into" if arguments.action == "insert" else "updated in"
        note = f"{changed.rows} rows {word} {changed.table}, and it takes away: {_lost(changed.lost)}."
        return TablesWriteAnswer(done=False, note=note, token=token)
    along = f", and with them: {_lost(changed.lost)}" if changed.lost else ""
    return TablesWriteAnswer(
        done=False,
        note=f"{changed.rows} rows of {changed.table} would go{along}.",
        rows=changed.rows,
        keys=tuple(keys),
        left_out=changed.rows - len(keys),
        token=token,
    )


async def _put(desk: Desk, arguments: TablesWriteArguments, seen: Changed | Literal[False]) -> Changed:
    """Insert, update or delete; what takes something away that was not seen is not done."""
    tables, data = desk.memory.tables, arguments.data or {}
    here: dict[str, Any] = {**place(desk.caller), "confirm": seen}
    if arguments.action == "insert":
        return await tables.insert(arguments.table, data, **here)
    where = arguments.where or ""
    if arguments.action == "delete":
        return await tables.delete(arguments.table, where=where, **here)
    assert not isinstance(data, list)
    return await tables.update(arguments.table, data, where=where, **here)


def _lost(lines: Sequence[str]) -> str:
    shown, left_out = fitting(lines)
    return "; ".join(shown) + (f" and {left_out} more" if left_out else "")
