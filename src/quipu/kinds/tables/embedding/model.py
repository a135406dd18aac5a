"""Embedding of an agent's table: what is wanted, and what the index has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A table whose ``fields`` are embedded; ``key`` is its primary key, ``types`` those of its columns.

    ``ruled``: it has rules, so that statements may do something else than they say.
    """

    id: int
    oid: int
    schema_name: str
    table_name: str
    key: Sequence[str]
    types: Sequence[str]
    fields: Sequence[str]
    ruled: bool


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that changed (any row of the table where ``source_id`` is None), as it was written down.

    ``transaction``: the one that changed it, by the lower 32 bits of its number.
    """

    relation_id: int
    source_id: str | None
    id: int
    noted_at: datetime
    transaction: int


@dataclass(frozen=True, slots=True)
class Written:
    """A row as a statement wrote it: into which table, in which transaction (the lower 32 bits of its
    number), its key as text, and its embedded fields, empty where they have no text."""

    oid: int
    transaction: int
    source_id: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """Place of an entry: a row, a field of it, and a part of that."""

    source_id: str
    field: str
    chunk: int


@dataclass(frozen=True, slots=True)
class IndexedPart:
    """Entry that the index has at a place."""

    entry_id: int
    content_hash: str
    field_hash: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """Entry that the index should have there."""

    content: str
    content_hash: str
    field_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """Changes to follow in one table, and what the index has of the changed rows.

    ``relation`` is None if the table is gone, or nothing of it is embedded any more.
    """

    changes: Sequence[RowChange]
    relation: Relation | None
    known: Mapping[EntryPlace, IndexedPart]


Values = Mapping[str, Mapping[str, str]]
"""Of rows, by their key as text: the fields that have a text."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan that brings the index from what it has to what it should have."""

    gone: Sequence[int]
    new: Mapping[EntryPlace, Wanted]
    rehashed: Mapping[int, str]
