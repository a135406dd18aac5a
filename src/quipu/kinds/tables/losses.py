"""What a statement takes away: what there is before and after it is compared. Its words decide nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString, cast

from psycopg import sql

from quipu.errors import BadInput
from quipu.kernel.db.database import Connection
from quipu.kinds.tables.running import run
from quipu.kinds.tables.templates import fill

_WHOLE: Final = re.compile(r"table (?P<table>.+?)(?: goes|: emptied or written anew)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class State:
    """An object of a schema: how it is defined, and rows that the transaction updated and deleted so far."""

    definition: str | None
    updated: int
    deleted: int


async def own_state(conn: Connection) -> dict[str, State]:
    """Read the objects of the writer who is logged in, as the transaction sees them."""
    rows = (await run(conn, fill("own_state"))).rows
    return {row["object"]: State(row["state"], row["updated"], row["deleted"]) for row in rows}


def losses(before: Mapping[str, State], after: Mapping[str, State]) -> tuple[str, ...]:
    """Return what is lost from one state to the other, a line each: rows, definitions, objects."""
    lines: list[str] = []
    for name, was in before.items():
        now = after.get(name)
        if now is None:
            lines.append(f"{name} goes")
            continue
        if now.deleted > was.deleted:
            lines.append(f"{name}: {now.deleted - was.deleted:,} rows deleted")
        if now.updated > was.updated:
            lines.append(f"{name}: {now.updated - was.updated:,} rows changed")
        if now.definition != was.definition:
            lines.append(
                f"{name}: emptied or written anew" if name.startswith("table ") else f"{name}: replaced"
            )
    return tuple(sorted(lines))


async def with_counts(conn: Connection, lost: Sequence[str]) -> tuple[str, ...]:
    """Say of each table that goes or is emptied how many rows it has; for a transaction that was undone."""
    lines: list[str] = []
    for line in lost:
        found = _WHOLE.fullmatch(line)
        if found is not None:
            # PostgreSQL itself wrote the name, of the agent's own table and for the agent's own connection.
            table = sql.SQL(cast(LiteralString, found["table"]))
            (row,) = (await run(conn, fill("count_rows", table=table))).rows
            line = f"{line} ({row['count']:,} rows)"
        lines.append(line)
    return tuple(lines)


def refuse_losses(before: Mapping[str, State], after: Mapping[str, State]) -> None:
    """Refuse a definition that also takes something away.

    Raises:
        BadInput: something is lost; names it.
    """
    lost = losses(before, after)
    if lost:
        raise BadInput(
            f"to define a table must take nothing away; this does: {'; '.join(lost[:5])}.",
            field="sql",
            hint="Nothing was changed. Do that in a statement of its own.",
        )
