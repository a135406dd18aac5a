"""``/ready`` answers in its time, whatever the question to the database waits for."""

from __future__ import annotations

from typing import Any, cast

import anyio
import pytest

from quipu.errors import DatabaseUnavailable
from quipu.interfaces.serving.access import Access
from quipu.interfaces.serving.rates import Rates

pytestmark = pytest.mark.anyio


class Stuck:
    """A memory whose database lets nobody go, not even who gives up, until it is released."""

    def __init__(self) -> None:
        self.released = anyio.Event()
        self.asked = 0

    async def ready(self, *, seconds: float) -> None:
        self.asked += 1
        with anyio.CancelScope(shield=True):
            await self.released.wait()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_question_that_does_not_end_is_not_waited_for_and_not_asked_twice() -> None:
    stuck = Stuck()
    access = Access(cast(Any, stuck), Rates())
    for _ in range(2):
        with pytest.raises(DatabaseUnavailable, match=r"no answer within 0\.01 seconds"):
            await access.ready(seconds=0.01)
    assert stuck.asked == 1
    stuck.released.set()
    await access.ready(seconds=300)
    await access.ready(seconds=300)
    assert stuck.asked == 1
    await access.aclose()


async def test_an_error_is_that_of_the_database_and_the_next_question_is_a_new_one() -> None:
    class Refusing:
        asked = 0

        async def ready(self, *, seconds: float) -> None:
            self.asked += 1
            raise DatabaseUnavailable(f"Refused {self.asked}.")

    refusing = Refusing()
    access = Access(cast(Any, refusing), Rates())
    for number in (1, 2):
        with pytest.raises(DatabaseUnavailable, match=f"Refused {number}"):
            await access.ready(seconds=300)
    await access.aclose()
