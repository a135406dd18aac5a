"""Overview of a space: how many memories of which kind, and how it grew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction

_SQL = queries.load("quipu.upkeep")


@dataclass(frozen=True, slots=True)
class Overview:
    """Memories that can be recalled, by the name of their kind; and how many are of which day (UTC).

    ``recorded`` are the days on which they came in, ``happened`` those of which they tell. Both go up and
    leave out days without any.
    """

    kinds: Mapping[str, int]
    recorded: Sequence[tuple[date, int]]
    happened: Sequence[tuple[date, int]]


NOTHING: Final = Overview({}, (), ())


async def overview(tx: SpaceTransaction | None, names: Mapping[int, str]) -> Overview:
    """Count what a space holds; nothing where it is not there. ``names``: of kinds, by their code."""
    if tx is None:
        return NOTHING
    values = {"space": tx.space.id}
    found = await (await tx.conn.execute(_SQL["count_by_kind_and_day"], values)).fetchall()
    kinds: Counter[int] = Counter()
    recorded: Counter[date] = Counter()
    happened: Counter[date] = Counter()
    for kind, recorded_on, happened_on, entries in found:
        kinds[kind] += entries
        recorded[recorded_on] += entries
        happened[happened_on] += entries
    told = {names[code]: kinds[code] for code in sorted(kinds)}
    return Overview(told, sorted(recorded.items()), sorted(happened.items()))
