"""Rows as they are looked at: texts that are cut, and where the next page begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row: ``values`` as PostgreSQL writes them, None for null, long ones cut.

    ``key``: its primary key as text, or a JSON array of texts where that has several columns; None where the
    table has no primary key.
    """

    key: str | None
    values: Mapping[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRows:
    """A page of rows. ``after``: hand it in to get the next page; None where this is the last."""

    table: str
    columns: Mapping[str, str]
    key: Sequence[str]
    rows: Sequence[TableRow]
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKey:
    """A foreign key: ``columns`` of ``table`` name a row of ``other`` by its ``other_columns``."""

    table: str
    columns: Sequence[str]
    other: str
    other_columns: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NearRow:
    """A row that is near a text: which field (or part of it) is, and how near: -1 to 1."""

    key: str
    field: str
    content: str
    nearness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedField:
    """The vector of a field of a row, or of a part of it (``chunk`` from 1; 0: the whole field).

    ``numbers`` are those of the vector, ``length`` is its Euclidean length; none while it is being made.
    """

    field: str
    chunk: int
    content: str | None
    content_hash: str
    updated_at: datetime
    numbers: Sequence[float]
    length: float
