"""What no conversation should have in it, taken through to the end: an error that helps, or nothing lost.

Whatever was taken in, everything fits together afterwards: the fixture ``memory`` looks.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from talk import BUILD, THEN, told

from quipu import AsyncMemory
from quipu.errors import BadInput, ConfigError, Conflict
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kinds.episodes.conversations.model import Dialogue
from quipu.kinds.episodes.decay.model import Episode
from quipu.kinds.episodes.queues import CHUNKER

pytestmark = pytest.mark.anyio
SPACE = "home"


async def through(memory: AsyncMemory, *contents: str) -> tuple[Dialogue, Episode]:
    """What becomes of contents that a user and an assistant said in turn, up to the episode."""
    await memory.observe(told(contents, session="s"), space=SPACE)
    done = await memory.work()
    assert (done.failed, done.dead) == (0, 0)
    await memory.episodes.condense(space=SPACE)
    (made,) = await memory.episodes.list(space=SPACE)
    assert made.messages == len(contents)
    return await memory.conversations.get("s", space=SPACE), made


@pytest.mark.parametrize("content", ["", " \n\t"])
async def test_an_empty_message_is_refused_and_nothing_is_taken_in(memory: AsyncMemory, content: str) -> None:
    messages = [{"content": "Well?"}, {"content": content}]
    with pytest.raises(BadInput, match="content") as refused:
        await memory.observe(messages, space=SPACE, session="s")
    assert refused.value.hint
    assert await memory.conversations.list(space=SPACE) == []
    assert (await memory.work(topics=[CHUNKER])).done == 0


async def test_a_message_of_a_megabyte_is_kept_whole_and_condensed_by_its_beginning(
    memory: AsyncMemory,
) -> None:
    long = "I moved to Porto in May.\n```\n" + "Nothing happened here.\n" * 45_000 + "```"
    assert len(long) > 1_000_000
    shown, episode = await through(memory, long, "That is a long log.")
    assert shown.messages[0].content == long
    (exchange,) = shown.exchanges
    assert exchange.chunk is not None
    assert {"key": "home", "value": "Porto", "confidence": 0.9} in exchange.chunk["facts"]
    assert len(episode.gist) <= 700
    assert "Porto" in episode.gist


async def test_only_emoji_are_a_conversation_in_which_something_is_felt(memory: AsyncMemory) -> None:
    shown, episode = await through(memory, "🎉🎉🎉", "👍")
    (exchange,) = shown.exchanges
    assert exchange.chunk is not None
    assert exchange.chunk["scope"]["sentiment"] == "positive"
    assert exchange.chunk["gists"] == []
    assert "🎉" in episode.gist
    assert (episode.emotion["type"], episode.open_loops) == ("joy", ())


async def test_a_role_is_a_name_of_at_most_64_characters(memory: AsyncMemory) -> None:
    with pytest.raises(BadInput, match="role"):
        await memory.observe([{"role": "w" * 65, "content": "Well?"}], space=SPACE, session="s")
    assert await memory.conversations.list(space=SPACE) == []


async def test_what_a_role_of_ones_own_says_is_kept_and_condenses_to_nothing(memory: AsyncMemory) -> None:
    await memory.observe([{"role": "wizard", "content": "I live in Oz."}], space=SPACE, session="s")
    await memory.work()
    assert [one.role for one in await memory.messages("s", space=SPACE)] == ["wizard"]
    assert await memory.beliefs.list(space=SPACE) == []
    assert await memory.longterm.list(space=SPACE) == []


async def test_a_message_that_comes_twice_is_taken_once_and_one_with_other_words_refused(
    memory: AsyncMemory,
) -> None:
    messages = list(told(BUILD, session="s"))
    await memory.observe([*messages, messages[0]], space=SPACE)
    assert (await memory.work()).failed == 0
    await memory.observe(messages[:2], space=SPACE)
    with pytest.raises(Conflict):
        await memory.observe([messages[0] | {"content": "Something else."}], space=SPACE)
    assert (await memory.work()).failed == 0
    (episode,) = await memory.episodes.list(space=SPACE)
    assert [one.content for one in await memory.episodes.messages(episode.id, space=SPACE)] == list(BUILD)


async def test_an_exchange_that_comes_too_late_goes_to_the_thread_of_its_time(
    memory: AsyncMemory, clock: FrozenClock
) -> None:
    await memory.observe(told(BUILD, session="s", at=THEN + timedelta(hours=9)), space=SPACE)
    await memory.work()
    late = ("What did we eat in the canteen this morning?", "Lentil soup, and a pear for everybody.")
    messages = [one | {"id": f"late-{place}"} for place, one in enumerate(told(late, session="s"))]
    await memory.observe(messages, space=SPACE)
    clock.advance(timedelta(hours=5))
    assert (await memory.work()).failed == 0
    shown = await memory.conversations.get("s", space=SPACE)
    assert [one.thread for one in shown.exchanges] == [*["session:s:1"] * 3, "session:s:2"]
    early, later = sorted(await memory.episodes.list(space=SPACE), key=lambda one: one.started_at)
    assert (early.started_at, early.messages) == (THEN, 2)
    assert (later.started_at, later.messages) == (THEN + timedelta(hours=9), len(BUILD))


@pytest.mark.parametrize(
    ("text", "told_of"),
    [
        (json.dumps({"topics": {"dream_queue": "dreams"}}), "dream_queue"),
        (json.dumps({"topics": {"prompt_queue": "llm-chat"}}), "same name"),
        (json.dumps({"topics": {"prompt_queue": ""}}), "prompt_queue"),
        (json.dumps([]), "no object"),
        ("{", "cannot be read"),
    ],
)
async def test_a_file_of_connections_that_cannot_be_meant_is_refused_before_any_work(
    settings: Settings, tmp_path: Path, text: str, told_of: str
) -> None:
    file = tmp_path / "connections.json"
    file.write_text(text)
    async with AsyncMemory(settings=replace(settings, connections=file)) as memory:
        await memory.observe(told(BUILD, session="s"), space=SPACE)
        with pytest.raises(ConfigError, match=told_of) as refused:
            await memory.work()
        assert refused.value.hint
        assert len((await memory.conversations.get("s", space=SPACE)).messages) == len(BUILD)


async def test_topics_that_nobody_works_on_are_refused_by_the_names_of_those_that_there_are(
    memory: AsyncMemory,
) -> None:
    with pytest.raises(BadInput, match="dreams") as refused:
        await memory.work(topics=["dreams"])
    assert "memory-chunker-queue" in (refused.value.hint or "")
