"""Agents' tables as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows
from quipu.interfaces.cli.views.text import count, visible

if TYPE_CHECKING:
    from quipu.kinds.tables import model
    from quipu.kinds.tables.recreate import Recreated

_LONGEST = 120


schemas = Rows["model.Schema"](
    {"name": lambda one: one.name, "description": lambda one: one.description or ""},
    none="No schemas yet. The first use makes `memory`.",
)
"""Schemas, each in a row."""

grants = Rows["model.Grant"](
    {
        "schema": lambda one: one.schema,
        "agent": lambda one: one.agent,
        "may": lambda one: one.permission,
    },
    none="No agent was granted anything.",
)
"""The permissions of agents."""


def done(answer: model.Done) -> RenderableType:
    """Show the outcome of a statement."""
    if answer.undone:
        lost = [f"takes away: {one}" for one in answer.lost] or ["It takes nothing away."]
        return Text(visible("\n".join(lost)))
    if answer.returned:
        return _rows(list(answer.returned[0]), answer.returned)
    lines = [answer.status] + ([f"{answer.embedded:,} vectors"] if answer.embedded else [])
    return Text(visible("\n".join([*lines, *([answer.note] if answer.note else [])])))


def _changed(answer: model.Changed, word: str) -> RenderableType:
    done = f"would be {word}" if answer.undone else word
    summary = f"{count(answer.rows, 'row')} {done} in {answer.table}."
    keys = [", ".join(str(value) for value in key.values()) for key in answer.keys[:20]]
    return Text(visible("\n".join([summary, *keys, *(f"also: {line}" for line in answer.lost)])))


inserted = partial(_changed, word="inserted")
updated = partial(_changed, word="updated")
deleted = partial(_changed, word="deleted")
"""Rows that were changed or would be, by their keys."""


def found(answer: model.Selected) -> RenderableType:
    """Show the rows of a query."""
    if not answer.results:
        return Text("No rows.", style="dim")
    return _rows(answer.columns, answer.results)


def listing(tables: model.Listing) -> RenderableType:
    """Show tables with their columns."""
    parts: list[RenderableType] = []
    for table in tables.tables:
        own = " (the engine's)" if table.protected else ""
        description = f": {table.description}" if table.description else ""
        parts.append(Text(visible(f"{table.name}{own}, about {count(table.rows, 'row')}{description}")))
        if table.columns:
            parts.append(_columns(table))
    there = "there" if tables.extensions.postgis else "not on this server"
    parts.append(Text(f"PostGIS is {there}.", style="dim"))
    return Group(*parts)


def recreated(answer: Recreated) -> RenderableType:
    """Show the plan, what differs, and what is lost."""
    lines = [f"{place}. {step}" for place, step in enumerate(answer.steps, start=1)]
    lines += ["", *answer.diff] if answer.diff else ["", "Nothing of the definition differs."]
    lines += [f"lost: {one}" for one in answer.lost]
    if answer.tried < answer.rows and answer.undone:
        lines.append(f"Tried with {answer.tried:,} of {answer.rows:,} rows: one of the others may not fit.")
    return Text(visible("\n".join(lines)))


def schema(made: model.Schema) -> RenderableType:
    """Show a schema that was made."""
    return schemas([made])


def dropped(schema: model.DroppedSchema) -> RenderableType:
    """Show the tables that go with a schema."""
    tables = [f"{name}, about {count(rows, 'row')}" for name, rows in schema.tables.items()]
    return Text(visible("\n".join(tables or ["The schema has no tables."])))


def _columns(table: model.Table) -> RenderableType:
    rows = Table(box=None, pad_edge=False, show_header=False)
    for column in table.columns:
        marks = [*(["key"] if column.name in table.key else []), *(["embedded"] if column.embedded else [])]
        kind = column.type + ("" if column.nullable else " not null")
        rows.add_row("  " + visible(column.name), kind, ", ".join(marks), visible(column.description or ""))
    return rows


def _rows(columns: Sequence[str], cells: Sequence[Mapping[str, Any]]) -> RenderableType:
    rows = Table(*map(visible, columns), box=None, pad_edge=False)
    for row in cells:
        rows.add_row(*(_cell(row[name]) for name in columns))
    return rows


def _cell(value: Any) -> str:
    text = "" if value is None else visible(str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
