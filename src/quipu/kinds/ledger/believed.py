"""What the ledger believes: now, at any moment, and how it came about. Nothing here changes anything."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from quipu.kernel.base.clock import Clock
from quipu.kinds.ledger.beliefs import Beliefs, Whose
from quipu.kinds.ledger.circumstances import time_of
from quipu.kinds.ledger.model import Difference, Event, RegisteredKey, Value
from quipu.record import given

_BIGGEST_ID: Final = 2**63 - 1


class AsyncBelieved:
    """Reads what was written as events: what stands, what is only assumed, what changed."""

    def __init__(self, beliefs: Beliefs, *, clock: Clock) -> None:
        self._beliefs = beliefs
        self._clock = clock

    async def state(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        as_of: datetime | str | None = None,
    ) -> dict[str, Value]:
        """What holds, by key; or with ``as_of``, what was believed at that moment.

        In a session its own values come first, and the preferences of its person fill the gaps
        (``Value.from_preference``). Empty where the session is unknown.

        Raises:
            BadInput: neither session nor user is given, or the session is somebody else's.
        """
        at = None if as_of is None else time_of("as_of", as_of)
        return await self._beliefs.state(Whose(space, session, user), as_of=at)

    async def values(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Value]:
        """Everything that stands in a session and for a person, or in the whole space, by key.

        ``limit``: at most so many; all of them if not given.

        Raises:
            BadInput: ``limit`` is not 1 to 1,000, or the session is somebody else's.
        """
        most = None if limit is None else given.whole("limit", limit)
        passed = given.whole("offset", offset, least=0, most=2**40)
        return await self._beliefs.values(Whose(space, session, user), limit=most, offset=passed)

    async def open_assumptions(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Value]:
        """What is only assumed, by key: to be disclosed or confirmed. In the whole space if none is named.

        ``limit``: at most so many; all of them if not given.

        Raises:
            BadInput: ``limit`` is not 1 to 1,000, or the session is somebody else's.
        """
        most = None if limit is None else given.whole("limit", limit)
        passed = given.whole("offset", offset, least=0, most=2**40)
        return await self._beliefs.assumptions(Whose(space, session, user), limit=most, offset=passed)

    async def events(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> list[Event]:
        """What was written, the latest first: in a session and of its person, or in the whole space.

        ``before``: the id of an event; only what was written before it.

        Raises:
            BadInput: ``limit`` is not 1 to 1,000, or the session is somebody else's.
        """
        last = _BIGGEST_ID if before is None else given.whole("before", before, most=_BIGGEST_ID)
        whose = Whose(space, session, user)
        return await self._beliefs.events(whose, before=last, limit=given.whole("limit", limit))

    async def history(
        self, key: str, *, space: str, session: str | None = None, user: str | None = None
    ) -> list[Event]:
        """Every event of a key in a session and for its person, oldest first: when, why, who, old and new.

        Raises:
            BadInput: neither session nor user is given, or the session is somebody else's.
        """
        return await self._beliefs.history(key, Whose(space, session, user))

    async def keys(self, *, space: str) -> list[RegisteredKey]:
        """The keys whose values have a shape, by pattern: those of every program, and those registered.

        A program registers a key in itself (``register``); with its first fact in a space the shape is there
        for all others, which check values by it.
        """
        return await self._beliefs.keys(space)

    async def diff(
        self,
        since: datetime | str,
        until: datetime | str | None = None,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
    ) -> list[Difference]:
        """The keys that were believed otherwise at ``until`` (or now) than at ``since``, in their order.

        Raises:
            BadInput: neither session nor user is given, the session is somebody else's, or a time is none.
        """
        end = self._clock.now() if until is None else time_of("until", until)
        whose = Whose(space, session, user)
        return await self._beliefs.difference(whose, since=time_of("since", since), until=end)
