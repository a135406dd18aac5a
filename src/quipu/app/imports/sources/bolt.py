"""Graphs of Graphiti in Neo4j, read over bolt (the extra ``neo4j``)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from quipu.app.imports.fields import list_of, object_of
from quipu.app.imports.found import JSON
from quipu.errors import BadInput, MissingExtra

SCHEMES: Final = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
_QUERIES: Final = {
    "episodes": "match (e:Episodic) return e {.*} as record order by e.valid_at, e.uuid",
    "entities": "match (n:Entity) return n {.*, labels: labels(n), name_embedding: null} as record",
    "facts": "match (a:Entity)-[e:RELATES_TO]->(b:Entity) return e {.*, fact_embedding: null,"
    " source_node_uuid: a.uuid, target_node_uuid: b.uuid} as record order by e.created_at, e.uuid",
}


@contextmanager
def reading(url: str) -> Generator[Callable[[str], Iterator[tuple[str, JSON]]]]:
    """Join a server, for the block; give what reads its episodes, entities or facts, each with its place.

    Its URL has the user, the password and the database as a path: ``bolt://neo4j:secret@host:7687/neo4j``.

    Raises:
        MissingExtra: the driver of Neo4j is not installed.
        BadInput: nobody answers there, or not to us.
    """
    try:
        neo4j = import_module("neo4j")
    except ImportError as error:
        raise MissingExtra("neo4j", "Reading a graph over bolt") from error
    at = urlsplit(url)
    auth = (unquote(at.username), unquote(at.password or "")) if at.username else None
    server = f"{at.scheme}://{at.netloc.rpartition('@')[2]}"
    failures = (neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError)
    try:
        with (
            neo4j.GraphDatabase.driver(server, auth=auth) as driver,
            driver.session(
                database=at.path.strip("/") or None, default_access_mode=neo4j.READ_ACCESS
            ) as session,
        ):

            def records(kind: str) -> Iterator[tuple[str, JSON]]:
                for number, row in enumerate(session.run(_QUERIES[kind]), start=1):
                    yield f"{server}, {kind} {number:,}", _plain(row["record"])

            yield records
    except failures as error:
        raise BadInput(f"{server} cannot be read: {error}", field="url") from error


def _plain(value: Any) -> JSON:
    """Return a value of Neo4j as JSON: its times as ISO 8601, anything else that JSON has not as text."""
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in object_of(value).items()}
    if isinstance(value, list):
        return [_plain(one) for one in list_of(value)]
    if hasattr(value, "iso_format"):
        return value.iso_format()
    return value if isinstance(value, str | int | float | bool | None) else str(value)
