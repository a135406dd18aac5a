"""What a space holds: how many memories of which kind, and how it grew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from quipu.kernel.db import queries
from quipu.kernel.db.database import Within

_SQL = queries.load("quipu.upkeep")


@dataclass(frozen=True, slots=True)
class Overview:
    """Memories that can be recalled, by the name of their kind; and how many came in on which day (UTC).

    ``days`` go up and leave out those on which nothing was recorded.
    """

    kinds: Mapping[str, int]
    days: Sequence[tuple[date, int]]


async def overview(within: Within | None, names: Mapping[int, str]) -> Overview:
    """Count what a space holds; nothing where it is not there. ``names``: of kinds, by their code."""
    if within is None:
        return Overview({}, ())
    values = {"space": within.space.id}
    found = await (await within.conn.execute(_SQL["count_by_kind_and_day"], values)).fetchall()
    kinds: dict[int, int] = {}
    days: dict[date, int] = {}
    for kind, day, entries in found:
        kinds[kind] = kinds.get(kind, 0) + entries
        days[day] = days.get(day, 0) + entries
    told = {names[code]: kinds[code] for code in sorted(kinds)}
    return Overview(told, tuple(sorted(days.items())))
