"""The tools under the names of the seed: what a model calls, and the envelope that it gets back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, Final, TypedDict, cast

from quipu.errors import BadInput, QuipuError
from quipu.kernel.db.plain import plain
from quipu.kinds.tables.names import nearest


class Envelope(TypedDict):
    """Result of a tool: its answer, or what went wrong."""

    output: Any
    is_error: bool


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its name, what it does, the method behind it, its parameters and those that must be given."""

    name: str
    about: str
    method: str
    parameters: Mapping[str, str]
    required: tuple[str, ...]


_SCHEMA: Final = {"schema": "Short name of the schema; memory if not given."}
TOOLS: Final = (
    Tool(
        "memory:schema:create-table",
        "Create a table and register what it is for.",
        "create_table",
        {
            "name": "Name of the table.",
            "description": "What it holds, what will be asked of it, how it relates to others, an example.",
            "embed_fields": "Columns to be found by meaning; an empty list if none.",
            "column_descriptions": "The meaning of each column: column to text.",
            "sql": "One CREATE TABLE statement.",
        },
        ("name", "description", "embed_fields", "sql"),
    ),
    Tool("memory:schema:execute", "Run one other statement.", "execute", {"sql": "The statement."}, ("sql",)),
    Tool(
        "memory:schema:list-tables",
        "List tables with columns, descriptions and row estimates.",
        "list",
        {"table": "Only this table.", "show_columns": "Whether to list columns; true if not given."},
        (),
    ),
    Tool(
        "memory:schema:recreate",
        "Change a table: recreate it with its rows, embeddings and indexes, in one transaction.",
        "recreate",
        {
            "table": "Name of the table.",
            "sql": "One CREATE TABLE of the same name: the whole new definition.",
            "mapping": "New column to old column, where the name differs.",
            "embed_fields": "Columns to be found by meaning; as before if not given.",
            "description": "What it is for; as before if not given.",
            "column_descriptions": "What columns hold; as before if not given.",
            "dry_run": "Only show the plan and the differences.",
        },
        ("table", "sql"),
    ),
    Tool(
        "memory:query",
        "Answer one SELECT; read only.",
        "query",
        {
            "sql": "The query; :search_embedding stands for the vector of search_text.",
            "search_text": "The text to look for by meaning.",
            "limit": "Rows at most; 50 if not given, up to 1,000.",
        },
        ("sql",),
    ),
    Tool(
        "memory:insert",
        "Insert a row, or several.",
        "insert",
        {"table": "Name of the table.", "data": "Column to value, or a list of such rows."},
        ("table", "data"),
    ),
    Tool(
        "memory:update",
        "Update the rows that satisfy a condition.",
        "update",
        {
            "table": "Name of the table.",
            "data": "Column to new value.",
            "where": "Which rows.",
            "dry_run": "Only say which rows it would be.",
        },
        ("table", "data", "where"),
    ),
    Tool(
        "memory:delete",
        "Delete the rows that satisfy a condition.",
        "delete",
        {
            "table": "Name of the table.",
            "where": "Which rows.",
            "dry_run": "Only say which rows it would be.",
        },
        ("table", "where"),
    ),
)
_CONFIRMED: Final = ("execute", "recreate", "update", "delete")
_BY_NAME: Final = {_tool.name.replace(":", "_").replace("-", "_"): _tool for _tool in TOOLS}


async def call(
    tables: object, tool: str, arguments: object, *, space: str, schema: str, agent: str | None
) -> Envelope:
    """Call a tool: a method of ``tables``, which is AsyncTables.

    What we refuse is told in the envelope, with the tool's name and the way out.
    """
    try:
        known = _find(tool)
        given = _told_at_once(known, _checked(known, arguments))
        where = {"space": space, "schema": given.pop("schema", None) or schema, "agent": agent}
        method = cast("Callable[..., Awaitable[object]]", getattr(tables, known.method))
        done = await method(**given, **where)
    except QuipuError as error:
        hint = f"\n{error.hint}" if error.hint else ""
        return {"output": f"{tool}: {error.message}{hint}", "is_error": True}
    return {"output": _shown(known, done), "is_error": False}


def _find(name: object) -> Tool:
    known = [tool.name for tool in TOOLS]
    tool_named = _BY_NAME.get(name.replace(":", "_").replace("-", "_")) if isinstance(name, str) else None
    if tool_named is None:
        raise BadInput("there is no such tool.", field="tool", hint=nearest(str(name), known))
    return tool_named


def _checked(tool: Tool, arguments: object) -> dict[str, Any]:
    if not isinstance(arguments, Mapping):
        raise BadInput("an object is needed.", field="arguments")
    given = {
        str(name).replace("-", "_"): value for name, value in cast("Mapping[Any, Any]", arguments).items()
    }
    known = [*tool.parameters, *_SCHEMA]
    for name in given:
        if name not in known:
            raise BadInput("there is no such parameter.", field=name, hint=nearest(name, known))
    for name in tool.required:
        if name not in given:
            raise BadInput(f"it is needed: {tool.parameters[name]}", field=name)
    return {name: value for name, value in given.items() if value is not None or name in tool.required}


def _told_at_once(tool: Tool, given: dict[str, Any]) -> dict[str, Any]:
    """Return the method's arguments: a change is made at once, unless ``dry_run`` is given."""
    if tool.method not in _CONFIRMED:
        return given
    trial = given.pop("dry_run", False)
    if not isinstance(trial, bool):
        raise BadInput("true or false.", field="dry_run")
    shown = {"show_first": True} if trial and tool.method == "update" else {}
    return {**given, **shown, "confirm": not trial}


def _shown(tool: Tool, done: object) -> Any:
    """Return the answer as JSON; a query's as the seed has it."""
    shown = plain(asdict(done)) if is_dataclass(done) and not isinstance(done, type) else plain(done)
    if tool.method != "query":
        return shown
    return {
        "results": shown["results"],
        "count": len(shown["results"]),
        "_meta": {"limit_applied": shown["limit"], "note": shown["note"]},
    }
