"""Moments that PostgreSQL knows and Python does not: ``infinity``, and years before 1 or after 9999.

SQL may write them (``expires_at = 'infinity'``). One such row must not keep everybody from reading the
others, so they are read as the nearest moment that every time zone can tell.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final, cast

from psycopg import AsyncConnection, DataError
from psycopg.abc import AdaptContext, Buffer
from psycopg.abc import Loader as AnyLoader
from psycopg.adapt import Loader
from psycopg.pq import Format
from psycopg.rows import TupleRow

EARLIEST: Final = datetime(1, 1, 2, tzinfo=UTC)
LATEST: Final = datetime(9999, 12, 30, tzinfo=UTC)


def register(conn: AsyncConnection[TupleRow]) -> None:
    """Have one connection read every moment that there is."""
    for format_ in (Format.TEXT, Format.BINARY):
        usual = conn.adapters.get_loader(conn.adapters.types["timestamptz"].oid, format_)
        assert usual is not None
        conn.adapters.register_loader("timestamptz", _beyond(usual, format_))


def _beyond(usual: type[AnyLoader], written: Format) -> type[Loader]:
    class MomentLoader(Loader):
        format = written

        def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
            super().__init__(oid, context)
            self._usual = usual(oid, context)

        def load(self, data: Buffer) -> datetime:
            try:
                return cast("datetime", self._usual.load(data))
            except DataError:
                return EARLIEST if _is_early(bytes(data), written) else LATEST

    return MomentLoader


def _is_early(data: bytes, written: Format) -> bool:
    if written is Format.BINARY:
        return data[0] >= 0x80  # a negative number
    return data.startswith(b"-") or data.endswith(b"BC")
