"""The pages of episodes and open loops."""

from __future__ import annotations

import re
from html import unescape

import pytest
from page_client import HOSTILE, Browser, faults

from quipu import AsyncMemory
from quipu.kinds.episodes.decay.model import Episode

SPACE = "episodes <pages>"


@pytest.fixture(scope="module")
async def episode(memory: AsyncMemory) -> Episode:
    """A conversation that left something open, condensed."""
    said = [
        ("user", f"The landlord wants to raise the rent by 300 euros. I am really angry about it! {HOSTILE}"),
        ("assistant", "Did he give a reason for it?"),
        ("user", "No. I will write him a letter on Friday. Can you remind me to call the tenants' union?"),
        ("assistant", "I will remind you to call the union."),
    ]
    await memory.observe(
        [{"role": role, "content": content, "user": "ana"} for role, content in said],
        space=SPACE,
        session="rent",
    )
    await memory.work()
    await memory.episodes.condense(space=SPACE)
    return (await memory.episodes.list(space=SPACE))[0]


async def seen(client: Browser, path: str, **query: str | int) -> str:
    answer = await client.get(path, params={"space": SPACE, **query})
    assert answer.status_code == 200, answer.text
    assert faults(answer.text) == []
    assert len(answer.content) < 100_000
    return answer.text


async def test_the_timeline_tells_days_and_the_page_the_curve(
    client: Browser, memory: AsyncMemory, episode: Episode
) -> None:
    listed = await seen(client, "/episodes")
    assert f'<time datetime="{episode.happened_at:%Y-%m-%d}">' in listed
    assert f"/episodes/{episode.id}" in listed
    assert episode.id not in await seen(client, "/episodes", user="nobody")
    assert episode.id in await seen(client, "/episodes", order="freshness", user="")
    here = f"/episodes/{episode.id}"
    page = await seen(client, here)
    assert "&lt;script&gt;alert" in page
    assert "It was never used." in page
    assert 'class="refresh"' not in page
    assert (await client.submit(f"{here}/reinforce?space={SPACE}")).status_code == 303
    page = await seen(client, here)
    assert "It was used once." in page
    assert page.count('class="refresh"') == 1
    assert (await client.submit(f"{here}/archive?space={SPACE}")).status_code == 303
    assert episode.id not in await seen(client, "/episodes")
    assert episode.id in await seen(client, "/episodes", state="archived")
    assert (await client.submit(f"{here}/unarchive?space={SPACE}")).status_code == 303
    assert "Erase this episode?" in await seen(client, f"{here}/erase")
    assert (await memory.episodes.get(episode.id, space=SPACE)).deleted_at is None


async def test_an_open_loop_is_closed_and_opened_again(
    client: Browser, memory: AsyncMemory, episode: Episode
) -> None:
    del episode
    page = await seen(client, "/episodes/loops")
    closing = [unescape(one) for one in re.findall(r'action="([^"]*/close[^"]*)"', page)]
    assert len(closing) == len(await memory.loops.list(space=SPACE)) > 0
    answer = await client.submit(closing[0], {"outcome": "resolved", "evidence": "She called <b>them"})
    assert answer.status_code == 303
    closed = await seen(client, "/episodes/loops", state="closed")
    assert "“She called &lt;b&gt;them”" in closed
    again = unescape(re.findall(r'action="([^"]*/reopen[^"]*)"', closed)[0])
    assert (await client.submit(again)).status_code == 303
    assert len(await memory.loops.list(space=SPACE)) == len(closing)
    assert (await client.submit(closing[0], {"outcome": "lost"})).status_code == 422
