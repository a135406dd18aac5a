"""Keys that another program registered: here their values can be read and ended, not written unchecked."""

from __future__ import annotations

import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput
from quipu.kernel.config import Settings
from quipu.kinds.ledger.ledger import AsyncLedger
from quipu.kinds.ledger.model import Scope

pytestmark = pytest.mark.anyio
KEY = "constraint.diet"
NUTS = {"avoids": ["nuts"]}


async def written(ledger: AsyncLedger, scope: Scope | None = "cross_session") -> None:
    ledger.register("constraint.{what}", dict[str, list[str]], namespace="constraint", scope=scope)
    await ledger.open_session(space="cafe", session="s-1", user="dana")
    await ledger.set(KEY, NUTS, space="cafe", session="s-1")


@pytest.mark.parametrize("scope", ["cross_session", "session", None])
async def test_its_history_is_shown_and_its_value_ended(
    ledger: AsyncLedger, settings: Settings, scope: Scope | None
) -> None:
    await written(ledger, scope)
    async with AsyncMemory(settings=settings) as other:
        assert (await other.ledger.state(space="cafe", session="s-1"))[KEY].value == NUTS
        assert [e.new for e in await other.ledger.history(KEY, space="cafe", session="s-1")] == [NUTS]
        ended = await other.ledger.expire(KEY, space="cafe", session="s-1")
        assert ended.event is not None
        await other.ledger.undo(ended.event.id, space="cafe")
        assert (await ledger.state(space="cafe", session="s-1"))[KEY].value == NUTS
        await other.ledger.delete(KEY, space="cafe", session="s-1", namespace="constraint")
    history = await ledger.history(KEY, space="cafe", session="s-1")
    assert [e.event_type for e in history] == ["fact_set", "fact_expired", "fact_set", "fact_deleted"]
    assert {e.namespace for e in history} == {"constraint"}


async def test_a_value_that_cannot_be_checked_is_refused(ledger: AsyncLedger, settings: Settings) -> None:
    await written(ledger)
    async with AsyncMemory(settings=settings) as other:
        for write in (other.ledger.set, other.ledger.assume, other.ledger.correct):
            with pytest.raises(BadInput, match="register"):
                await write(KEY, {"avoids": 1}, space="cafe", user="dana")
    assert (await ledger.state(space="cafe", user="dana"))[KEY].value == NUTS


async def test_a_key_of_which_the_space_has_no_event_is_refused(
    ledger: AsyncLedger, settings: Settings
) -> None:
    await written(ledger)
    async with AsyncMemory(settings=settings) as other:
        for key, space in ((KEY, "bar"), ("constraint.budget", "cafe")):
            with pytest.raises(BadInput, match="register"):
                await other.ledger.history(key, space=space, user="dana")
            with pytest.raises(BadInput, match="register"):
                await other.ledger.expire(key, space=space, user="dana")
