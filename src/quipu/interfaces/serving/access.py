"""From what a request brings to who asks: keys are looked up, remembered for seconds, and limited by rate."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Final

from quipu.app.memory import AsyncMemory
from quipu.errors import DatabaseUnavailable, KeyRefused, TooManyRequests
from quipu.interfaces.serving.caller import Caller
from quipu.interfaces.serving.lookups import Lookups
from quipu.interfaces.serving.rates import Rates
from quipu.upkeep.keys.model import Key, id_in

_FRESH_SECONDS: Final = 3.0
_READY_SECONDS: Final = 1.0
_SCHEMES: Final = ("bearer", "token")  # clients of other makers send the second
_HINT: Final = "Send it as `Authorization: Bearer quipu_…`; `quipu keys create` makes one."


class Access:
    """The keys of a memory, as a server asks for them."""

    def __init__(self, memory: AsyncMemory, rates: Rates) -> None:
        self._memory = memory
        self._rates = rates
        self._keys: Lookups[Key] = Lookups(self._opened_by, seconds=_FRESH_SECONDS)
        self._used: set[str] = set()
        self._answered = -_READY_SECONDS
        self._asking: asyncio.Task[None] | None = None

    async def knows(self, authorization: str | None) -> bool:
        """Return True if the header ``Authorization`` has a key that opens something; it counts as no use."""
        _, _, token = (authorization or "").partition(" ")
        return id_in(token.strip()) is not None and await self._keys.find(token.strip()) is not None

    async def bearer(self, authorization: str | None) -> Caller:
        """Return the caller who sends this header ``Authorization``.

        Raises:
            KeyRefused: nobody; also where the key was revoked, three seconds ago at most.
            TooManyRequests: they do so too often.
        """
        scheme, _, token = (authorization or "").partition(" ")
        token = token.strip()
        if scheme.lower() not in _SCHEMES or id_in(token) is None:
            raise KeyRefused(hint=_HINT)
        key = await self._keys.find(token)
        if key is None:
            raise KeyRefused(hint=_HINT)
        self.pace(key.id, key.requests_per_minute)
        self._used.add(key.id)
        return Caller(key.space, key.level, key.id, key.user)

    def pace(self, who: str, per_minute: float) -> None:
        """Raise unless they may ask now.

        Raises:
            TooManyRequests: they ask too often.
        """
        wait = self._rates.wait_seconds(who, per_minute)
        if wait:
            raise TooManyRequests(
                f"You may ask {per_minute:,.0f} times a minute.",
                wait_seconds=wait,
                hint="Wait as long as Retry-After says; a key can be made for more.",
            )

    async def _opened_by(self, token: str) -> Key | None:
        return await self._memory.keys.opened_by(token)

    async def ready(self, *, seconds: float) -> None:
        """Raise unless the database answered within the last second, or does within ``seconds``.

        One question at a time is under way, whoever asks. It takes several round trips, and giving one up
        takes a while: that is not waited for.

        Raises:
            DatabaseUnavailable: it does not answer.
        """
        if monotonic() - self._answered < _READY_SECONDS:
            return
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._memory.ready(seconds=seconds), name="quipu is ready")
            self._asking.add_done_callback(_heard)
        done, _ = await asyncio.wait([self._asking], timeout=seconds)
        if not done:
            raise DatabaseUnavailable(f"There was no answer within {seconds:g} seconds.", hint="quipu doctor")
        self._asking.result()
        self._answered = monotonic()

    async def aclose(self) -> None:
        """Give up what is still asked."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait([self._asking])

    def forget(self) -> None:
        """Look every key up again: one of them was changed here."""
        self._keys.forget()

    async def note_use(self) -> None:
        """Write down which keys were used since the last time."""
        used, self._used = sorted(self._used), set()
        if used:
            await self._memory.keys.used(used)


def _heard(task: asyncio.Task[None]) -> None:
    """Take the error of a question that nobody waits for any more."""
    if not task.cancelled():
        task.exception()
