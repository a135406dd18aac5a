"""Reading the ledger: what stands, what was believed at any moment, and how it came about."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from annotated_types import Interval
from typing_extensions import Doc

from quipu.kernel.base import scope
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import (
    MOST_PASSED_OVER,
    Example,
    Limit,
    Offset,
    OnlyUser,
    Space,
)
from quipu.kinds.ledger.circumstances import time_of
from quipu.kinds.ledger.keys import checked_key
from quipu.kinds.ledger.model import BIGGEST_ID, Difference, Event, RegisteredKey, Value
from quipu.kinds.ledger.standing import Standing, Whose

_Session = Annotated[
    str | None, Doc("The session; with it count the preferences of its person."), Example("s1")
]
_OnlySession = Annotated[str | None, Doc("Only this session, and its person."), Example("s1")]
_User = Annotated[str | None, Doc("The person, if no session is named."), Example("ana")]


class AsyncLookup:
    """Read what was written as events: what stands, what is only assumed, what changed."""

    def __init__(self, beliefs: Standing, *, clock: Clock) -> None:
        self._beliefs = beliefs
        self._clock = clock

    async def state(
        self,
        *,
        space: Space,
        session: _Session = None,
        user: _User = None,
        as_of: Annotated[
            datetime | str | None,
            Doc("The moment at which it was believed, if not now."),
            Example("2026-05-04T10:00:00Z"),
        ] = None,
    ) -> dict[str, Value]:
        """Show what holds for a session or a person, by key.

        In a session its own values come first, and the preferences of its person fill the gaps. Empty where
        the session is unknown.

        Raises:
            BadInput: Neither session nor user is given, the session is somebody else's, or the time is
                invalid.
        """
        at = None if as_of is None else time_of("as_of", as_of)
        return await self._beliefs.state(Whose(space, session, user), as_of=at)

    async def list(
        self,
        *,
        space: Space,
        session: _OnlySession = None,
        user: OnlyUser = None,
        key: Annotated[str | None, Doc("Only what stands for this key."), Example("tone")] = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Sequence[Value]:
        """List everything that stands, by key.

        Raises:
            BadInput: An argument is invalid, or the session is somebody else's.
        """
        most = scope.whole("limit", limit)
        passed = scope.whole("offset", offset, least=0, most=MOST_PASSED_OVER)
        key = None if key is None else checked_key(key)
        return await self._beliefs.values(Whose(space, session, user), key=key, limit=most, offset=passed)

    async def assumptions(
        self,
        *,
        space: Space,
        session: _OnlySession = None,
        user: OnlyUser = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Sequence[Value]:
        """List what is only assumed, by key.

        It is to be disclosed or confirmed.

        Raises:
            BadInput: An argument is invalid, or the session is somebody else's.
        """
        most = scope.whole("limit", limit)
        passed = scope.whole("offset", offset, least=0, most=MOST_PASSED_OVER)
        return await self._beliefs.values(
            Whose(space, session, user), assumed=True, limit=most, offset=passed
        )

    async def events(
        self,
        *,
        space: Space,
        session: _OnlySession = None,
        user: OnlyUser = None,
        before: Annotated[
            int | None,
            Doc("Only what was written before this event."),
            Interval(ge=1, le=BIGGEST_ID),
            Example(17),
        ] = None,
        limit: Limit = 50,
    ) -> Sequence[Event]:
        """List what was written, the latest first.

        Raises:
            BadInput: An argument is invalid, or the session is somebody else's.
        """
        last = BIGGEST_ID if before is None else scope.whole("before", before, most=BIGGEST_ID)
        whose = Whose(space, session, user)
        return await self._beliefs.events(whose, before=last, limit=scope.whole("limit", limit))

    async def history(
        self,
        key: Annotated[str, Doc("The name of the fact."), Example("tone")],
        *,
        space: Space,
        session: _Session = None,
        user: _User = None,
    ) -> Sequence[Event]:
        """List every event of a key, oldest first.

        Each says when, why and by whom it was written, and has the old and the new value.

        Raises:
            BadInput: Neither session nor user is given, or the session is somebody else's.
        """
        return await self._beliefs.history(key, Whose(space, session, user))

    async def keys(self, *, space: Space) -> Sequence[RegisteredKey]:
        """List the keys whose values have a shape, by pattern.

        These are the keys of every space, and those that programs registered. A program registers a key in
        itself (`register`); with its first fact in a space the shape is there for all others, which check
        values by it. Shapes are JSON Schema.
        """
        return await self._beliefs.keys(space)

    async def diff(
        self,
        since: Annotated[datetime | str, Doc("The earlier moment."), Example("2026-05-01")],
        until: Annotated[
            datetime | str | None, Doc("The later moment, if not now."), Example("2026-06-01T00:00:00Z")
        ] = None,
        *,
        space: Space,
        session: _Session = None,
        user: _User = None,
    ) -> Sequence[Difference]:
        """List what is believed otherwise than before, by key, with both values.

        Raises:
            BadInput: Neither session nor user is given, the session is somebody else's, or a time is invalid.
        """
        end = self._clock.now() if until is None else time_of("until", until)
        whose = Whose(space, session, user)
        return await self._beliefs.difference(whose, since=time_of("since", since), until=end)
