"""Two years of conversations while the clock stands still: what was used stays, what was not fades."""

from __future__ import annotations

from datetime import timedelta

import pytest
from talk import BUILD, GARDEN, THEN, TRIP, told

from quipu import AsyncMemory
from quipu.kernel.base.clock import FrozenClock

SPACE = "years"
MONTHS = 24
DAY, WEEK, MONTH = timedelta(days=1), timedelta(days=7), timedelta(days=30)
TALKS = (TRIP, BUILD, GARDEN)


@pytest.mark.anyio
async def test_two_years(memory: AsyncMemory, clock: FrozenClock) -> None:
    clock.advance(THEN - clock.now())
    used = unused = ""
    for month in range(MONTHS):
        texts = TALKS[month % len(TALKS)]
        await memory.import_messages(told(texts, session=str(month), at=clock.now()), space=SPACE)
        clock.advance(DAY)
        if month % len(TALKS) == len(TALKS) - 1:  # workers come by every three months
            assert (await memory.work(concurrency=1)).failed == 0
        if month == len(TALKS) - 1:
            first = {one.session: one.id for one in await memory.episodes.list(space=SPACE)}
            used, unused = first["1"], first["2"]
        for _ in range(4):  # one of the first is of use every week, ever since; another is looked at as often
            clock.advance(WEEK)
            if used:
                assert await memory.episodes.reinforce([used], space=SPACE) == 1
        await memory.episodes.search("yellow leaves of the tomatoes", space=SPACE)
        clock.advance(MONTH - DAY - 4 * WEEK)

    kept, faded = [await memory.episodes.get(one, space=SPACE) for one in (used, unused)]
    assert kept.uses == 4 * (MONTHS - len(TALKS) + 1)
    assert kept.activation > 0.5 > 0.1 > faded.activation > 0
    assert faded.uses == 0
    assert faded.freshness < 1e-6
    assert kept.freshness > 1_000 * faded.freshness

    everything = await memory.episodes.list(space=SPACE, limit=1_000)
    assert len(everything) == MONTHS
    assert sum(one.messages for one in everything) == sum(map(len, TALKS)) * MONTHS // len(TALKS)
    for one in everything:
        assert max(one.salience, one.activation) < 1 or one.base_salience == 1
        assert one.salience <= one.base_salience + (1 - one.base_salience) / 2 + 1e-3
    assert len({one.activation for one in everything}) > MONTHS // 2  # nobody is at an end of the scale
    stats = await memory.episodes.stats(space=SPACE)
    assert (stats.episodes, stats.waiting, stats.uses) == (len(everything), 0, kept.uses)

    (found, *_) = await memory.episodes.search("chemicals and compost", space=SPACE, limit=50)
    assert found.episode.gist == faded.gist  # faded, and never lost
