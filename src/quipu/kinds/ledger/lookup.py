"""Reading the ledger: what stands, what was believed at any moment, and how it came about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from annotated_types import Interval
from typing_extensions import Doc

from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import (
    MOST_PASSED_OVER,
    Example,
    Limit,
    Offset,
    OnlyUser,
    Space,
)
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.ledger import rules, store
from quipu.kinds.ledger.facts import time_of
from quipu.kinds.ledger.keys import Keys, Known, checked_key
from quipu.kinds.ledger.model import BIGGEST_ID, Difference, Event, RegisteredKey, Value
from quipu.kinds.ledger.outcome import others_session
from quipu.record import given

_Session = Annotated[
    str | None, Doc("The session; with it count the preferences of its person."), Example("s1")
]
_OnlySession = Annotated[str | None, Doc("Only this session, and its person."), Example("s1")]
_User = Annotated[str | None, Doc("The person, if no session is named."), Example("ana")]


@dataclass(frozen=True, slots=True)
class Whose:
    """Owner of values, by the caller's names: a session (and its person), or a person."""

    space: str
    session: str | None
    user: str | None


@dataclass(frozen=True, slots=True)
class _Found:
    session: UUID | None
    person: str | None


class Standing:
    """Reads the facts of a database."""

    def __init__(self, database: Database, keys: Keys, *, clock: Clock) -> None:
        self._database = database
        self._keys = keys
        self._clock = clock

    async def state(self, whose: Whose, *, as_of: datetime | None) -> dict[str, Value]:
        """Return what holds, or held at a moment; session values first, else preferences."""
        _named(whose)
        async with self._database.snapshot_read(check_name("space", whose.space)) as tx:
            found = None if tx is None else await _find(tx, whose)
            if tx is None or found is None:
                return {}
            return await self._state(tx, found, as_of)

    async def difference(self, whose: Whose, *, since: datetime, until: datetime) -> list[Difference]:
        """Return what is believed differently at two moments."""
        _named(whose)
        async with self._database.snapshot_read(check_name("space", whose.space)) as tx:
            found = None if tx is None else await _find(tx, whose)
            if tx is None or found is None:
                return []
            before = await self._state(tx, found, since)
            return rules.differences(before, await self._state(tx, found, until))

    async def values(
        self, whose: Whose, *, key: str | None = None, assumed: bool = False, limit: int, offset: int
    ) -> list[Value]:
        """Return standing values, by key; only assumed ones, or those of one key, if asked.

        They are of a session, of a person, or of the whole space if none is named.
        """
        now = self._clock.now()
        async with self._database.list_read(check_name("space", whose.space)) as tx:
            if tx is None:
                return []
            if whose.session is None and whose.user is None:
                return await store.values_of_space(
                    tx, now=now, key=key, assumed=assumed, limit=limit, offset=offset
                )
            found = await _find(tx, whose)
            if found is None:
                return []
            stands = await store.values(tx, session=found.session, person=found.person, now=now)
        chosen = [one for one in stands if (key is None or one.key == key) and (one.assumed or not assumed)]
        return chosen[offset : offset + limit]

    async def events(self, whose: Whose, *, before: int, limit: int) -> list[Event]:
        """Return what was written before an event, latest first; in the whole space if none is named."""
        async with self._database.list_read(check_name("space", whose.space)) as tx:
            if tx is None:
                return []
            if whose.session is None and whose.user is None:
                return await store.events(tx, before=before, limit=limit)
            found = await _find(tx, whose)
            if found is None:
                return []
            return await store.events_of(
                tx, session=found.session, person=found.person, before=before, limit=limit
            )

    async def history(self, key: str, whose: Whose) -> list[Event]:
        """Return every event of a key, oldest first."""
        key = checked_key(key)
        _named(whose)
        async with self._database.list_read(check_name("space", whose.space)) as tx:
            known = Known() if tx is None else await store.shapes(tx)
            strange = tx is not None and self._keys.strange(key, known)
            seen = await store.seen_key(tx, key) if tx is not None and strange else None
            place = self._keys.place(key, known=known, seen=seen)
            found = None if tx is None else await _find(tx, whose)
            if tx is None or found is None:
                return []
            return await store.history(
                tx,
                namespace=place.namespace,
                key=place.key,
                session=found.session,
                person=found.person,
            )

    async def keys(self, space: str) -> list[RegisteredKey]:
        """Return the keys whose values have a shape in a space, by pattern."""
        async with self._database.list_read(check_name("space", space)) as tx:
            return self._keys.listed(Known() if tx is None else await store.shapes(tx))

    async def _state(self, tx: SpaceTransaction, found: _Found, as_of: datetime | None) -> dict[str, Value]:
        if as_of is None:
            values = await store.values(tx, session=found.session, person=found.person, now=self._clock.now())
        else:
            values = await store.believed(tx, session=found.session, person=found.person, at=as_of)
        own = (value for value in values if not value.from_preference)
        return rules.together(own, (value for value in values if value.from_preference))


def _named(whose: Whose) -> None:
    if whose.session is None and whose.user is None:
        raise BadInput("say of which session or of which user.", field="session")


async def _find(tx: SpaceTransaction, whose: Whose) -> _Found | None:
    """Return the session with its person; None if there is no such session.

    Raises:
        BadInput: the session is somebody else's.
    """
    user, name = optional_name("user", whose.user), optional_name("session", whose.session)
    if name is None:
        return _Found(None, user)
    session = await store.session(tx, name)
    if session is None:
        return None
    if user is not None and session.owner and session.owner != user:
        raise others_session(name)
    return _Found(session.uid, user or session.owner or None)


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
