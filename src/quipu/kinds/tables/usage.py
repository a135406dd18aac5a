"""Guesses of what is embedded of the tables that rows come into, so that embedding can begin at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from quipu.kinds.tables.access import Place

_MOST: Final = 1_000


@dataclass(frozen=True, slots=True)
class Habit:
    """Columns of a table that were embedded, and the embedding model of the space, when last looked at."""

    fields: Sequence[str]
    generation: int | None


class Habits:
    """Habits by table, for each who may write there. A wrong one costs the time of an embedding, no more."""

    def __init__(self) -> None:
        self._found: dict[tuple[Place, str], Habit] = {}

    def of(self, place: Place, table: object) -> Habit | None:
        """Return the habit of a table, if it is known."""
        return self._found.get((place, table)) if isinstance(table, str) else None

    def learn(self, place: Place, table: object, habit: Habit) -> None:
        """Remember it until there are too many."""
        if isinstance(table, str):
            if len(self._found) >= _MOST:
                self._found.clear()
            self._found[place, table] = habit
