"""Lookups of what a secret opens: remembered for seconds, and bounded for who tries many."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Final, Generic, TypeVar

import anyio

from quipu.upkeep.keys.model import sha256

_MOST: Final = 10_000
_STRANGERS: Final = 2  # secrets that are looked up at a time, of those that opened nothing yet

Found = TypeVar("Found")


class Lookups(Generic[Found]):
    """Objects that secrets open, as it was ``seconds`` ago at most. The last 10,000 are remembered."""

    def __init__(self, look_up: Callable[[str], Awaitable[Found | None]], *, seconds: float) -> None:
        self._look_up = look_up
        self._seconds = seconds
        self._known: OrderedDict[bytes, tuple[float, Found | None]] = OrderedDict()
        self._strangers = anyio.Semaphore(_STRANGERS)

    async def find(self, secret: str) -> Found | None:
        """Return the object that a secret opens; None if it opens nothing."""
        hashed = sha256(secret)
        at, found = self._known.get(hashed, (-self._seconds, None))
        if monotonic() - at < self._seconds:
            return found
        if found is None:  # who tries secrets must not take the database from those who have one
            async with self._strangers:
                found = await self._look_up(secret)
        else:
            found = await self._look_up(secret)
        self._known.pop(hashed, None)
        self._known[hashed] = (monotonic(), found)
        if len(self._known) > _MOST:
            self._known.popitem(last=False)
        return found

    def forget(self) -> None:
        """Look every secret up again: something was changed here."""
        self._known.clear()
