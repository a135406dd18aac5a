"""Tokens of a day, counted in the database: all workers together, whatever machine they are on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from quipu.errors import BudgetSpent, LanguageFailed
from quipu.kernel.base.clock import Clock
from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, Database, ask, fetch
from quipu.kernel.language.model import Reservation

_SQL = queries.load("quipu.kernel.language")
# Under another level, what others reserved while we waited for them would not be seen.
_BEGIN = "begin isolation level read committed"


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens used for one purpose in a day; requests under way count with the most they may cost."""

    purpose: str
    requests: int
    tokens: int


class DailyBudget:
    """At most ``daily_tokens`` in a UTC day; those of the setting if none are given. See ``Budget``."""

    def __init__(self, database: Database, *, clock: Clock, daily_tokens: int | None = None) -> None:
        self._database = database
        self._clock = clock
        self._daily_tokens = daily_tokens

    async def reserve(self, purpose: str, tokens: int) -> Reservation:
        """Set tokens of today aside. See ``Budget``."""
        most = self._daily_tokens
        if most is None:
            most = (await self._database.settings()).llm_daily_tokens
        if tokens > most:
            raise LanguageFailed(
                f"This may take {tokens:,} tokens; a whole day has {most:,}.",
                hint="Raise the setting llm_daily_tokens, or ask about less text.",
            )
        day = self._clock.now().astimezone(UTC).date()
        values = {"day": day, "purpose": purpose, "tokens": tokens, "most": most}
        async with self._database.unscoped() as conn:
            async with conn.pipeline():
                await conn.execute(_BEGIN)
                reserved = await ask(conn, _SQL["reserve"], values)
            (is_left,) = (await reserved.fetchall())[0]
        if not is_left:
            raise _spent(day, most)
        return Reservation(day, purpose, tokens)

    async def settle(self, reservation: Reservation, *, used: int) -> None:
        """Count what was used instead. See ``Budget``."""
        difference = used - reservation.tokens
        values = {"day": reservation.day, "purpose": reservation.purpose, "difference": difference}
        async with self._database.unscoped() as conn:
            await conn.execute(_SQL["settle"], values)


async def spent(conn: Connection, day: date) -> list[Spent]:
    """Return the use of a UTC day, by purpose."""
    return await fetch(conn, Spent, _SQL["spent"], {"day": day})


def _spent(day: date, daily_tokens: int) -> BudgetSpent:
    opens_at = datetime.combine(day + timedelta(days=1), time(), UTC)
    return BudgetSpent(
        f"What is left of the {daily_tokens:,} tokens of {day} is too little for this; nothing was asked.",
        opens_at=opens_at,
        hint=f"It opens again on {opens_at:%Y-%m-%d at %H:%M} UTC; llm_daily_tokens sets the limit.",
    )
