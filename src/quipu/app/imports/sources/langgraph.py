"""LangGraph: the items of its stores, and the messages in its checkpoints, of SQLite and of PostgreSQL.

Store: ``store(prefix, key, value json, created_at, updated_at, expires_at, ttl_minutes)``, the prefix being
the namespace with dots between its names; ``store_vectors(prefix, key, field_name, embedding)``. An item
becomes the document that our face of LangGraph reads: the namespace is its path. One that has no vector where
others have them was kept out of the search. Checkpoints: `langgraph_threads`.
Times of SQLite are UTC and do not say so.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, Final

from quipu.app.imports.fields import Account, Fields, Unreadable, as_list, as_object, plain_row
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Filed, Found
from quipu.app.imports.source import Source
from quipu.app.imports.sources import postgres
from quipu.app.imports.sources.langgraph_threads import PostgresSaver, SqliteSaver, threads
from quipu.errors import BadInput
from quipu.kernel.db import queries
from quipu.kinds.documents.rules import index_paths

_READ: Final = queries.load("quipu.app.imports", folder="rows")
_STORE: Final = frozenset({"prefix", "key", "value"})
_CHECKPOINTS: Final = frozenset({"thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint"})
_WRITES: Final = ("thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx", "channel", "type")
_DOTS: Final = (
    "Namespaces are divided at their dots, as LangGraph writes them; a name with a dot is two names."
)
_UTC: Final = "Times without a zone are in UTC, as SQLite writes them."
_MINUTE: Final = 60.0
_NUMBER: Final = re.compile(r"\.\d+$")

Row = Mapping[str, Any]


def _recognise(files: SourceFiles) -> bool:
    return any(_kinds(files.tables_in(name)) for name in files.names)


def _kinds(tables: Mapping[str, list[str]]) -> list[str]:
    """Return the parts of LangGraph that a database has tables for."""
    needed = {"store": _STORE, "checkpoints": _CHECKPOINTS}
    return [name for name, columns in needed.items() if columns <= set(tables.get(name, ()))]


def _read(files: SourceFiles, account: Account) -> Iterator[Found]:
    account.assume(_UTC)
    others = 0
    for name in files.names:
        tables = files.tables_in(name)
        kinds = _kinds(tables)
        others += not kinds
        if kinds:
            with files.sqlite(name) as connection:
                if "checkpoints" in kinds:
                    has_writes = {*_WRITES, "value"} <= set(tables.get("writes", ()))
                    yield from threads(SqliteSaver(connection, has_writes=has_writes), account)
                if "store" in kinds:

                    def rows(query: str, connection: sqlite3.Connection = connection) -> Iterator[Row]:
                        return map(dict, connection.execute(_READ[f"langgraph_{query}"]))

                    has_vectors = {"prefix", "key", "field_name"} <= set(tables.get("store_vectors", ()))
                    yield from _items(rows, account, has_vectors=has_vectors)
    if others == len(files.names):
        raise BadInput(f"{files.path} has no store and no checkpoints of LangGraph.", field="path")
    if others:
        account.leave_out("a file that is not of LangGraph", others)


def _connect(url: str, account: Account) -> Iterator[Found]:
    with postgres.reading(url) as (database, _):
        has_store = "store" in database.tables(*_STORE)
        has_checkpoints = "checkpoints" in database.tables(*_CHECKPOINTS)
        if not has_store and not has_checkpoints:
            raise BadInput("The database has no store and no checkpoints of LangGraph.", field="path")
        if has_checkpoints:
            has_writes = "checkpoint_writes" in database.tables(*_WRITES, "blob")
            yield from threads(PostgresSaver(database, has_writes=has_writes), account)
        if has_store:
            has_vectors = "store_vectors" in database.tables("prefix", "key", "field_name")
            yield from _items(
                lambda query: database.rows(f"postgres_{query}"), account, has_vectors=has_vectors
            )


def _items(rows: Callable[[str], Iterator[Row]], account: Account, *, has_vectors: bool) -> Iterator[Filed]:
    named = {_path(row["field_name"]) for row in rows("found_by")} if has_vectors else set[str]()
    for number, row in enumerate(rows("items_found" if named else "items"), start=1):
        with account.reading(f"item {number:,}"), account.fields(row, "item") as given:
            found_by = (as_list(given.json("found_by")) or []) if named else []
            account.drop("store_vectors.embedding", len(found_by))
            yield _item(given, row, found_by, named, account)


def _item(given: Fields, row: Row, found_by: Sequence[JSON], named: Set[str], account: Account) -> Filed:
    prefix, key, value = given.words("prefix"), given.words("key"), as_object(given.json("value"))
    if value is None:
        raise Unreadable("item.value", "it is no object")
    if "." in prefix:
        account.assume(_DOTS)
    minutes = given.number("ttl_minutes")
    created, updated = given.time("created_at"), given.time("updated_at")
    return Filed(
        id=f"{prefix}/{key}",
        path=tuple(prefix.split(".")),
        key=key,
        value=value,
        created_at=created,
        updated_at=updated,
        expires_at=given.time("expires_at"),
        ttl_seconds=None if minutes is None else minutes * _MINUTE,
        index=_index(value, found_by, named),
        raw=plain_row((name, one) for name, one in {**row, "value": value}.items() if name != "found_by"),
    )


def _index(value: Mapping[str, JSON], found_by: Sequence[JSON], named: Set[str]) -> bool | Sequence[str]:
    """Return the paths that an item is found by; all of it, where none of those that others are is in it."""
    paths = list(dict.fromkeys(map(_path, found_by)))
    if not paths:
        return not any(path == "$" or re.split(r"[.\[]", path)[0] in value for path in named)
    try:
        return index_paths(paths)
    except BadInput:
        return True


def _path(field_name: object) -> str:
    """Return a path without the number of its text; LangGraph numbers the texts that one path leads to."""
    return _NUMBER.sub("", str(field_name))


SOURCE: Final = Source(
    name="langgraph",
    title="LangGraph",
    takes="items of stores, and the messages of threads in checkpoints",
    recognise=_recognise,
    read=_read,
    schemes=postgres.SCHEMES,
    connect=_connect,
)
