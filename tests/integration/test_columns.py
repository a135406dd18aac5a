"""Columns go to PostgreSQL as they are: none, one and many of every type, packed by us in its binary form."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from psycopg import AsyncRawCursor

from quipu.kernel.db import arrays
from quipu.kernel.db.database import Database

pytestmark = pytest.mark.anyio

MOMENTS = [
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(2026, 3, 14, 12, 0, 0, 123_457, tzinfo=timezone(timedelta(hours=5, minutes=30))),
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
]
WORDS = ["boat", None, "", "ça va", "船", "a\nb'\"\\{}"]
COLUMNS = [
    (arrays.Int2s, [-(2**15), 0, 2**15 - 1]),
    (arrays.Int4s, [-(2**31), 7, 2**31 - 1]),
    (arrays.Int8s, [-(2**63), 7, 2**63 - 1]),
    (arrays.Float4s, [-0.5, 0.0, 1.25]),
    (arrays.Float8s, [-0.1, 0.0, 1e300]),
    (arrays.Bools, [True, False, True]),
    (arrays.Texts, WORDS),
    (arrays.Moments, MOMENTS),
]


async def returned(database: Database, value: object, *, binary: bool) -> object:
    async with database.unscoped() as conn:
        cursor = AsyncRawCursor(conn)
        row = await (await cursor.execute("select $1", [value], binary=binary)).fetchone()
    assert row is not None
    return row[0]


async def test_a_column_comes_back_as_it_went_however_long_it_is(database: Database) -> None:
    for kind, values in COLUMNS:
        for some in ([], *([one] for one in values), values, values * 20):
            sent = kind(some)  # type: ignore[arg-type]
            assert await returned(database, sent, binary=False) == some, kind
            assert await returned(database, sent, binary=True) == some, kind


async def test_texts_come_back_whether_they_are_many_few_or_none(database: Database) -> None:
    many: list[str | None] = [f"{word} {number}" for number in range(40) for word in WORDS]
    for values in (many, [*many, None], [None] * 40, ["船"] * 40, ["船"] * 40 + many):
        assert await returned(database, arrays.Texts(values), binary=True) == values


async def test_a_column_of_numpy_is_the_same_as_one_of_python(database: Database) -> None:
    for values in ([5], [5, -6, 7]):
        assert await returned(database, arrays.Int4s(np.array(values, dtype=np.int32)), binary=True) == values
