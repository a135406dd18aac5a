"""A write that is sent again is done once: ``Idempotency-Key``."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import anyio
import httpx
import pytest
from everywhere import found

from quipu import AsyncMemory
from quipu.errors import Conflict
from quipu.kernel.base.clock import FrozenClock, SystemClock
from quipu.upkeep.answers.answers import Asking, AsyncAnswers, KeptAnswer

pytestmark = pytest.mark.anyio

SAID = {"messages": [{"content": "I moved to Lisbon."}]}


async def observe(client: httpx.AsyncClient, key: str, said: object = SAID, **query: str) -> httpx.Response:
    return await client.post("/v1/observe", json=said, headers={"idempotency-key": key}, params=query)


async def count(memory: AsyncMemory, space: str) -> int:
    return next(found.entries for found in await memory.spaces() if found.name == space)


async def test_the_same_again_is_answered_the_same_and_not_done(clients: Any, memory: AsyncMemory) -> None:
    client = await clients("write", space="once")
    first, again = await observe(client, "a"), await observe(client, "a")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    assert await count(memory, "once") == 1


async def test_something_else_under_the_same_key_is_refused(clients: Any, memory: AsyncMemory) -> None:
    client = await clients("write", space="twice")
    await observe(client, "a")
    answer = await observe(client, "a", {"messages": [{"content": "Another."}]})
    assert answer.status_code == 422
    assert answer.json()["field"] == "Idempotency-Key"
    assert await count(memory, "twice") == 1


async def test_keys_are_of_one_caller_and_one_space(clients: Any, memory: AsyncMemory) -> None:
    one, other = await clients("write", space="apart"), await clients("admin")
    assert "idempotency-replayed" not in (await observe(one, "a")).headers
    assert "idempotency-replayed" not in (await observe(other, "a", space="apart")).headers
    assert "idempotency-replayed" not in (await observe(other, "a", space="further")).headers
    assert await count(memory, "apart") == 2


async def test_what_failed_may_be_sent_again_under_the_same_key(clients: Any) -> None:
    client = await clients("write", space="mended")
    assert (await observe(client, "a", {"messages": [{"content": ""}]})).status_code == 422
    assert (await observe(client, "a")).status_code == 201


async def test_the_same_at_once_is_done_once(clients: Any, memory: AsyncMemory) -> None:
    client = await clients("write", space="at once")
    statuses: list[int] = []

    async def ask() -> None:
        statuses.append((await observe(client, "a")).status_code)

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(ask)
    assert set(statuses) <= {201, 409}
    assert 201 in statuses
    assert await count(memory, "at once") == 1


async def test_one_who_may_only_read_leaves_no_trace(clients: Any) -> None:
    client = await clients("read", space="never")
    assert (await observe(client, "a")).status_code == 403
    owner = await clients("admin")
    assert "never" not in (await owner.get("/v1/spaces")).text


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "é"])
async def test_a_key_that_cannot_be_one_is_refused(clients: Any, key: str) -> None:
    client = await clients("write", space="once")
    headers = {"idempotency-key": key.encode()}
    assert (await client.post("/v1/observe", json=SAID, headers=headers)).status_code == 422


async def test_an_answer_is_kept_a_day_and_an_abandoned_request_is_taken_over(memory: AsyncMemory) -> None:
    clock = FrozenClock(SystemClock().now())
    answers = AsyncAnswers(memory.answers._database, clock=clock)
    asking = Asking("kept", "caller", "key", b"." * 32)
    assert await answers.begin(asking) is None
    with pytest.raises(Conflict):
        await answers.begin(asking)
    clock.advance(timedelta(minutes=6))
    assert await answers.begin(asking) is None
    kept = KeptAnswer(201, {"etag": '"1"'}, b"{}")
    await answers.keep(asking, kept)
    clock.advance(timedelta(hours=23))
    assert await answers.begin(asking) == kept
    clock.advance(timedelta(hours=2))
    assert await answers.drop_old() >= 1
    assert await answers.begin(asking) is None


async def test_a_clock_that_was_set_back_blocks_no_request_and_keeps_no_answer(memory: AsyncMemory) -> None:
    clock = FrozenClock(SystemClock().now() + timedelta(days=365))
    answers = AsyncAnswers(memory.answers._database, clock=clock)
    died, answered = (Asking("jumped", "caller", key, b"." * 32) for key in ("died", "answered"))
    kept = KeptAnswer(201, {}, b"{}")
    assert await answers.begin(died) is None
    assert await answers.begin(answered) is None
    await answers.keep(answered, kept)
    clock.advance(timedelta(days=-365))
    assert await answers.begin(died) is None  # who did it is long gone
    assert await answers.begin(answered) == kept
    assert await answers.drop_old() >= 1
    assert await answers.begin(answered) is None


async def test_whatever_is_forgotten_takes_the_kept_answers_of_the_space_along(
    memory: AsyncMemory, clients: Any
) -> None:
    client = await clients("write", space="forgotten")
    await observe(client, "a")
    await memory.forget(space="forgotten", session="any", confirm=True)
    assert "idempotency-replayed" not in (await observe(client, "a")).headers


async def test_a_key_is_kept_as_its_hash_alone(clients: Any, module_url: str) -> None:
    secret = "gh" + "p_" + "7kQ2mX9vB4nT6wZ8" * 2 + "7kQ2"
    client = await clients("write", space="hashed")
    await observe(client, secret)
    assert (await observe(client, secret)).headers["idempotency-replayed"] == "true"
    assert found(module_url, [secret]) == set()
