"""From what a request brings to who asks: keys are looked up, remembered for seconds, and limited by rate."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final

import anyio

from quipu.app.memory import AsyncMemory
from quipu.errors import DatabaseUnavailable, KeyRefused, TooManyRequests
from quipu.interfaces.serving.caller import Caller
from quipu.upkeep.keys.model import Key, id_in, sha256

_FRESH_SECONDS: Final = 3.0
_READY_SECONDS: Final = 1.0
_MOST: Final = 10_000
_STRANGERS: Final = 2  # tokens that are looked up at a time, of those that opened nothing yet
_SCHEMES: Final = ("bearer", "token")  # clients of other makers send the second
_HINT: Final = "Send it as `Authorization: Bearer quipu_…`; `quipu keys create` makes one."


_BURST_SECONDS: Final = 10.0
_MOST_CALLERS: Final = 10_000


@dataclass(slots=True)
class Bucket:
    """So many requests may come at once as come in ten seconds; what was taken comes back steadily."""

    per_minute: float
    left: float
    at: float

    def take(self, now: float) -> float:
        """Take one; 0, or where none is left, the seconds until there is one again."""
        rate = self.per_minute / 60
        self.left = min(burst(self.per_minute), self.left + (now - self.at) * rate)
        self.at = now
        if self.left < 1:
            return (1 - self.left) / rate
        self.left -= 1
        return 0.0


def burst(per_minute: float) -> float:
    """Return the number of requests that may come at once."""
    return max(1.0, per_minute * _BURST_SECONDS / 60)


class Rates:
    """A bucket for each caller of this process, the last 10,000 of them."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def wait_seconds(self, who: str, per_minute: float) -> float:
        """Return 0 if the caller may ask now, else the seconds to wait."""
        now = self._clock()
        bucket = self._buckets.pop(who, None)
        if bucket is None or bucket.per_minute != per_minute:
            bucket = Bucket(per_minute, burst(per_minute), now)
        self._buckets[who] = bucket
        if len(self._buckets) > _MOST_CALLERS:
            self._buckets.popitem(last=False)
        return bucket.take(now)


class Access:
    """The keys of a memory, as a server asks for them."""

    def __init__(self, memory: AsyncMemory, rates: Rates) -> None:
        self._memory = memory
        self._rates = rates
        self._known: OrderedDict[bytes, tuple[float, Key | None]] = OrderedDict()
        self._used: set[str] = set()
        self._strangers = anyio.Semaphore(_STRANGERS)
        self._answered = -_READY_SECONDS
        self._asking: asyncio.Task[None] | None = None

    async def knows(self, authorization: str | None) -> bool:
        """Return True if the header ``Authorization`` has a key that opens something; it counts as no use."""
        _, _, token = (authorization or "").partition(" ")
        return id_in(token.strip()) is not None and await self._key(token.strip()) is not None

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
        key = await self._key(token)
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

    async def _key(self, token: str) -> Key | None:
        """Return the key of a token, as it was a few seconds ago at most."""
        hashed = sha256(token)
        at, key = self._known.get(hashed, (-_FRESH_SECONDS, None))
        if monotonic() - at < _FRESH_SECONDS:
            return key
        if key is None:  # who tries tokens must not take the database from those who have one
            async with self._strangers:
                key = await self._memory.keys.opened_by(token)
        else:
            key = await self._memory.keys.opened_by(token)
        self._known.pop(hashed, None)
        self._known[hashed] = (monotonic(), key)
        if len(self._known) > _MOST:
            self._known.popitem(last=False)
        return key

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
        self._known.clear()

    async def note_use(self) -> None:
        """Write down which keys were used since the last time."""
        used, self._used = sorted(self._used), set()
        if used:
            await self._memory.keys.used(used)


def _heard(task: asyncio.Task[None]) -> None:
    """Take the error of a question that nobody waits for any more."""
    if not task.cancelled():
        task.exception()
