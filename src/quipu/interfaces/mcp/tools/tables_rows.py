"""Writing rows of tables: inserting, updating, deleting."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from quipu.errors import BadInput
from quipu.interfaces.mcp.bounds import compact, fitting, more
from quipu.interfaces.mcp.model import Answer, Desk, Given, Tool
from quipu.interfaces.mcp.tools.forgetting import Token
from quipu.interfaces.mcp.tools.tables_looking import place
from quipu.interfaces.serving.confirming import confirmed, token
from quipu.kernel.db.plain import plain


class TablesWriteGiven(Given):
    """What to do with which rows."""

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


class TablesWriteAnswer(Answer):
    """Which rows were written, or would be."""

    done: Annotated[bool, Field(description="False: this is a preview, nothing has changed.")]
    note: str
    rows: int = 0
    keys: Annotated[tuple[dict[str, Any], ...], Field(description="Primary keys of the rows.")] = ()
    left_out: int = 0
    token: Annotated[str | None, Field(description="Of the preview.")] = None

    def text(self) -> str:
        """A sentence, and the keys."""
        keys = f" Keys: {', '.join(compact(key) for key in self.keys)}." if self.keys else ""
        told = self.note + keys + more(self.left_out, "tables_query finds them.")
        if self.done:
            return told
        return (
            f"Preview, nothing has changed. {told} If that is meant, call again with the same "
            f"arguments and token {self.token}."
        )


async def _write(desk: Desk, given: TablesWriteGiven) -> TablesWriteAnswer:
    tables, where = desk.memory.tables, place(desk.caller)
    if given.action != "insert" and given.where is None:
        raise BadInput("say which rows.", field="where", hint='{"id": 5} or SQL; "true" is all rows.')
    if given.action == "delete":
        return await _delete(desk, given)
    if given.data is None:
        raise BadInput("give the values: column to value.", field="data", hint='{"name": "Thorin"}')
    if given.action == "insert":
        changed = await tables.insert(given.table, given.data, **where)
    elif isinstance(given.data, list):
        raise BadInput("an update takes one object: column to new value.", field="data")
    else:
        changed = await tables.update(given.table, given.data, where=given.where or "", **where)
    shown, left_out = fitting([plain(dict(key)) for key in changed.keys], most_tokens=500)
    done = "inserted into" if given.action == "insert" else "updated in"
    note = f"{changed.rows} rows {done} {changed.table}."
    return TablesWriteAnswer(done=True, note=note, rows=changed.rows, keys=tuple(shown), left_out=left_out)


async def _delete(desk: Desk, given: TablesWriteGiven) -> TablesWriteAnswer:
    tables, here, where = desk.memory.tables, place(desk.caller), given.where or ""
    tried = await tables.delete(given.table, where=where, dry_run=True, **here)
    keys = [plain(dict(key)) for key in tried.keys]
    seen = sorted(map(compact, keys)) if len(keys) == tried.rows else []  # which are the first is chance
    act = {"table": given.table, "where": where, **here, "rows": tried.rows, "keys": seen}
    if not confirmed(given.token, "delete rows", act):
        shown, _ = fitting(keys, most_tokens=500)
        return TablesWriteAnswer(
            done=False,
            note=f"{tried.rows} rows of {tried.table} would go.",
            rows=tried.rows,
            keys=tuple(shown),
            left_out=tried.rows - len(shown),
            token=token("delete rows", act),
        )
    changed = await tables.delete(given.table, where=where, **here)
    note = f"{changed.rows} rows deleted from {changed.table}."
    return TablesWriteAnswer(done=True, note=note, rows=changed.rows)


TABLES_WRITE: Final = Tool(
    name="tables_write",
    title="Write rows",
    about=(
        "Insert, update or delete rows of one of your tables; what is to be found by meaning is embedded "
        "by itself. An update replaces whole values, so read before you write. A delete returns a token "
        "first and is done by a second call with it. Returns how many rows, and their keys."
    ),
    level="write",
    given=TablesWriteGiven,
    answer=TablesWriteAnswer,
    call=_write,
    destructive=True,
    repeatable=False,
)
