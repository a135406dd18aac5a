"""Databases of Chroma (``chroma.sqlite3``, schemas of 0.4 to 1.5): the records of their collections.

``collections(id, name)`` have ``segments(id, collection, scope)``. The segment with the scope METADATA has
``embeddings(id, segment_id, embedding_id)``, whose fields are rows of ``embedding_metadata(id, key,
string_value, int_value, float_value, bool_value)`` and, for lists, ``embedding_metadata_array``; the text is
the field ``chroma:document``. What was written last stands in ``embeddings_queue(seq_id, topic, id,
operation, metadata)`` alone, behind the ``max_seq_id`` of the segment: operations to add 0, to update 1, to
do either 2, and to delete 3. Vectors are files beside the database and are not read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final

from quipu.app.imports.fields import Account, Unreadable, as_object, parsed
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON
from quipu.errors import BadInput
from quipu.kernel.db import queries

TEXT: Final = "chroma:document"
FILE: Final = r"(?:.*/)?chroma\.sqlite3"

_READ: Final = queries.load("quipu.app.imports", folder="rows")
_NEEDED: Final = frozenset(
    {"collections", "segments", "max_seq_id", "embeddings", "embedding_metadata", "embeddings_queue"}
)
_VALUES: Final = ("string_value", "int_value", "float_value", "bool_value")
_ADD, _UPDATE, _EITHER, _DELETE = range(4)

Record = tuple[str, Mapping[str, JSON]]
"""The id of a record, and its fields."""


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection of a database that is open."""

    id: str
    name: str


class Chroma:
    """A database of Chroma that is open.

    Raises:
        BadInput: it is none.
    """

    def __init__(self, files: SourceFiles, connection: sqlite3.Connection, name: str) -> None:
        tables = files.tables(connection)
        if missing := _NEEDED - set(tables):
            raise BadInput(f"{name} is no database of Chroma: it has no table {min(missing)}.", field="path")
        self._connection = connection
        self._name = name
        self._has_lists = "embedding_metadata_array" in tables

    def collections(self) -> list[Collection]:
        """Return the collections by their names."""
        rows = self._connection.execute(_READ["chroma_collections"])
        return [Collection(str(row["id"]), str(row["name"])) for row in rows]

    def records(self, collection: Collection, account: Account) -> Iterator[Record]:
        """Yield the records of a collection as they are after all that the log says."""
        for segment in self._connection.execute(
            _READ["chroma_segments"], {"collection": collection.id}
        ).fetchall():
            seen = _number(segment["seq_id"])
            place = {"collection": collection.id, "segment": segment["id"], "seen": seen}
            rows = self._connection.execute(_READ["chroma_records"], place)
            for number, fields in groupby(rows, key=itemgetter("number")):
                with account.reading(f"{self._name}, {collection.name}, record {number}"):
                    yield self._record(fields)
            log = self._connection.execute(_READ["chroma_log"], place)
            for name, operations in groupby(log, key=itemgetter("name")):
                with account.reading(f"{self._name}, {collection.name} {name}"):
                    yield from self._changed(name, operations, {**place, "name": name}, account)

    def _record(self, fields: Iterable[sqlite3.Row]) -> Record:
        name, number, found = "", None, dict[str, JSON]()
        for row in fields:
            name, number = row["name"], row["number"]
            if row["key"] is not None:
                found[str(row["key"])] = _value(row)
        lists: dict[str, list[JSON]] = {}
        if self._has_lists:
            for row in self._connection.execute(_READ["chroma_lists"], {"number": number}):
                lists.setdefault(str(row["key"]), []).append(_value(row))
        return str(name), found | lists

    def _changed(
        self, name: str, operations: Iterable[sqlite3.Row], place: Mapping[str, object], account: Account
    ) -> Iterator[Record]:
        """Yield a record as operations leave it; none if it was deleted."""
        rows = self._connection.execute(_READ["chroma_record"], place).fetchall()
        now = dict(self._record(rows)[1]) if rows else None
        gone = False
        for row in operations:
            told, operation = _told(row["metadata"]), row["operation"]
            if operation == _DELETE:
                now, gone = None, True
            elif now is None and operation in (_ADD, _EITHER):
                now = {key: value for key, value in told.items() if value is not None}
            elif now is not None and operation in (_UPDATE, _EITHER):
                now = {key: value for key, value in (now | told).items() if value is not None}
        if now is not None:
            yield str(name), now
        elif gone:
            account.leave_out("deleted at the source")


def _value(row: sqlite3.Row) -> JSON:
    """Return the value of a field; a truth value is a number in SQLite."""
    for name in _VALUES:
        if name in row.keys() and row[name] is not None:  # noqa: SIM118 - a row iterates over its values
            return bool(row[name]) if name == "bool_value" else _plain(row[name])
    return None


def _plain(value: object) -> JSON:
    if isinstance(value, bytes):
        raise Unreadable("record", "a field of it is no text and no number")
    return value


def _told(metadata: object) -> dict[str, JSON]:
    if metadata is None:
        return {}
    if not isinstance(metadata, str | bytes):
        raise Unreadable("embeddings_queue.metadata", "it is no text")
    told = as_object(parsed(metadata, "embeddings_queue.metadata"))
    if told is None:
        raise Unreadable("embeddings_queue.metadata", "it is no object")
    return told


def _number(value: object) -> int:
    """Return the number in the log up to which a segment has read; before 0.5 it was eight bytes."""
    if isinstance(value, bytes):
        return int.from_bytes(value[-8:], "big", signed=True)
    return value if isinstance(value, int) else -1
