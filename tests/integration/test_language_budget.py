"""Tokens of a day: counted by the database for all workers together, with a hard stop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta

import anyio
import psycopg
import pytest
from pydantic import BaseModel

from language_server import KEY, LanguageServer, said
from quipu.app.kinds import PACKAGES
from quipu.errors import BudgetSpent, LanguageFailed, QuipuError
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.language.budget import DailyBudget, Spent, spent
from quipu.kernel.language.endpoint import Endpoint
from quipu.kernel.language.remote import RemoteLanguage
from quipu.testing import FrozenClock

EVENING = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
DAY = date(2026, 3, 1)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(EVENING)


@pytest.fixture
def budget(database: Database, clock: FrozenClock) -> DailyBudget:
    return DailyBudget(database, clock=clock, daily_tokens=1000)


async def today(database: Database, day: date = DAY) -> list[Spent]:
    async with database.unscoped() as conn:
        return await spent(conn, day)


async def test_what_was_used_takes_the_place_of_what_was_set_aside(
    database: Database, budget: DailyBudget
) -> None:
    first = await budget.reserve("a.one", 400)
    second = await budget.reserve("b.two", 600)
    assert await today(database) == [Spent("a.one", 1, 400), Spent("b.two", 1, 600)]
    await budget.settle(first, used=10)
    await budget.settle(second, used=700)
    assert await today(database) == [Spent("a.one", 1, 10), Spent("b.two", 1, 700)]
    await budget.reserve("a.one", 290)
    assert await today(database) == [Spent("a.one", 2, 300), Spent("b.two", 1, 700)]


async def test_beyond_the_budget_nothing_is_given_until_the_next_day(
    database: Database, budget: DailyBudget, clock: FrozenClock
) -> None:
    await budget.reserve("a", 999)
    for purpose in ("a", "b"):
        with pytest.raises(BudgetSpent, match=r"2026-03-02 at 00:00 UTC.*llm_daily_tokens") as refused:
            await budget.reserve(purpose, 2)
        assert refused.value.opens_at == datetime(2026, 3, 2, tzinfo=UTC)
    assert await today(database) == [Spent("a", 1, 999)]
    await budget.reserve("a", 1)
    clock.advance(timedelta(minutes=30))
    await budget.reserve("a", 1000)


async def test_a_request_over_midnight_is_counted_on_the_day_it_was_made(
    database: Database, budget: DailyBudget, clock: FrozenClock
) -> None:
    reserved = await budget.reserve("a", 800)
    clock.advance(timedelta(hours=1))
    await budget.settle(reserved, used=20)
    assert await today(database) == [Spent("a", 1, 20)]
    assert await today(database, date(2026, 3, 2)) == []


async def test_more_than_a_whole_day_has_is_no_matter_of_waiting(
    database: Database, budget: DailyBudget
) -> None:
    with pytest.raises(LanguageFailed, match=r"1,001 tokens.*llm_daily_tokens") as refused:
        await budget.reserve("a", 1001)
    assert not isinstance(refused.value, BudgetSpent)
    assert await today(database) == []


async def test_what_was_never_settled_stays_counted(database: Database, budget: DailyBudget) -> None:
    """A worker that was killed may have had its answer; the day's limit must hold all the same."""
    await budget.reserve("a", 700)
    with pytest.raises(BudgetSpent):
        await budget.reserve("a", 700)


@pytest.fixture
async def elsewhere(settings: Settings, url: str, database: Database) -> AsyncIterator[Database]:
    """A second process's view: a pool of its own on the same database."""
    async with Database.open(url, settings, packages=PACKAGES) as opened:
        yield opened


async def test_workers_that_ask_at_once_never_get_more_than_there_is(
    database: Database, elsewhere: Database, clock: FrozenClock
) -> None:
    given: list[int] = []

    async def work(budget: DailyBudget, number: int) -> None:
        for _ in range(5):
            try:
                reserved = await budget.reserve(f"job.n{number}", 30)
            except BudgetSpent:
                continue
            given.append(reserved.tokens)

    async with anyio.create_task_group() as group:
        for number in range(8):
            where = database if number % 2 else elsewhere
            group.start_soon(work, DailyBudget(where, clock=clock, daily_tokens=1000), number)
    assert sum(given) == 990
    assert sum(one.tokens for one in await today(database)) == 990


async def test_nobody_can_write_the_count_past_the_two_functions(database: Database) -> None:
    with pytest.raises(QuipuError, match="lacks a right"):
        async with database.unscoped() as conn:
            await conn.execute("update core.language_budget set tokens = 0")


async def test_a_purpose_can_hold_nothing_that_was_said(url: str) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as conn:
        with pytest.raises(psycopg.errors.CheckViolation):
            await conn.execute("select core.reserve_language_tokens('2026-03-01', 'Ana owes Bo', 1, 9)")


class Mood(BaseModel):
    mood: str


async def test_a_model_is_paid_from_the_budget_and_not_asked_beyond_it(
    database: Database, budget: DailyBudget
) -> None:
    with LanguageServer([said('{"mood": "calm"}', used=450)]) as server:
        language = RemoteLanguage(Endpoint("m", server.url, KEY), budget=budget, answer_tokens=100)
        try:
            for _ in range(2):
                await language.structured(instructions="How?", text="Ana", shape=Mood, purpose="mood")
            with pytest.raises(BudgetSpent):
                await language.structured(instructions="How?", text="Ana", shape=Mood, purpose="mood")
        finally:
            await language.aclose()
    assert len(server.requests) == 2
    assert await today(database) == [Spent("mood", 2, 900)]
