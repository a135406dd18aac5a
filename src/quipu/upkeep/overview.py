"""Counts of what spaces hold: of each space, and the overview of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, SpaceTransaction

_SQL = queries.load("quipu.upkeep")


@dataclass(frozen=True, slots=True)
class DayCount:
    """A day (UTC), and how many memories are of it."""

    day: date
    entries: int


@dataclass(frozen=True, slots=True)
class Overview:
    """Memories that can be recalled, by the name of their kind; and how many are of which day (UTC).

    ``recorded`` are the days on which they came in, ``happened`` those of which they tell. Both go up and
    leave out days without any.
    """

    kinds: Mapping[str, int]
    recorded: Sequence[DayCount]
    happened: Sequence[DayCount]


NOTHING: Final = Overview({}, (), ())


async def overview(tx: SpaceTransaction | None, names: Mapping[int, str]) -> Overview:
    """Count what a space holds; nothing if it does not exist. ``names`` maps codes to names of kinds."""
    if tx is None:
        return NOTHING
    kinds: Counter[int] = Counter()
    recorded: Counter[date] = Counter()
    happened: Counter[date] = Counter()
    for kind, recorded_on, happened_on, entries in await tx.rows(_SQL["count_by_kind_and_day"]):
        kinds[kind] += entries
        recorded[recorded_on] += entries
        happened[happened_on] += entries
    by_name = {names[code]: kinds[code] for code in sorted(kinds)}
    return Overview(by_name, _by_day(recorded), _by_day(happened))


def _by_day(counts: Mapping[date, int]) -> list[DayCount]:
    """Order counts by their days."""
    return [DayCount(day, counts[day]) for day in sorted(counts)]


@dataclass(frozen=True, slots=True)
class SpaceCounts:
    """A space: its name, how many memories can be recalled in it, and how many sessions it has."""

    name: str
    entries: int
    sessions: int


async def count_spaces(
    database: Database, *, after: str | None = None, limit: int | None = None
) -> list[SpaceCounts]:
    """Count what spaces hold, by name, each at one moment: all, or at most ``limit`` after a name.

    Only the owner of the database sees all names. The content of a space cannot be seen from outside, not
    even by the owner unless a superuser; so each is entered to count, a millisecond for each.
    """
    counts: list[SpaceCounts] = []
    names = sorted(space.name for space in await database.spaces())
    for name in [one for one in names if after is None or one > after][:limit]:
        async with database.snapshot_read(name) as tx:
            if tx is None:  # it was forgotten meanwhile
                continue
            ((sessions,),) = await tx.rows(_SQL["count_sessions"])
            counts.append(SpaceCounts(name, tx.space.entries, sessions))
    return counts
