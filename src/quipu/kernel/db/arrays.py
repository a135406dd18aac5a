"""Columns as PostgreSQL arrays, in the binary format.

A bulk write hands thousands of numbers and vectors to ``insert … select from unnest(…)``; wrapped in
one of these classes they cost one ``tobytes`` instead of one call per element. A write of a single message
hands over as many columns of one element each, which are packed without numpy: that would take as long as the
write itself.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from psycopg import AsyncConnection, sql
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format
from psycopg.rows import TupleRow
from psycopg.types import TypeInfo

from quipu.errors import DatabaseUnsuitable

_HEAD = struct.Struct(">iiIii")  # dimensions, whether it has nulls, type, length, first index
_LENGTH = struct.Struct(">i")
_NULL = _LENGTH.pack(-1)
_EMPTY = struct.Struct(">iiI")
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)  # from where PostgreSQL counts its time
_MICROSECOND = timedelta(microseconds=1)
_SAMPLE, _FEW = 32, 8  # a column whose first 32 elements are at most 8 values has few altogether


@dataclass(frozen=True, slots=True)
class Column:
    """A one-dimensional array without nulls; a subclass says of which type."""

    values: ArrayLike
    oid: ClassVar[int]
    array_oid: ClassVar[int]
    layout: ClassVar[str]
    one: ClassVar[struct.Struct]  # an array of one element, its length before it


class Int2s(Column):
    """int2[]"""

    oid, array_oid, layout, one = 21, 1005, ">i2", struct.Struct(">iiIiiih")


class Int4s(Column):
    """int4[]"""

    oid, array_oid, layout, one = 23, 1007, ">i4", struct.Struct(">iiIiiii")


class Int8s(Column):
    """int8[]"""

    oid, array_oid, layout, one = 20, 1016, ">i8", struct.Struct(">iiIiiiq")


class Float4s(Column):
    """float4[]"""

    oid, array_oid, layout, one = 700, 1021, ">f4", struct.Struct(">iiIiiif")


class Float8s(Column):
    """float8[]"""

    oid, array_oid, layout, one = 701, 1022, ">f8", struct.Struct(">iiIiiid")


class Bools(Column):
    """bool[]"""

    oid, array_oid, layout, one = 16, 1000, "?", struct.Struct(">iiIiii?")


@dataclass(frozen=True, slots=True)
class Texts:
    """text[], nulls allowed."""

    values: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class Moments:
    """timestamptz[] from aware datetimes."""

    values: Sequence[datetime]


@dataclass(frozen=True, slots=True)
class Vectors:
    """halfvec[] from an array of shape (n, dimensions)."""

    values: NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Bits:
    """varbit[] from packed bits: uint8, shape (n, bytes); every bit of a row counts."""

    values: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Vector:
    """One halfvec from an array of shape (dimensions,)."""

    values: NDArray[np.floating]


def _array(oid: int, elements: NDArray[np.void]) -> bytes:
    """The wire form of an array: a header, then length and bytes of each element."""
    count = len(elements)
    return _HEAD.pack(1, 0, oid, count, 1) + elements.tobytes() if count else _EMPTY.pack(0, 0, oid)


class _ColumnDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Column) -> Buffer:
        given: object = obj.values
        if isinstance(given, list) and len(alone := cast("list[float]", given)) == 1:
            size = obj.one.size - _HEAD.size - _LENGTH.size
            return obj.one.pack(1, 0, obj.oid, 1, 1, size, alone[0])
        values = np.asarray(obj.values)
        rows = np.empty(len(values), dtype=[("n", ">i4"), ("v", obj.layout)])
        rows["n"] = np.dtype(obj.layout).itemsize
        rows["v"] = values
        return _array(obj.oid, rows)


class _TextsDumper(Dumper):
    format, oid = Format.BINARY, 1009

    def dump(self, obj: Texts) -> Buffer:
        if not obj.values:
            return _EMPTY.pack(0, 0, 25)
        nulls = obj.values.count(None)
        return _HEAD.pack(1, nulls > 0, 25, len(obj.values), 1) + _texts(obj.values, nulls)


def _texts(values: Sequence[str | None], nulls: int) -> bytes:
    """The elements of a text[]. A long column takes no loop in Python, or one over its few values."""
    pack = _LENGTH.pack
    if nulls == len(values):
        return _NULL * nulls
    if len(set(values[:_SAMPLE])) <= _FEW < len(values):
        packed = {value: _text(value) for value in set(values)}
        return b"".join(map(packed.__getitem__, values))
    if nulls:
        return b"".join(map(_text, values))
    encoded = list(map(str.encode, cast("Sequence[str]", values)))
    parts = [b""] * (2 * len(encoded))
    parts[::2], parts[1::2] = map(pack, map(len, encoded)), encoded
    return b"".join(parts)


def _text(value: str | None) -> bytes:
    if value is None:
        return _NULL
    encoded = value.encode()
    return _LENGTH.pack(len(encoded)) + encoded


class _MomentsDumper(Dumper):
    format, oid = Format.BINARY, 1185

    def dump(self, obj: Moments) -> Buffer:
        since = [(moment - _EPOCH) // _MICROSECOND for moment in obj.values]
        if len(since) == 1:
            return Int8s.one.pack(1, 0, 1184, 1, 1, 8, since[0])
        rows = np.empty(len(since), dtype=[("n", ">i4"), ("v", ">i8")])
        rows["n"], rows["v"] = 8, since
        return _array(1184, rows)


class _BitsDumper(Dumper):
    format, oid = Format.BINARY, 1563

    def dump(self, obj: Bits) -> Buffer:
        count, width = obj.values.shape
        rows = np.empty(count, dtype=[("n", ">i4"), ("bits", ">i4"), ("v", "u1", (width,))])
        rows["n"], rows["bits"], rows["v"] = 4 + width, 8 * width, obj.values
        return _array(1562, rows)


def _halfvecs(values: NDArray[np.floating], *, with_length: bool) -> NDArray[np.void]:
    count, dimensions = values.shape
    layout = [("dim", ">i2"), ("unused", ">i2"), ("v", ">f2", (dimensions,))]
    rows = np.zeros(count, dtype=[("n", ">i4"), *layout] if with_length else layout)
    rows["dim"] = dimensions
    rows["v"] = values
    if with_length:
        rows["n"] = 4 + 2 * dimensions
    return rows


async def register(conn: AsyncConnection[TupleRow]) -> None:
    """Teach one connection these classes; it must see the extension ``vector``.

    Raises:
        DatabaseUnsuitable: the database has no halfvec (pgvector is missing or older than 0.7).
    """
    info = await TypeInfo.fetch(conn, sql.Identifier("halfvec"))
    if info is None:
        raise DatabaseUnsuitable(
            "The database has no type halfvec.",
            hint="Install pgvector 0.7 or newer: create extension vector;",
        )
    element, array = info.oid, info.array_oid

    class VectorsDumper(Dumper):
        format, oid = Format.BINARY, array

        def dump(self, obj: Vectors) -> Buffer:
            return _array(element, _halfvecs(obj.values, with_length=True))

    class VectorDumper(Dumper):
        format, oid = Format.BINARY, element

        def dump(self, obj: Vector) -> Buffer:
            return _halfvecs(obj.values[np.newaxis], with_length=False).tobytes()

    for kind in (Int2s, Int4s, Int8s, Float4s, Float8s, Bools):
        conn.adapters.register_dumper(
            kind, type(f"{kind.__name__}Dumper", (_ColumnDumper,), {"oid": kind.array_oid})
        )
    conn.adapters.register_dumper(Bits, _BitsDumper)
    conn.adapters.register_dumper(Texts, _TextsDumper)
    conn.adapters.register_dumper(Moments, _MomentsDumper)
    conn.adapters.register_dumper(Vectors, VectorsDumper)
    conn.adapters.register_dumper(Vector, VectorDumper)


def halfvecs(packed: bytes) -> NDArray[np.float32]:
    """Read back vectors that were sent as the concatenation of their binary forms: shape (n, dimensions)."""
    if not packed:
        return np.zeros((0, 0), dtype=np.float32)
    dimensions = struct.unpack_from(">h", packed)[0]
    rows = np.frombuffer(packed, dtype=[("dim", ">i2"), ("unused", ">i2"), ("v", ">f2", (dimensions,))])
    return rows["v"].astype(np.float32)
