"""What rows of agents' tables tell."""

from __future__ import annotations

from datetime import datetime

from quipu.interfaces.rest.models import Told


class TableRowTold(Told):
    """A row: `values` as PostgreSQL writes them, null for null, long ones cut.

    `key`: its primary key as text, or a JSON array of texts where that has several columns; null where the
    table has no primary key.
    """

    key: str | None
    values: dict[str, str | None]


class TableRowsTold(Told):
    """A page of rows. `after`: hand it in to get the next page; null where this is the last."""

    table: str
    columns: dict[str, str]
    key: list[str]
    rows: list[TableRowTold]
    after: str | None


class ForeignKeyTold(Told):
    """A foreign key: `columns` of `table` name a row of `other` by its `other_columns`."""

    table: str
    columns: list[str]
    other: str
    other_columns: list[str]


class NearRowTold(Told):
    """A row that is near a text: which field (or part of it) is, and how near: -1 to 1."""

    key: str
    field: str
    content: str
    nearness: float


class EmbeddedFieldTold(Told):
    """The vector of a field of a row, or of a part of it (`chunk` from 1; 0: the whole field).

    `numbers` are those of the vector, `length` is its Euclidean length; none while it is being made.
    """

    field: str
    chunk: int
    content: str | None
    content_hash: str
    updated_at: datetime
    numbers: list[float]
    length: float
