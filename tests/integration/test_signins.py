"""Links that sign a browser in once, and the sessions that come of them, for every server of a database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import anyio
import pytest

from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database, owner
from quipu.upkeep.keys.signins import AsyncSignIns

pytestmark = pytest.mark.anyio


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 3, 1, tzinfo=UTC))


@pytest.fixture
def signins(database: Database, clock: FrozenClock) -> AsyncSignIns:
    return AsyncSignIns(database, clock=clock)


async def test_a_link_signs_in_once_and_for_a_time(signins: AsyncSignIns, clock: FrozenClock) -> None:
    link, late = await signins.link(seconds=60), await signins.link(seconds=60)
    assert await signins.redeem(link + "x", seconds=600) is None
    session = await signins.redeem(link, seconds=600)
    assert session is not None
    assert await signins.is_signed_in(session)
    assert await signins.redeem(link, seconds=600) is None
    assert await signins.redeem(session, seconds=600) is None
    clock.advance(timedelta(seconds=61))
    assert await signins.redeem(late, seconds=600) is None


async def test_of_many_who_open_a_link_at_once_one_is_signed_in(signins: AsyncSignIns) -> None:
    link = await signins.link(seconds=60)
    opened: list[str | None] = []

    async def open_it() -> None:
        opened.append(await signins.redeem(link, seconds=600))

    async with anyio.create_task_group() as tasks:
        for _ in range(6):
            tasks.start_soon(open_it)
    assert len([one for one in opened if one is not None]) == 1


async def test_a_session_ends_in_time_or_when_it_is_signed_out(
    signins: AsyncSignIns, clock: FrozenClock
) -> None:
    first, second = [await signins.redeem(await signins.link(seconds=60), seconds=600) for _ in range(2)]
    assert first is not None
    assert second is not None
    await signins.sign_out(first)
    assert [await signins.is_signed_in(one) for one in (first, second)] == [False, True]
    assert await signins.drop_ended() == 0
    clock.advance(timedelta(seconds=600))
    assert not await signins.is_signed_in(second)
    assert await signins.drop_ended() == 1


async def test_the_database_has_no_token_and_the_application_makes_no_link(
    database: Database, signins: AsyncSignIns
) -> None:
    link = await signins.link(seconds=60)
    session = await signins.redeem(await signins.link(seconds=60), seconds=60)
    async with owner(database.url, Settings()) as conn:
        rows = await (await conn.execute("select s::text from core.signins s")).fetchall()
    assert len(rows) == 2
    assert not any(token in row[0] for row in rows for token in (link, str(session)))
    async with database.unscoped() as conn:
        rights = "select has_table_privilege('core.signins', 'select, insert, update, delete')"
        assert await conn.value(rights) is False
