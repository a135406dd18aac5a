"""Reading the ledger: current values, values at any moment, and the events behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from annotated_types import Interval
from typing_extensions import Doc

from quipu.errors import BadInput
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
from quipu.kernel.base.scope import check_name, optional_name, reads_only
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.ledger import rules, store
from quipu.kinds.ledger.keys import Keys, KnownKeys, checked_key
from quipu.kinds.ledger.model import BIGGEST_ID, Difference, Event, RegisteredKey, Value
from quipu.kinds.ledger.outcome import others_session

_Session = Annotated[
    str | None, Doc("The session; with it count the preferences of its person."), Example("s1")
]
_OnlySession = Annotated[str | None, Doc("Only this session, and its person."), Example("s1")]
_User = Annotated[str | None, Doc("The person, if no session is named."), Example("ana")]


class AsyncLookup:
    """Read the facts that were written as events: standing, assumed, changed."""

    def __init__(self, database: Database, keys: Keys, *, clock: Clock) -> None:
        self._database = database
        self._keys = keys
        self._clock = clock

    @reads_only
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
        """Show the facts that hold for a session or a person, by key.

        In a session its own values come first, and the preferences of its person fill the gaps. Empty where
        the session is unknown.

        Raises:
            BadInput: Neither session nor user is given, the session is somebody else's, or the time is
                invalid.
        """
        at = scope.time("as_of", as_of)
        _check_named(session, user)
        async with self._database.snapshot_read(check_name("space", space)) as tx:
            owner = await _owner(tx, session, user)
            return {} if tx is None or owner is None else await self._state(tx, owner, at)

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
        return await self._values(space, session, user, key=key, limit=most, offset=passed)

    async def assumptions(
        self,
        *,
        space: Space,
        session: _OnlySession = None,
        user: OnlyUser = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Sequence[Value]:
        """List the assumptions, by key.

        It is to be disclosed or confirmed.

        Raises:
            BadInput: An argument is invalid, or the session is somebody else's.
        """
        most = scope.whole("limit", limit)
        passed = scope.whole("offset", offset, least=0, most=MOST_PASSED_OVER)
        return await self._values(space, session, user, assumed=True, limit=most, offset=passed)

    @reads_only
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
        """List the events, the latest first.

        Raises:
            BadInput: An argument is invalid, or the session is somebody else's.
        """
        last = BIGGEST_ID if before is None else scope.whole("before", before, most=BIGGEST_ID)
        scope.whole("limit", limit)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            if session is None and user is None:
                return await tx.fetch(Event, store.SQL["events"], before=last, limit=limit)
            owner = await _owner(tx, session, user)
            if owner is None:
                return []
            return await tx.fetch(
                Event,
                store.SQL["events_of"],
                session=owner.session,
                person=owner.person,
                before=last,
                limit=limit,
            )

    @reads_only
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
        key = checked_key(key)
        _check_named(session, user)
        async with self._database.list_read(check_name("space", space)) as tx:
            known = KnownKeys() if tx is None else await store.shapes(tx)
            strange = self._keys.strange(key, known)
            seen = await store.seen_key(tx, key) if tx is not None and strange else None
            namespace = self._keys.place(key, known=known, seen=seen).namespace
            owner = await _owner(tx, session, user)
            if tx is None or owner is None:
                return []
            return await tx.fetch(
                Event,
                store.SQL["history"],
                namespace=namespace,
                key=key,
                session=owner.session,
                person=owner.person,
            )

    @reads_only
    async def keys(self, *, space: Space) -> Sequence[RegisteredKey]:
        """List the keys whose values have a shape, by pattern.

        These are the keys of every space, and those that programs registered. A program registers a key in
        itself (`register`); with its first fact in a space the shape is there for all others, which check
        values by it. Shapes are JSON Schema.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            return self._keys.listed(KnownKeys() if tx is None else await store.shapes(tx))

    @reads_only
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
        """List the keys whose values differ from before, with both values.

        Raises:
            BadInput: Neither session nor user is given, the session is somebody else's, or a time is invalid.
        """
        start, end = scope.time("since", since), scope.time("until", until) or self._clock.now()
        if start is None:
            raise BadInput("say since when.", field="since")
        _check_named(session, user)
        async with self._database.snapshot_read(check_name("space", space)) as tx:
            owner = await _owner(tx, session, user)
            if tx is None or owner is None:
                return []
            before = await self._state(tx, owner, start)
            return rules.differences(before, await self._state(tx, owner, end))

    @reads_only
    async def _values(
        self,
        space: str,
        session: str | None,
        user: str | None,
        *,
        key: str | None = None,
        assumed: bool = False,
        limit: int,
        offset: int,
    ) -> Sequence[Value]:
        """Return current values, by key: of a session, a person, or the whole space if none is named."""
        now = self._clock.now()
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            if session is None and user is None:
                return await tx.fetch(
                    Value,
                    store.SQL["values_of_space"],
                    now=now,
                    key=key,
                    assumed=assumed,
                    limit=limit,
                    offset=offset,
                )
            owner = await _owner(tx, session, user)
            if owner is None:
                return []
            values = await _held(tx, owner, "values", now)
        chosen = [value for value in values if key in (None, value.key) and (value.assumed or not assumed)]
        return chosen[offset : offset + limit]

    async def _state(self, tx: SpaceTransaction, owner: _Owner, as_of: datetime | None) -> dict[str, Value]:
        """Return the values now or at a moment, by key; a value of the session hides the preference."""
        if as_of is None:
            values = await _held(tx, owner, "values", self._clock.now())
        else:
            values = await _held(tx, owner, "believed", as_of)
        own = (value for value in values if not value.from_preference)
        return rules.together(own, (value for value in values if value.from_preference))


@dataclass(frozen=True, slots=True)
class _Owner:
    """Owner of values: a session with its person, or a person."""

    session: UUID | None
    person: str | None


async def _held(tx: SpaceTransaction, owner: _Owner, query: str, at: datetime) -> list[Value]:
    """Return an owner's values at a moment, by key: ``values`` are those of now, ``believed`` of a time."""
    return await tx.fetch(Value, store.SQL[query], session=owner.session, person=owner.person, at=at)


def _check_named(session: str | None, user: str | None) -> None:
    if session is None and user is None:
        raise BadInput("say of which session or of which user.", field="session")


async def _owner(tx: SpaceTransaction | None, session: str | None, user: str | None) -> _Owner | None:
    """Return the owner by the caller's names; None if there is no such space or session.

    Raises:
        BadInput: the session is somebody else's.
    """
    if tx is None:
        return None
    person, name = optional_name("user", user), optional_name("session", session)
    if name is None:
        return _Owner(None, person)
    row = await store.session(tx, name)
    if row is None:
        return None
    if person is not None and row.owner and row.owner != person:
        raise others_session(name)
    return _Owner(row.uid, person or row.owner or None)
