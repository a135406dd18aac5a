"""A budget in memory, for tests that need no database."""

from __future__ import annotations

from datetime import date

from quipu.errors import BudgetSpent
from quipu.kernel.language.model import Reservation


class Purse:
    """So many tokens and no more; remembers what was set aside and what was used."""

    def __init__(self, tokens: int = 10**6) -> None:
        self.left = tokens
        self.reserved: list[Reservation] = []
        self.used: list[int] = []

    async def reserve(self, purpose: str, tokens: int) -> Reservation:
        if tokens > self.left:
            raise BudgetSpent
        self.left -= tokens
        self.reserved.append(Reservation(date(2026, 1, 1), purpose, tokens))
        return self.reserved[-1]

    async def settle(self, reservation: Reservation, *, used: int) -> None:
        self.left += reservation.tokens - used
        self.used.append(used)
