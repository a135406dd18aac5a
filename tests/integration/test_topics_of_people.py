"""What an episode of one person is about is told in no word that somebody else said."""

from __future__ import annotations

import pytest

from quipu import AsyncMemory, acting_for

pytestmark = pytest.mark.anyio


async def test_a_topic_of_a_group_does_not_name_the_episode_of_one_of_them(memory: AsyncMemory) -> None:
    group = [
        {"content": "Who brings a lantern to the harbour?", "user": "una"},
        {"content": "A bonobo lantern, a bonobo, the bonobo for the harbour.", "user": "otto"},
        {"role": "assistant", "content": "The lantern of the harbour is noted."},
    ]
    await memory.observe(group, space="shop", session="group")
    await memory.work()
    await memory.episodes.condense(space="shop")
    (together,) = await memory.conversations.list(space="shop")
    assert "bonobo" in together.topic
    own = [
        {"content": "The lantern at the harbour is broken.", "user": "una"},
        {"role": "assistant", "content": "A lantern of the harbour can be mended."},
    ]
    await memory.observe(own, space="shop", session="of una")
    await memory.work()
    await memory.episodes.condense(space="shop")
    topics = {one.topic for one in await memory.conversations.list(space="shop")}
    assert len(topics) == 1  # it is the same topic
    with acting_for("una"):
        (episode,) = await memory.episodes.list(space="shop")
        told = await memory.episodes.get(episode.id, space="shop")
    assert episode.session == "of una"
    assert "bonobo" not in repr(told).lower()
