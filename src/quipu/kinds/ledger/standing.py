"""Reading what stands, what stood, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.ledger import rules, store
from quipu.kinds.ledger.keys import Keys, Known, checked_key
from quipu.kinds.ledger.model import Difference, Event, RegisteredKey, Value
from quipu.kinds.ledger.outcome import others_session


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
