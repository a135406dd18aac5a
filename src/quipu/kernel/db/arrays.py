"""Columns as PostgreSQL arrays, in the binary format.

A bulk write hands thousands of numbers and vectors to ``insert … select from unnest(…)``; wrapped in
one of these classes they cost one ``tobytes`` instead of one call per element. A write of a message or two
hands over as many columns of an element or two, which are packed without numpy: that would take as long as
the write itself.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
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
_FEW_ELEMENTS = 8
_SAMPLE, _FEW = 32, 8  # a column whose first 32 elements are at most 8 values has few altogether


class Packed:
    """An array as it goes to the server: packed when it is made, so that a write only hands it over."""

    __slots__ = ("packed",)
    array_oid: ClassVar[int]

    def __init__(self, packed: bytes) -> None:
        self.packed = packed


class Column(Packed):
    """A one-dimensional array without nulls; a subclass says of which type."""

    __slots__ = ()
    oid: ClassVar[int]
    code: ClassVar[str]  # of an element, as ``struct`` and numpy write it
    size: ClassVar[int]  # bytes

    def __init__(self, values: ArrayLike) -> None:
        super().__init__(_packed(self.oid, self.code, self.size, values))


class Int2s(Column):
    """int2[]"""

    oid, array_oid, code, size = 21, 1005, "h", 2


class Int4s(Column):
    """int4[]"""

    oid, array_oid, code, size = 23, 1007, "i", 4


class Int8s(Column):
    """int8[]"""

    oid, array_oid, code, size = 20, 1016, "q", 8


class Float4s(Column):
    """float4[]"""

    oid, array_oid, code, size = 700, 1021, "f", 4


class Float8s(Column):
    """float8[]"""

    oid, array_oid, code, size = 701, 1022, "d", 8


class Bools(Column):
    """bool[]"""

    oid, array_oid, code, size = 16, 1000, "?", 1


class Texts(Packed):
    """text[], nulls allowed."""

    __slots__ = ()
    array_oid = 1009

    def __init__(self, values: Sequence[str | None]) -> None:
        if values:
            nulls = values.count(None)
            head = _HEAD.pack(1, nulls > 0, 25, len(values), 1)
            super().__init__(head + _texts(values, nulls))
        else:
            super().__init__(_EMPTY.pack(0, 0, 25))


class Moments(Packed):
    """timestamptz[] from aware datetimes."""

    __slots__ = ()
    array_oid = 1185

    def __init__(self, values: Sequence[datetime]) -> None:
        since = [(moment - _EPOCH) // _MICROSECOND for moment in values]
        super().__init__(_packed(1184, Int8s.code, Int8s.size, since))


class Bits(Packed):
    """varbit[] from packed bits: uint8, shape (n, bytes); every bit of a row counts."""

    __slots__ = ()
    array_oid = 1563

    def __init__(self, values: NDArray[np.uint8]) -> None:
        count, width = values.shape
        rows = np.empty(count, dtype=[("n", ">i4"), ("bits", ">i4"), ("v", "u1", (width,))])
        rows["n"], rows["bits"], rows["v"] = 4 + width, 8 * width, values
        super().__init__(_array(1562, rows))


def sign_bits(vectors: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return the signs of vectors, packed: shape (n, dimensions) to (n, dimensions / 8), rounded up."""
    return np.packbits(vectors > 0, axis=-1)


@dataclass(frozen=True, slots=True)
class Vectors:
    """halfvec[] from an array of shape (n, dimensions). What that is called differs between databases."""

    values: NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Vector:
    """One halfvec from an array of shape (dimensions,)."""

    values: NDArray[np.floating]


def _array(oid: int, elements: NDArray[np.void]) -> bytes:
    """Return the wire form of an array: a header, then length and bytes of each element."""
    count = len(elements)
    return _HEAD.pack(1, 0, oid, count, 1) + elements.tobytes() if count else _EMPTY.pack(0, 0, oid)


def _packed(oid: int, code: str, size: int, values: ArrayLike) -> bytes:
    items: object = values
    if isinstance(items, list) and len(few := cast("list[float]", items)) <= _FEW_ELEMENTS:
        if not few:
            return _EMPTY.pack(0, 0, oid)
        pairs = (part for value in few for part in (size, value))
        return _of_few(code, len(few)).pack(1, 0, oid, len(few), 1, *pairs)
    elements = np.asarray(values)
    rows = np.empty(len(elements), dtype=_of_many(code))
    rows["n"], rows["v"] = size, elements
    return _array(oid, rows)


@lru_cache
def _of_few(code: str, count: int) -> struct.Struct:
    """Return the struct of an array of ``count`` elements, the length of each before it."""
    return struct.Struct(_HEAD.format + f"i{code}" * count)


@lru_cache
def _of_many(code: str) -> np.dtype[np.void]:
    """Return the layout of an element, its length before it."""
    return np.dtype([("n", ">i4"), ("v", f">{code}")])


def _texts(values: Sequence[str | None], nulls: int) -> bytes:
    """Return the elements of a text[]. A long column takes no loop in Python, or one over its few values."""
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


class _PackedDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Packed) -> Buffer:
        return obj.packed


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
    """Register these classes with one connection; it must see the extension ``vector``.

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

    for kind in (Int2s, Int4s, Int8s, Float4s, Float8s, Bools, Texts, Moments, Bits):
        dumper = type(f"{kind.__name__}Dumper", (_PackedDumper,), {"oid": kind.array_oid})
        conn.adapters.register_dumper(kind, dumper)
    conn.adapters.register_dumper(Vectors, VectorsDumper)
    conn.adapters.register_dumper(Vector, VectorDumper)


def halfvecs(packed: bytes) -> NDArray[np.float32]:
    """Read back vectors that were sent as the concatenation of their binary forms: shape (n, dimensions)."""
    if not packed:
        return np.zeros((0, 0), dtype=np.float32)
    dimensions = struct.unpack_from(">h", packed)[0]
    rows = np.frombuffer(packed, dtype=[("dim", ">i2"), ("unused", ">i2"), ("v", ">f2", (dimensions,))])
    return rows["v"].astype(np.float32)
