"""Databases of PostgreSQL that other systems keep, by URL: one snapshot, read only, row by row.

Names that are no part of such a URL are ours, and taken out of it: ``postgresql://host/db?collection=mem0``.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import psycopg
from psycopg.rows import DictRow, dict_row
from psycopg.sql import Identifier
from psycopg.types.string import TextLoader

from quipu.errors import BadInput
from quipu.kernel.db import queries

SCHEMES: Final = ("postgresql", "postgres")

_READ: Final = queries.load("quipu.app.imports", folder="rows")
_AS_TEXT: Final = ("json", "jsonb", "uuid", "timestamp", "timestamptz")
_SECONDS: Final = 15
_ROWS: Final = 500


class Postgres:
    """A connection to a database of another system. JSON, ids and times come as texts, for us to judge."""

    def __init__(self, connection: psycopg.Connection[DictRow]) -> None:
        self._connection = connection
        self._numbers = count()

    def rows(
        self, query: str, values: Mapping[str, Any] | None = None, **tables: str
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of a query, fetched in pieces; ``tables`` stand for names in braces."""
        statement = _READ.fill(query, **{name: Identifier(table) for name, table in tables.items()})
        with self._connection.cursor(name=f"quipu_{next(self._numbers)}") as cursor:
            cursor.itersize = _ROWS
            yield from cursor.execute(statement, values)

    def tables(self, *columns: str) -> list[str]:
        """Return the tables in the search path that have these columns, by name."""
        found = self.rows("postgres_tables", {"columns": list(columns)})
        return [row["name"] for row in found]


@contextmanager
def reading(url: str, *ours: str) -> Generator[tuple[Postgres, Mapping[str, str]]]:
    """Open a database for the block, beside it what the URL says under names that are ours.

    Raises:
        BadInput: it cannot be reached or read, or has no such tables.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise BadInput("it is no URL of a database.", field="path") from error
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    rest = urlencode({name: value for name, value in given.items() if name not in ours}, quote_via=quote)
    try:
        with psycopg.Connection[DictRow].connect(
            f"{parts.scheme}://{parts.netloc}{parts.path}?{rest}",
            row_factory=dict_row,  # pyright: ignore[reportArgumentType] - its overloads miss a class of rows
            connect_timeout=_SECONDS,
            application_name="quipu",
        ) as connection:
            for kind in _AS_TEXT:
                connection.adapters.register_loader(kind, TextLoader)
            connection.read_only = True
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            yield Postgres(connection), {name: given[name] for name in ours if name in given}
    except psycopg.Error as error:
        first = str(error).strip().partition("\n")[0]
        where = f"{parts.hostname or ''}{parts.path}"
        raise BadInput(f"The database {where} cannot be read: {first}.", field="path") from error
