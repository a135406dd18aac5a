"""A language model is configured later: what the rules wrote is rewritten, with its id and its history."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from talk import BUILD, TRIP, told

from language_server import KEY, LanguageServer, said
from quipu import AsyncMemory
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Secret, Settings

pytestmark = pytest.mark.anyio
SPACE = "home"
BETTER = {
    "intent": {"type": "planning", "direction": "decision-making"},
    "context": {"situational": "In March.", "conversational": "About a trip.", "constraints": []},
    "action": "Ana chose the night train.",
    "emotion": {"type": "joy", "valence": "positive", "intensity": "high", "arc": "rises"},
    "outcome": "She goes on 14 May.",
    "gist": "Ana plans an excursion to the capital of Portugal by night train.",
    "salience_factors": {"novelty": 3, "emotional": 2, "commitment": 3, "unresolved": True},
    "open_loops": ["Who looks after the cat is open."],
}
GOOD, NONSENSE = said(json.dumps(BETTER)), said("I would rather not.")


@pytest.fixture
def model() -> Iterator[LanguageServer]:
    with LanguageServer([GOOD]) as running:
        yield running


@asynccontextmanager
async def configured(
    settings: Settings, model: LanguageServer, clock: FrozenClock
) -> AsyncIterator[AsyncMemory]:
    """The same memory, in a program with a language model."""
    named = replace(settings, llm_base_url=model.url, llm_model="small", llm_api_key=Secret(KEY))
    async with AsyncMemory(settings=named, clock=clock) as opened:
        yield opened


async def condensed(memory: AsyncMemory, *talks: tuple[str, ...]) -> list[Any]:
    for number, texts in enumerate(talks):
        await memory.import_messages(told(texts, session=f"s{number}"), space=SPACE)
    assert (await memory.work(concurrency=1)).failed == 0
    return sorted(await memory.episodes.list(space=SPACE), key=lambda one: one.session)


async def test_rebuilding_after_a_model_is_configured_keeps_ids_uses_and_history(
    memory: AsyncMemory, settings: Settings, clock: FrozenClock, model: LanguageServer
) -> None:
    (trip,) = await condensed(memory, TRIP)
    await memory.episodes.reinforce([trip.id], space=SPACE)
    async with configured(settings, model, clock) as better:
        done = await better.episodes.rebuild(space=SPACE)
        assert (done.builder, done.episodes, done.left) == ("llm:openai:small", (trip.id,), ())
        assert (await better.episodes.rebuild(space=SPACE)).episodes == ()  # as this model wrote them
        rewritten = await better.episodes.get(trip.id, space=SPACE)
        assert (rewritten.gist, rewritten.builder, rewritten.uses, rewritten.version) == (
            BETTER["gist"],
            done.builder,
            1,
            2,
        )
        assert rewritten.salience_factors == BETTER["salience_factors"]
        assert rewritten.messages == trip.messages
        (before,) = await better.episodes.history(trip.id, space=SPACE)
        assert (before.gist, before.builder, before.said["outcome"]) == (trip.gist, "rules", trip.outcome)
        (hit,) = await better.recall("excursion to the capital", space=SPACE, kinds=("episodes",))
        assert hit.source.message == trip.id
    asked = model.requests[0]["messages"][-1]["content"]
    assert all(text in asked for text in TRIP)


async def test_what_the_model_fails_at_reads_as_before_and_is_told(
    memory: AsyncMemory, settings: Settings, clock: FrozenClock, model: LanguageServer
) -> None:
    trip, build = await condensed(memory, TRIP, BUILD)
    model.script = [NONSENSE, NONSENSE, GOOD]
    async with configured(settings, model, clock) as better:
        done = await better.episodes.rebuild(space=SPACE)
        ((failed,), (written,)) = done.left, done.episodes
        assert {failed, written} == {trip.id, build.id}
        assert done.trouble
        old = next(one for one in (trip, build) if one.id == failed)
        assert await better.episodes.get(failed, space=SPACE) == old
        assert await better.episodes.history(failed, space=SPACE) == []
        model.script = [NONSENSE]
        kept = await better.episodes.get(written, space=SPACE)
        assert (await better.episodes.rebuild(space=SPACE, again=True)).episodes == ()
        assert await better.episodes.get(written, space=SPACE) == kept  # rules do not write over a model


async def test_workers_condense_with_the_model_and_where_it_fails_with_the_rules(
    memory: AsyncMemory, settings: Settings, clock: FrozenClock, model: LanguageServer
) -> None:
    await memory.import_messages(told(TRIP, session="s0"), space=SPACE)
    await memory.work(topics=["memory_chunker"])
    await memory.import_messages(told(BUILD, session="s1"), space=SPACE)
    await memory.work(topics=["memory_chunker"])
    model.script = [GOOD, NONSENSE]
    async with configured(settings, model, clock) as better:
        done = await better.work(topics=["episodic_memory"], concurrency=1)
        assert (done.failed, done.dead) == (0, 0)
        found = {one.builder: one for one in await better.episodes.list(space=SPACE)}
        assert set(found) == {"llm:openai:small", "rules"}
        assert found["llm:openai:small"].trouble is None
        assert found["rules"].trouble
        assert (await better.episodes.stats(space=SPACE)).troubled == 1
