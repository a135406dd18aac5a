"""Memories of mem0: its stores, its history, and what its platform and its plugin export.

A memory is a payload (`mem0_memories`). Payloads stand in

- ``collection/NAME/storage.sqlite``, Qdrant's local store: pickles (`pickled`); a Qdrant server (`qdrant`);
- ``chroma.sqlite3``: the fields of a record (`chroma`);
- ``vectors(id, vector, payload)`` of SQLite, the own store of the TypeScript edition;
- a table ``(id, vector, payload jsonb)`` of PostgreSQL, by the URL of its database;
- JSON: a list, ``{"results": [...]}`` or ``{"records": [...]}`` of ``{id, memory, metadata, user_id, ...}``;
- Markdown of the plugin: blocks of ``key: value`` between lines of ``---``, each before its text.

Beside them lies ``history.db`` (`mem0_history`). ``NAME_entities`` are derived by mem0 and left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from quipu.app.imports.fields import Account, Unreadable, parsed
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Found
from quipu.app.imports.source import Source
from quipu.app.imports.sources import chroma, mem0_exports, postgres, qdrant
from quipu.app.imports.sources.mem0_history import History
from quipu.app.imports.sources.mem0_memories import Memories
from quipu.app.imports.sources.pickled import read_point
from quipu.errors import BadInput
from quipu.kernel.db import queries

_READ: Final = queries.load("quipu.app.imports", folder="rows")
_DATABASE: Final = re.compile(r".*\.(?:db|sqlite3?)")
_ENTITIES: Final = ("_entities", "-entities")
_ENTITY: Final = "an entity that mem0 derived"
_OTHER: Final = "a file that holds no memories of mem0"
_COLLECTION: Final = "collection"
_NO_HISTORY: Final = "Earlier versions are not read from a server: they stand in history.db beside mem0."

Point = tuple[JSON, JSON]
"""The id of a memory, and its payload."""


def _recognise(files: SourceFiles) -> bool:
    return any(_kind_of(files, name) for name in files.names)


def _kind_of(files: SourceFiles, name: str) -> str | None:
    """Return the kind of memories or of history that a file holds; None if it holds none."""
    if not _DATABASE.fullmatch(name):
        return mem0_exports.kind_of(files, name)
    tables = files.tables_in(name)
    if set(tables.get("points", ())) == {"id", "point"}:
        return "points"
    if {"id", "vector", "payload"} <= set(tables.get("vectors", ())):
        return "vectors"
    if "memory_id" in {*tables.get("history", ()), *tables.get("memory_history", ())}:
        return "history"
    if {"embedding_metadata", "embeddings_queue"} <= set(tables):
        with files.sqlite(name) as connection:
            return "chroma" if connection.execute(_READ["mem0_in_chroma"]).fetchone()["found"] else None
    return None


def _read(files: SourceFiles, account: Account) -> Iterator[Found]:
    kinds: dict[str, list[str]] = {}
    for name in files.names:
        kinds.setdefault(_kind_of(files, name) or _OTHER, []).append(name)
    others = kinds.pop(_OTHER, [])
    if not kinds and len(others) == 1 and (kind := mem0_exports.by_name(others[0])):
        kinds, others = {kind: others}, []
    if not kinds:
        raise BadInput(f"{files.path} has no memories of mem0.", field="path")
    if others:
        account.leave_out(_OTHER, len(others))
    with History() as history:
        for name in kinds.get("history", ()):
            with files.sqlite(name) as connection:
                history.add(connection, files.tables(connection), name, account)
        history.close_off(account)
        for name in kinds.get("history", ()):
            with files.sqlite(name) as connection:
                columns = files.tables(connection).get("messages", [])
                yield from history.messages(connection, columns, name, account)
        memories = Memories(history, account)
        for kind, points in _STORES.items():  # the stores first: an export may be older
            for name in kinds.get(kind, ()):
                for where, (id_, payload) in points(files, name, account):
                    yield from memories.of_payload(where, id_, payload)
        for name in kinds.get("json", ()):
            for where, item in mem0_exports.items(files, name, account):
                yield from memories.of_item(where, item)
        for name in kinds.get("markdown", ()):
            for where, item in mem0_exports.blocks(files, name, account):
                yield from memories.of_item(where, item)


Points = Callable[[SourceFiles, str, Account], Iterator[tuple[str, Point]]]


def _pickled(files: SourceFiles, name: str, account: Account) -> Iterator[tuple[str, Point]]:
    collection = name.split("/")[-2:][0]
    with files.sqlite(name) as connection:
        if collection.endswith(_ENTITIES):
            account.leave_out(_ENTITY, connection.execute(_READ["mem0_count_points"]).fetchone()["count"])
            return
        for number, row in enumerate(connection.execute(_READ["mem0_points"]), start=1):
            where = f"{name}, point {number:,} from the end"
            with account.reading(where):
                if not isinstance(row["point"], bytes):
                    raise Unreadable("point", "it is no pickle")
                yield where, read_point(row["point"])


def _vectors(files: SourceFiles, name: str, account: Account) -> Iterator[tuple[str, Point]]:
    with files.sqlite(name) as connection:
        for row in connection.execute(_READ["mem0_vectors"]):
            where = f"{name}, {row['id']}"
            with account.reading(where):
                yield where, (row["id"], _payload(row["payload"]))


def _records(files: SourceFiles, name: str, account: Account) -> Iterator[tuple[str, Point]]:
    with files.sqlite(name) as connection:
        database = chroma.Chroma(files, connection, name)
        for collection in database.collections():
            for id_, fields in database.records(collection, account):
                if collection.name.endswith(_ENTITIES):
                    account.leave_out(_ENTITY)
                else:
                    yield f"{name}, {collection.name} {id_}", (id_, fields)


_STORES: Final[dict[str, Points]] = {"points": _pickled, "vectors": _vectors, "chroma": _records}


def _payload(text: object) -> JSON:
    if not isinstance(text, str | bytes):
        raise Unreadable("payload", "it is no text")
    return parsed(text, "payload")


def _connect(url: str, account: Account) -> Iterator[Found]:
    account.assume(_NO_HISTORY)
    of_url = _of_postgres if url.partition("://")[0].lower() in postgres.SCHEMES else _of_qdrant
    with History() as history:
        history.close_off(account)
        memories = Memories(history, account)
        for where, (id_, payload) in of_url(url, account):
            yield from memories.of_payload(where, id_, payload)


def _of_qdrant(url: str, account: Account) -> Iterator[tuple[str, Point]]:
    with qdrant.asking(url) as server:
        for collection in _chosen(server.collections(), server.named, account):
            for number, point in enumerate(server.points(collection), start=1):
                where = f"{collection}, point {number:,}"
                with account.reading(where), account.fields(point, "point") as given:
                    for known in ("order_value", "shard_key", "vector"):
                        given.get(known)
                    yield where, (given.get("id"), given.get("payload"))


def _of_postgres(url: str, account: Account) -> Iterator[tuple[str, Point]]:
    with postgres.reading(url, _COLLECTION) as (database, given):
        tables = database.tables("id", "vector", "payload")
        for table in _chosen(tables, given.get(_COLLECTION), account):
            for row in database.rows("postgres_points", table=table):
                where = f"{table}, {row['id']}"
                with account.reading(where):
                    yield where, (row["id"], _payload(row["payload"]))


def _chosen(found: list[str], named: str | None, account: Account) -> list[str]:
    """Return the collection that is named, or all that may have memories."""
    if named is not None:
        if named not in found:
            raise BadInput(f"There is no collection {named!r}, only {', '.join(found)}.", field="path")
        return [named]
    chosen = [name for name in found if not name.endswith(_ENTITIES)]
    if not chosen:
        raise BadInput("There is no collection of mem0.", field="path")
    if derived := len(found) - len(chosen):
        account.leave_out("a collection of entities that mem0 derived", derived)
    return chosen


SOURCE: Final = Source(
    name="mem0",
    title="mem0",
    takes="memories with their history, and the last messages of its sessions",
    recognise=_recognise,
    read=_read,
    schemes=(*postgres.SCHEMES, *qdrant.SCHEMES),
    connect=_connect,
)
