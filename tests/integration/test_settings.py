"""What is set in the database takes effect in programs that run; what a program was given comes first."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from psycopg import errors

from quipu import AsyncMemory
from quipu.app.kinds import KINDS, PACKAGES
from quipu.errors import BadInput, ConfigError, NotFound
from quipu.kernel.base.setting import Setting, whole
from quipu.kernel.config import Settings
from quipu.kernel.db.database import FRESH_SECONDS, Database
from quipu.kinds.ledger.settings import SESSION_DAYS
from quipu.testing import FrozenClock

NOW = datetime(2026, 3, 1, tzinfo=UTC)
EPISODE = """
insert into episodes.episodes (intent, context, action, emotion, outcome, gist, salience, topic,
    salience_factors, open_loops, created_at, ended_at)
values ('{"type": "planning", "direction": "narrowing"}', '{"situational": "at home"}',
    'Compared two boats.', '{"type": "joy", "valence": "positive", "intensity": "low", "arc": "steady"}',
    'The blue boat was chosen.', 'Ana chose the blue boat.', 0.5, 'boats',
    '{"novelty": 2, "emotional": 2, "commitment": 1, "unresolved": false}', '[]', %(then)s, %(then)s)
"""

pytestmark = pytest.mark.anyio


@pytest.fixture
def address(module_url: str) -> str:
    return module_url


@pytest.fixture
def given(server_settings: Settings, address: str) -> Settings:
    return replace(server_settings, database_url=address)


@pytest.fixture
async def memory(given: Settings) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(settings=given, clock=FrozenClock(NOW)) as opened:
        yield opened
        for one in await opened.settings.list():
            if one.stored is not None:
                await opened.settings.reset(one.name)


@pytest.fixture
async def database(given: Settings, address: str) -> AsyncIterator[Database]:
    async with Database.open(address, given, packages=PACKAGES) as opened:
        yield opened


async def test_the_decay_of_episodes_that_is_set_is_the_one_that_they_fade_by(
    memory: AsyncMemory, database: Database
) -> None:
    async with database.write("boats") as tx:
        await tx.conn.execute(EPISODE, {"then": NOW - timedelta(hours=20)})

    async def seen() -> tuple[float, float]:
        (one,) = await memory.episodes.list(space="boats", order="freshness")
        (hit,) = await memory.recall("blue boat", space="boats")
        return one.freshness, hit.parts.get("freshness", 0.0)

    usual = await seen()
    assert usual[0] == pytest.approx(2.718281828 ** (-0.05 * 0.5 * 20), abs=1e-3)
    await memory.settings.set("episode_decay_per_hour", 0, space="boats")
    assert await seen() == (1, pytest.approx(0.02))
    await memory.settings.set("episode_decay_per_hour", 2)
    assert (await seen())[0] == 1  # what is set for the space comes before what is set for all
    async with database.transaction("boats") as tx:
        assert tx is not None
        row = await (await tx.conn.execute("select freshness from episodes.episodes")).fetchone()
    assert row == (1,)
    await memory.settings.reset("episode_decay_per_hour", space="boats")
    assert (await seen())[0] < 0.001
    await memory.settings.reset("episode_decay_per_hour")
    assert await seen() == usual


async def test_the_ledger_goes_by_the_days_that_are_set(memory: AsyncMemory) -> None:
    async def lasts() -> timedelta:
        change = await memory.ledger.set("boat", str(time.monotonic()), space="days", user="ana")
        assert change.event is not None
        assert change.event.expires_at is not None
        return change.event.expires_at - NOW

    assert await lasts() == timedelta(days=90)
    await memory.settings.set("preference_days", 7)
    assert await lasts() == timedelta(days=7)

    await memory.ledger.open_session(space="days", session="old")
    memory._clock.advance(timedelta(days=3))  # type: ignore[attr-defined]
    await memory.settings.set("session_days", "2", space="days")
    assert (await memory.ledger.retention(space="days")).sessions == 1
    await memory.settings.set("session_days", 0, space="days")
    assert (await memory.ledger.retention(space="days")).sessions == 0


async def test_long_term_memory_goes_by_what_is_set(memory: AsyncMemory) -> None:
    for number in range(3):
        await memory.longterm.add(f"Has the green boat number {number}.", space="many", user="ana")
    await memory.settings.set("longterm_timeout_ms", 60_000)
    await memory.settings.set("longterm_least_score", 0)

    async def recovered() -> int:
        return len((await memory.longterm.recover("green boat", space="many", user="ana")).ids)

    assert await recovered() == 3
    await memory.settings.set("longterm_limit", 2)
    assert await recovered() == 2
    await memory.settings.set("longterm_least_score", 1)
    assert await recovered() == 0


async def test_another_process_goes_by_a_change_within_a_second(
    memory: AsyncMemory, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_000.0
    monkeypatch.setattr("quipu.kernel.db.database.time", SimpleNamespace(monotonic=lambda: now))
    assert (await database.settings()).of(SESSION_DAYS) == 90
    await memory.settings.set("session_days", 5)
    now += FRESH_SECONDS
    assert (await database.settings()).of(SESSION_DAYS) == 5


async def test_who_asks_for_a_setting_is_told_at_once_what_another_process_set(
    memory: AsyncMemory, given: Settings
) -> None:
    await memory.observe([{"content": "The lift squeaks."}], space="house")
    async with AsyncMemory(settings=given) as other:
        for space in (None, "house"):
            assert (await other.settings.get("session_days", space=space)).value == 90
        await memory.settings.set("session_days", 5)
        assert (await other.settings.get("session_days")).value == 5
        await memory.settings.set("session_days", 7, space="house")
        told = await other.settings.get("session_days", space="house")
        assert (told.value, told.stored, told.stored_in_space) == (7, 5, 7)


async def test_what_the_program_was_given_comes_first_and_is_said(
    memory: AsyncMemory, given: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIPU_LOOP_REMINDERS", "1")
    by_environment = Settings(home=given.home, database_url=given.database_url, embedding_model="hashing")
    async with AsyncMemory(
        settings=replace(by_environment, tuned={**by_environment.tuned, "session_days": 3})
    ) as other:
        days = await other.settings.set("session_days", 5)
        assert (days.value, days.source, days.stored, days.overridden) == (3, "argument", 5, True)
        loops = await other.settings.set("loop_reminders", 9, space="x")
        assert (loops.value, loops.source, loops.overridden) == (1, "environment", True)
        assert (loops.stored, loops.stored_in_space) == (None, 9)
        assert not (await other.settings.reset("loop_reminders", space="x")).overridden
    assert (await memory.settings.get("session_days")).source == "database"


async def test_a_wrong_setting_is_refused_with_the_way_out(memory: AsyncMemory) -> None:
    settings = memory.settings
    with pytest.raises(BadInput, match=r"memory_snapshot_retention_days: .*400.* 1 to 365"):
        await settings.set("memory_snapshot_retention_days", 400)
    with pytest.raises(BadInput, match="not a whole number"):
        await settings.set("memory_snapshot_retention_days", "many")
    with pytest.raises(NotFound, match="memory_snapshot_retention_days"):
        await settings.set("memory_snapshot_retention", 5)
    with pytest.raises(NotFound, match="list of settings"):
        await settings.get("zzz")
    with pytest.raises(BadInput, match="QUIPU_POOL_SIZE"):
        await settings.set("pool_size", 3)
    with pytest.raises(BadInput, match="whole database"):
        await settings.set("llm_daily_tokens", 3, space="x")
    with pytest.raises(BadInput, match="rules or llm"):
        await settings.set("longterm_evaluator", "guess")
    with pytest.raises(BadInput, match="never, requested, always"):
        await settings.set("policy", "money=sometimes")
    with pytest.raises(BadInput, match="episodes"):
        await settings.list(kind="episode")
    assert (await settings.get("memory_snapshot_retention_days")).value == 30


async def test_a_wrong_setting_of_a_kind_in_the_environment_is_refused_when_the_memory_is_made(
    given: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIPU_EPISODE_BOOST", "much")
    with pytest.raises(ConfigError, match=r"QUIPU_EPISODE_BOOST is 'much', not a number"):
        AsyncMemory(home=given.home)


async def test_what_may_hold_a_password_is_not_shown(memory: AsyncMemory, given: Settings) -> None:
    found = {one.name: one for one in await memory.settings.list()}
    assert given.database_url not in (found["database_url"].value, None)
    assert "dbname" not in str(found.values())


async def test_what_a_version_with_other_bounds_stored_is_passed_over(
    memory: AsyncMemory, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    async with database.owner() as conn:
        await conn.execute(
            "insert into core.settings values ('session_days', '-1', now()), ('episode_boost', '7', now()),"
            " ('not_yet_known', 'true', now())"
        )
    assert (await database.settings("any")).of(SESSION_DAYS) == 90
    assert "QUIPU_SESSION_DAYS is -1" in caplog.text
    assert (await memory.settings.get("episode_boost")).value == 0.2
    assert (await memory.settings.reset("session_days")).stored is None
    async with database.owner() as conn:
        await conn.execute("delete from core.settings where name = 'not_yet_known'")


async def test_the_application_role_changes_nothing_for_all(database: Database) -> None:
    with pytest.raises(Exception, match="permission denied") as refused:
        async with database.unscoped() as conn:
            await conn.execute("insert into core.settings values ('session_days', '1', now())")
    assert isinstance(refused.value.__cause__, errors.InsufficientPrivilege)


def test_every_kind_has_its_settings_and_no_name_is_used_twice() -> None:
    names = [one.name for kind in KINDS for one in kind.settings]
    assert len(names) == len(set(names))
    assert {one.name for kind in KINDS for one in kind.settings if not one.stored} == {"agent"}
    assert {kind.name for kind in KINDS if kind.settings} == {
        "message", "ledger", "lesson", "episodes", "longterm", "tables", "document",
    }  # fmt: skip


def test_a_program_can_give_the_value_of_a_setting_of_a_kind() -> None:
    cups = Setting(name="cups", meaning="Cups of tea.", form=whole(0, 9), default=2)
    assert Settings().of(cups) == 2
    assert Settings(tuned={"cups": "3"}).of(cups) == 3
    assert replace(Settings(tuned={"cups": 3}), redact=False).origin("cups") == "argument"
    assert Settings().over([("cups", 4, "database"), ("cups", 5, "space")]).of(cups) == 5
    assert Settings(tuned={"cups": 3}).over([("cups", 4, "database")]).of(cups) == 3
    with pytest.raises(ConfigError, match="QUIPU_CUPS is 10; it can be 0 to 9"):
        Settings(tuned={"cups": 10}).of(cups)
