"""Counts of documents, and the values that a field has in them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput
from quipu.kernel.config import Settings
from quipu.testing import FrozenClock

pytestmark = pytest.mark.anyio
SPACE = "ana"


@pytest.fixture
async def memory(memory: AsyncMemory) -> AsyncMemory:
    put = memory.documents.put
    await put(
        "n/a", "1", {"tags": ["x", "y", "x"], "n": 1}, space=SPACE, metadata={"topic": "boats"}, user="ana"
    )
    await put("n/a", "2", {"tags": ["x"], "n": 1.0}, space=SPACE, metadata={"topic": "boats", "a.b": None})
    await put("n/b", "3", {"tags": "x", "n": "1"}, space=SPACE, metadata={"topic": ["boats"]})
    await put("m", "4", space=SPACE, body="Text.", metadata={"topic": "tea"})
    return memory


async def test_documents_are_counted_by_path_filter_and_user(memory: AsyncMemory) -> None:
    count = memory.documents.count
    assert await count(space=SPACE) == 4
    assert [await count(path, space=SPACE) for path in ("n", "n/a", "m", "none")] == [3, 2, 1, 0]
    assert await count("n", space=SPACE, filter={"topic": "boats"}) == 2
    assert await count(space=SPACE, filter={"value.n": {"exists": False}}) == 1
    assert await count(space=SPACE, user="ana") == 1
    assert await count(space="nobody") == 0


async def test_values_come_once_each_with_the_number_of_their_documents(memory: AsyncMemory) -> None:
    async def values(field: str, **more: object) -> list[tuple[object, int]]:
        found = await memory.documents.values(field, space=SPACE, **more)  # pyright: ignore[reportArgumentType]
        return [(one.value, one.documents) for one in found]

    assert await values("topic") == [("boats", 2), ("tea", 1), (["boats"], 1)]
    assert await values("value.n") == [(1, 2), ("1", 1)]
    assert await values("value.tags[*]") == [("x", 2), ("y", 1)]
    assert await values("value.tags[*]", path="n/b") == []
    assert await values("metadata.a\\.b") == [(None, 1)]
    assert await values("topic", filter={"value.n": 1}) == [("boats", 2)]
    assert await values("topic", user="ana") == [("boats", 1)]
    assert await values("topic", limit=1, offset=1) == [("tea", 1)]
    assert await values("nothing") == []


async def test_lists_are_looked_into_where_the_field_says_so(memory: AsyncMemory) -> None:
    await memory.documents.put("list", "5", [{"n": ["p", "q"]}, {"n": ["q"]}, {"m": 1}], space=SPACE)

    async def values(field: str) -> list[object]:
        return [one.value for one in await memory.documents.values(field, space=SPACE, path="list")]

    assert await values("value[*].n") == [["q"], ["p", "q"]]
    assert await values("value[*].n[*]") == ["p", "q"]
    assert await values("value.n") == []


async def test_what_has_expired_has_no_value_and_is_not_counted(settings: Settings) -> None:
    clock = FrozenClock(datetime(2026, 5, 1, tzinfo=UTC))
    async with AsyncMemory(settings=settings, clock=clock) as memory:
        await memory.documents.put("n", "6", 1, space=SPACE, metadata={"topic": "late"}, ttl_seconds=60)
        assert await memory.documents.count("n", space=SPACE) == 1
        clock.advance(timedelta(seconds=61))
        assert await memory.documents.count("n", space=SPACE) == 0
        assert await memory.documents.values("topic", space=SPACE) == []


@pytest.mark.parametrize("field", ["", "a..b", "[*]", "a\0", "value.", "tags[*].name[*].", 7, None])
async def test_a_field_that_is_none_is_refused(memory: AsyncMemory, field: str) -> None:
    with pytest.raises(BadInput) as refused:
        await memory.documents.values(field, space=SPACE)
    assert refused.value.field == "field"
