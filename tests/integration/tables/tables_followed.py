"""Tables that are followed, a login past all tools, and what the index shows of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import psycopg
from psycopg import sql
from tables_house import House

_NUMBERS = count()


def heroes(house: House) -> str:
    """A space with two tables: heroes, whose story and name are embedded, and deeds, which hang on them."""
    name = f"embed{next(_NUMBERS)}"
    make = house.memory.tables.create_table
    make(
        "heroes",
        "create table heroes (id int primary key, name text, story text, level int)",
        description="Heroes",
        embed_fields=["story", "name"],
        space=name,
    )
    make(
        "deeds",
        "create table deeds (hero int references heroes on delete cascade on update cascade, day date,"
        " deed text, primary key (hero, day))",
        description="Their deeds",
        embed_fields=["deed"],
        space=name,
    )
    return name


@contextmanager
def agent(house: House, space: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection with the rights of the writer of the space, past all tools."""
    schema = house.schema(space)
    with psycopg.connect(house.url, autocommit=True) as conn:
        conn.execute(sql.SQL("set session authorization {}").format(sql.Identifier(schema.writer)))
        conn.execute(sql.SQL("set search_path = {}, public").format(sql.Identifier(schema.schema_name)))
        yield conn


def shown(house: House, space: str) -> dict[tuple[str, str, str, int], str]:
    """What the view embeddings of the space has: table, key, field and part to content."""
    found = house.memory.tables.query(
        "select source_table, source_id, field_name, chunk_index, content, embedding::text as vector"
        " from embeddings order by 1, 2, 3, 4",
        limit=1000,
        space=space,
    )
    assert all(row["vector"] for row in found.results)
    return {
        (row["source_table"], row["source_id"], row["field_name"], row["chunk_index"]): row["content"]
        for row in found.results
    }
