"""Writing facts and assumptions: each call is one event, what stands after it and its projection, at once."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from inspect import isawaitable
from typing import Final

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name, one_of, optional_name, own_user, time, whole
from quipu.kernel.db.database import Database
from quipu.kernel.redact import redact
from quipu.kinds.ledger import rules, store
from quipu.kinds.ledger.keys import KeyPlace, KeyRule, Keys, KnownKeys, check_shape, checked_key
from quipu.kinds.ledger.model import (
    SCOPES,
    Act,
    Cap,
    Change,
    Correction,
    Event,
    EventType,
    Namespace,
    Scope,
    ValueSource,
)
from quipu.kinds.ledger.outcome import change, refusal
from quipu.kinds.ledger.settings import PREFERENCE_DAYS
from quipu.kinds.ledger.store import Appended
from quipu.kinds.ledger.values import prepare, storable

_RENEWAL: Final = timedelta(days=1)  # a preference said again the same day is no event
_CORRECTIONS: Final[tuple[EventType, ...]] = ("fact_corrected", "assumption_corrected")

LONGEST_REASON: Final = 4_000
LATEST_TURN: Final = 2**31 - 1

_LOG = logging.getLogger("quipu.ledger")

Callback = Callable[[Correction], Awaitable[object] | object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """Arguments of the caller beside key and value."""

    space: str
    session: str | None = None
    user: str | None = None
    scope: Scope | None = None
    namespace: Namespace | None = None
    turn: int | None = None
    expires_at: datetime | str | None = None
    correlation_id: str | None = None
    reason: str | None = None
    actor: str | None = None


def checked(said: Circumstances, *, place: KeyPlace, scope: Scope, secrets: bool) -> dict[str, object]:
    """Return the parameters of an append that do not depend on the value; ``secrets`` cleans the reasons.

    Raises:
        BadInput: naming the argument.
    """
    if said.turn is not None:
        whole("turn", said.turn, least=0, most=LATEST_TURN)
    return {
        "space": check_name("space", said.space),
        "scope": scope,
        "session": optional_name("session", said.session),
        "person": optional_name("user", user_of(said)),
        "namespace": place.namespace,
        "key": place.key,
        "turn": said.turn,
        "correlation": optional_name("correlation_id", said.correlation_id),
        "actor": optional_name("actor", said.actor),
        "reason": _reason(said.reason, secrets=secrets),
        "latest": None,
    }


def user_of(said: Circumstances) -> str | None:
    """Return the person it is about: the one named, or the only one this task may write for.

    Raises:
        AccessRefused: it is another.
    """
    return None if said.user is None and said.session is not None else own_user(said.user)


def scope_of(place: KeyPlace, said: Circumstances) -> Scope:
    """Return the caller's scope; else that of the key; else a session's if a session is given.

    Raises:
        BadInput: it is not said in which session, or of whom.
    """
    if said.scope is not None:
        one_of("scope", said.scope, SCOPES)
    settled = place.rule.scope if place.rule is not None else None
    scope = said.scope or settled or ("session" if said.session is not None else "cross_session")
    if scope == "session" and said.session is None:
        hint = "Say in which session."
        raise BadInput(f"{place.key!r} belongs to a session.", field="session", hint=hint)
    if user_of(said) is None and said.session is None:
        raise BadInput("say of which user or in which session.", field="user")
    return scope


def _reason(value: object, *, secrets: bool) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > LONGEST_REASON:
        raise BadInput(f"a text of at most {LONGEST_REASON:,} characters.", field="reason")
    text = storable(value, "reason")
    return redact(text).text if secrets else text


@dataclass(frozen=True, slots=True)
class Belief:
    """A value with how it is known."""

    value: object
    source: ValueSource
    cap: Cap = "none"


class Facts:
    """Writes the facts of a database."""

    def __init__(self, database: Database, keys: Keys, *, clock: Clock, redact: bool) -> None:
        self.subscribers: list[Callback] = []
        self._database = database
        self._keys = keys
        self._clock = clock
        self._redact = redact

    async def write(self, act: Act, key: str, belief: Belief | None, said: Circumstances) -> Change:
        """Write one event, or none if nothing would change.

        The space's keys are read from the database if they changed since they were last seen, which
        ``ledger.append`` reports, and before anything is refused.

        Raises:
            BadInput: naming the argument that cannot be taken; nothing was written.
        """
        space = check_name("space", said.space)
        known, seen = self._keys.known(space), None
        if self._keys.strange(key, known):
            known, seen = await self._look(space, key, ends=belief is None)
        while True:
            try:
                place = self._keys.place(
                    key, namespace=said.namespace, known=known, seen=seen, ends=belief is None
                )
                given = await self._given(belief, said, place)
                due = None if belief is None else self._keys.due(place.rule, space, known)
            except BadInput:
                before, (known, seen) = known, await self._look(space, key, ends=belief is None)
                if known.version == before.version:
                    raise
                continue
            try:
                return await self._append(act, given, known=known, due=due)
            except _Moved:
                known, seen = await self._look(space, key, ends=belief is None)

    async def undo(self, event_id: int, *, space: str, force: bool) -> Change:
        """Append the event that makes the key of an event what it was before it.

        Raises:
            NotFound: there is no such event in this space.
            BadInput: something was written after it, or it changed nothing.
            Conflict: somebody wrote to the key meanwhile; nothing was written.
        """
        if type(event_id) is not int:
            raise BadInput("the number of an event is needed.", field="event_id")
        async with self._database.list_read(check_name("space", space)) as tx:
            history = [] if tx is None else await tx.fetch(Event, store.SQL["history_of"], id=event_id)
        if not history:
            raise NotFound(f"There is no event {event_id} in this space.", hint="ledger.history shows them.")
        undoing = rules.undoing(history, event_id, force=force)
        latest, restored = undoing.latest, undoing.restore
        said = Circumstances(
            space=space,
            session=latest.session,
            user=latest.user if latest.scope == "cross_session" else None,
            correlation_id=str(event_id),
            reason=f"undo of event {event_id}",
        )
        place = KeyPlace(latest.key, latest.namespace, None)
        given = checked(said, place=place, scope=latest.scope, secrets=self._redact)
        given |= {"latest": latest.id, "at": self._clock.now(), "expires": None, "renewal": None}
        if restored is None:
            return await self._append("delete", given | self._believed(None, place))
        belief = Belief(restored.new, restored.source, restored.confidence_cap)
        given |= {"expires": restored.expires_at}
        return await self._append("restore", given | self._believed(belief, place))

    async def _look(self, space: str, key: str, *, ends: bool) -> tuple[KnownKeys, KeyRule | None]:
        """Read the space's keys from the database, and to end a value, what events tell of its key."""
        async with self._database.list_read(space) as tx:
            if tx is None:
                return self._keys.learn(space, KnownKeys()), None
            known = self._keys.learn(space, await store.shapes(tx))
            strange = ends and self._keys.strange(key, known)
            return known, await store.seen_key(tx, checked_key(key)) if strange else None

    async def _given(self, belief: Belief | None, said: Circumstances, place: KeyPlace) -> dict[str, object]:
        """Return the parameters to append a belief, or to end what stands."""
        scope = scope_of(place, said)
        given = checked(said, place=place, scope=scope, secrets=self._redact)
        return given | self._believed(belief, place) | await self._expiry(scope, said, ends=belief is None)

    def _believed(self, belief: Belief | None, place: KeyPlace) -> dict[str, object]:
        if belief is None:
            return {"value": None, "plain": None, "source": None, "assumed": False, "cap": "none"}
        prepared = prepare(belief.value, key=place.key, secrets=self._redact)
        if place.rule is not None:
            check_shape(place.rule, prepared.value)
        assumed = belief.source in rules.ASSUMED
        return {
            "value": prepared.text,
            "plain": prepared.value,
            "source": belief.source,
            "assumed": assumed,
            "cap": "medium" if assumed and belief.cap == "none" else belief.cap,
        }

    async def _expiry(self, scope: Scope, said: Circumstances, *, ends: bool) -> dict[str, object]:
        now = self._clock.now()
        given: dict[str, object] = {"at": now, "expires": None, "renewal": None}
        if ends:
            return given
        expires = time("expires_at", said.expires_at)
        if expires is not None:
            if expires <= now:
                raise BadInput("it lies in the past.", field="expires_at", hint="To end a value, use expire.")
            return given | {"expires": expires}
        if scope == "cross_session":
            days = (await self._database.settings(said.space)).of(PREFERENCE_DAYS)
            given |= {"expires": now + timedelta(days=days), "renewal": _RENEWAL}
        return given

    async def _append(
        self,
        act: Act,
        given: Mapping[str, object],
        *,
        known: KnownKeys | None = None,
        due: KeyRule | None = None,
    ) -> Change:
        """Append one event; a rule that is ``due`` goes with it, both or neither.

        Raises:
            _Moved: the keys of the space are not any more as they are ``known``.
        """
        values = {**given, "act": act, "shapes": None if known is None else known.version}
        async with self._database.acting(str(given["space"])) as conn:
            if known is None or due is None:
                done = _taken(await store.append(conn, values), act, given)
            else:
                async with conn.transaction():
                    version = await store.keep_shape(conn, due, known, given)
                    if version is None:
                        raise _Moved
                    done = _taken(await store.append(conn, {**values, "shapes": version}), act, given)
                self._keys.kept(due, str(given["space"]), known, version)
        made = change(done, act, given)
        event = made.event
        if event is None or event.event_type not in _CORRECTIONS:
            return made
        errors = await self._tell(Correction(event, event.old, event.new))
        return replace(made, hook_errors=errors)

    async def _tell(self, correction: Correction) -> tuple[str, ...]:
        """Call the subscribers. Their errors are logged and returned: the write is durable already."""
        errors: list[str] = []
        for callback in self.subscribers:
            try:
                answer = callback(correction)
                if isawaitable(answer):
                    await answer
            except Exception as error:  # noqa: BLE001 - code of others: what it raises must not lose the write
                _LOG.exception("A subscriber failed on the correction of %r", correction.event.key)
                errors.append(f"{type(error).__name__}: {error}")
        return tuple(errors)


class _Moved(Exception):
    """Another program wrote a shape since they were read."""


def _taken(done: Appended, act: Act, given: Mapping[str, object]) -> Appended:
    if done.problem == "shapes":
        raise _Moved
    if done.problem is not None:
        raise refusal(done, act, given)
    return done
