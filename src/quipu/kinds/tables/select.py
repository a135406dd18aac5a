"""Queries on the reader's login: they only read; rows, bytes and seconds are bounded."""

from __future__ import annotations

from typing import Final

from quipu.errors import BadInput
from quipu.kernel.db.database import Connection
from quipu.kernel.db.tokens import refuse_numbered
from quipu.kinds.tables import catalogue
from quipu.kinds.tables.access import SchemaPlace
from quipu.kinds.tables.ddl import statement_of
from quipu.kinds.tables.engine import Engine
from quipu.kinds.tables.exchange import MOST_BYTES, Rows, exchange, reading
from quipu.kinds.tables.model import Selected
from quipu.kinds.tables.refusals import Request
from quipu.kinds.tables.scan import bind
from quipu.recall.generations import Models

ROWS: Final = 50
MOST_ROWS: Final = 1_000
PARAMETER: Final = "search_embedding"
_PLAN: Final = "QUERY PLAN"


async def select(
    engine: Engine,
    models: Models,
    place: SchemaPlace,
    statement: object,
    *,
    search_text: object,
    limit: object,
) -> Selected:
    """Return the rows of a query, at most ``limit``, with the vector of ``search_text`` in its place."""
    most = _limit(limit)
    text, places = bind(statement_of(statement), PARAMETER, 1)
    refuse_numbered(text)
    _check_search(search_text, places)
    async with engine.access.entered(place, "read") as (tx, schema):
        tables = await catalogue.table_names(tx, schema)
        generation = tx.space.generation
    values: list[str] = []
    if isinstance(search_text, str) and places:
        embedded = await models.embed([search_text], generation=generation, role="query")
        values = ["[" + ",".join(f"{number:.6g}" for number in embedded.vectors[0].tolist()) + "]"]
    request = Request(
        schema=schema, field="sql", seconds=engine.seconds, reads=True, statement=text, tables=tables
    )

    async def work(conn: Connection) -> Rows:
        async with reading(conn):
            return await exchange(conn, text, values, most=most)

    rows = await engine.run(place.space, request, "reader", work)
    results = rows.rows
    if rows.columns == (_PLAN,):
        results = tuple({_PLAN: schema.names.in_plan(row[_PLAN])} for row in results)
    return Selected(
        columns=rows.columns, results=results, limit=most, limited=rows.limited, note=_note(rows, most)
    )


def _note(rows: Rows, most: int) -> str | None:
    if rows.full:
        return f"The rest was left out: an answer has at most {MOST_BYTES:,} bytes. Ask for fewer columns."
    if rows.limited:
        return f"There are more than {most} rows. Ask more narrowly, or for more (up to {MOST_ROWS:,})."
    return None


def _limit(value: object) -> int:
    if value is None:
        return ROWS
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_ROWS:
        raise BadInput(f"a whole number from 1 to {MOST_ROWS:,}.", field="limit")
    return value


def _check_search(search_text: object, places: int) -> None:
    if search_text is None and places:
        raise BadInput(
            f"the query has :{PARAMETER}, but there is no text for it.",
            field="search_text",
            hint="Give search_text.",
        )
    if search_text is not None and (not isinstance(search_text, str) or not search_text.strip()):
        raise BadInput("give a text.", field="search_text")
    if search_text is not None and not places:
        raise BadInput(
            f"the query does not use it: :{PARAMETER} stands nowhere in it.",
            field="search_text",
            hint=f"… ORDER BY e.embedding <=> :{PARAMETER}",
        )
