"""A message is embedded while its session is held: what that means for those who wait, and when it fails."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
import pytest
from patience import PATIENCE_SECONDS

from quipu import AsyncMemory
from quipu.errors import Conflict, EmbeddingError
from quipu.kernel.embedding.embedder import Role, Vectors
from quipu.kernel.embedding.hashing import HashEmbedder

pytestmark = pytest.mark.anyio


class Moody:
    """Makes the embedder of the memory slow, or has it fail."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.seconds = 0.0
        self.fails = False
        self.calls = 0
        embed = HashEmbedder.embed

        async def moody(embedder: HashEmbedder, texts: Sequence[str], *, role: Role = "passage") -> Vectors:
            self.calls += 1
            await anyio.sleep(self.seconds)
            if self.fails:
                raise EmbeddingError("The model is ill.")
            return await embed(embedder, texts, role=role)

        patch.setattr(HashEmbedder, "embed", moody)


@pytest.fixture
def moody(monkeypatch: pytest.MonkeyPatch) -> Moody:
    return Moody(monkeypatch)


async def said(memory: AsyncMemory) -> list[str]:
    hits = await memory.recall("boat", space="s", limit=100)
    return sorted(hit.text for hit in hits)


async def test_an_embedder_that_fails_half_way_leaves_nothing_behind(
    memory: AsyncMemory, moody: Moody
) -> None:
    await memory.observe([{"content": "the first boat"}], space="s", session="a")
    moody.fails = True
    for session in ("a", "new"):
        with pytest.raises(EmbeddingError, match="ill"):
            await memory.observe([{"content": "a boat unseen"}], space="s", session=session)
    moody.fails = False
    await memory.observe([{"content": "the second boat"}], space="s", session="a")
    assert await said(memory) == ["the first boat", "the second boat"]
    assert [s.name for s in await memory.sessions(space="s")] == ["a"]


async def test_what_is_refused_does_not_wait_for_its_embedding(memory: AsyncMemory, moody: Moody) -> None:
    await memory.observe([{"id": "1", "content": "a boat"}], space="s", session="a")
    moody.seconds = 2 * PATIENCE_SECONDS
    with anyio.fail_after(PATIENCE_SECONDS), pytest.raises(Conflict):
        await memory.observe([{"id": "1", "content": "another boat"}], space="s", session="a")


async def test_a_slow_embedder_is_waited_for_before_anything_is_held(
    memory: AsyncMemory, moody: Moody
) -> None:
    await memory.observe([{"content": "a boat"}], space="s", session="a")
    moody.seconds = 0.05  # slower than what may hold others up: noticed with the first call
    await memory.observe([{"content": "a slow boat"}], space="s", session="a")
    moody.seconds = 2 * PATIENCE_SECONDS
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: memory.observe([{"content": "no boat"}], space="s", session="a"))
        await anyio.wait_all_tasks_blocked()
        moody.seconds = 0
        with anyio.fail_after(PATIENCE_SECONDS):
            await memory.observe([{"content": "a quick boat"}], space="s", session="a")
        tasks.cancel_scope.cancel()
    assert await said(memory) == ["a boat", "a quick boat", "a slow boat"]


async def test_many_at_once_in_one_session_follow_each_other(memory: AsyncMemory, moody: Moody) -> None:
    await memory.observe([{"content": "boat 0"}], space="s", session="a")
    moody.seconds = 0.005
    async with anyio.create_task_group() as tasks:
        for n in range(1, 12):
            tasks.start_soon(lambda n=n: memory.observe([{"content": f"boat {n}"}], space="s", session="a"))
    assert await said(memory) == sorted(f"boat {n}" for n in range(12))
    assert moody.calls >= 12
