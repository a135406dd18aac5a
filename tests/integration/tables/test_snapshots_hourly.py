"""A worker takes a snapshot of each schema every hour, and thins out those there are."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest
from tables_house import House, take_hourly

from quipu import Memory
from quipu.app.workers import duties
from quipu.errors import DatabaseUnsuitable
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.upkeep.snapshots.program import pg_dump

HOUR = timedelta(hours=1)


def test_each_hour_has_one_and_the_old_ones_are_thinned_out(house: House, server_settings: Settings) -> None:
    clock = FrozenClock(datetime(2026, 3, 14, 22, 0, 5, tzinfo=UTC))
    settings = replace(server_settings, database_url=house.url)
    where = {"space": "sea"}
    with Memory(settings=settings, clock=clock) as memory:
        memory.tables.create_schema("memory", **where)
        for _ in range(3):  # at 22, 23 and 0 o'clock
            take_hourly(memory, **where)
            take_hourly(memory, **where)
            clock.advance(HOUR)
        mine = memory.snapshots.create(**where)
        tiers = [(one.taken_at.hour, one.reason, one.tier) for one in memory.snapshots.list(**where)]
        assert tiers == [
            (1, "manual", "kept"),
            (0, "scheduled", "hourly"),
            (23, "scheduled", "hourly"),
            (22, "scheduled", "hourly"),
        ]
        clock.advance(timedelta(days=2))
        shown = memory.snapshots.prune(**where)
        assert (len(shown.kept), len(shown.deleted), len(memory.snapshots.list(**where))) == (3, 1, 4)
        assert memory.snapshots.prune(confirm=True, **where).deleted == shown.deleted
        tiers = [(one.taken_at.hour, one.tier) for one in memory.snapshots.list(**where)]
        assert tiers == [(1, "kept"), (0, "six-hourly"), (22, "six-hourly")]
        clock.advance(timedelta(days=27, hours=23))
        assert [one.name for one in memory.snapshots.list(**where)][:1] == [mine.name]
        clock.advance(2 * HOUR)
        assert memory.snapshots.prune(confirm=True, **where).kept == ()


def test_how_long_they_are_kept_is_set(house: House, server_settings: Settings) -> None:
    clock = FrozenClock(datetime(2026, 3, 14, 22, 0, 5, tzinfo=UTC))
    tuned = {"memory_snapshot_retention_days": 2}
    settings = replace(server_settings, database_url=house.url, tuned=tuned)
    with Memory(settings=settings, clock=clock) as memory:
        memory.tables.create_schema("memory", space="lake")
        memory.snapshots.create(space="lake")
        clock.advance(timedelta(days=2) - HOUR)
        assert memory.snapshots.prune(space="lake", confirm=True).deleted == ()
        clock.advance(2 * HOUR)
        assert len(memory.snapshots.prune(space="lake", confirm=True).deleted) == 1


def test_a_worker_does_it_every_hour_in_each_space() -> None:
    schedule = duties().schedules["snapshots"]
    assert (schedule.cron, schedule.each_space) == ("0 * * * *", True)


def test_a_program_that_is_older_than_the_server_is_named(tmp_path: Path) -> None:
    old = tmp_path / "pg_dump"
    old.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 14.2'\n")
    old.chmod(0o755)
    settings = Settings(database_url="postgresql://nobody@localhost/x", pg_bin=tmp_path)
    with pytest.raises(DatabaseUnsuitable, match=r"PostgreSQL 18.*pg_dump is of 14.*client-18"):
        anyio.run(lambda: pg_dump(settings, major=18))


def test_a_clock_that_jumps_takes_no_snapshot_away_and_stops_none(
    house: House, server_settings: Settings
) -> None:
    clock = FrozenClock(datetime(2026, 3, 14, 22, 0, 5, tzinfo=UTC))
    settings = replace(server_settings, database_url=house.url)
    where = {"space": "bay"}
    year = timedelta(days=365)
    with Memory(settings=settings, clock=clock) as memory:
        memory.tables.create_schema("memory", **where)
        for _ in range(3):
            take_hourly(memory, **where)
            clock.advance(HOUR)
        before = {one.name for one in memory.snapshots.list(**where)}
        clock.advance(year)
        take_hourly(memory, **where)
        assert before < {one.name for one in memory.snapshots.list(**where)}
        clock.advance(-year)
        take_hourly(memory, **where)  # of this hour there is none, whatever there is of the future
        assert len(memory.snapshots.list(**where)) == len(before) + 2
        clock.advance(year)
        for _ in range(26):
            clock.advance(HOUR)
            take_hourly(memory, **where)
        assert not before & {one.name for one in memory.snapshots.list(**where)}
