"""The ledger, as a caller meets it: facts and assumptions that cannot be lost or silently changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Final, get_args

from annotated_types import Interval
from typing_extensions import Doc

from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Example, Reason, Space, TheSession
from quipu.kernel.base.scope import check_name, one_of
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.ledger.facts import LATEST_TURN, Belief, Callback, Circumstances, Facts
from quipu.kinds.ledger.keys import Keys
from quipu.kinds.ledger.lookup import AsyncLookup
from quipu.kinds.ledger.model import (
    BIGGEST_ID,
    AssumedCap,
    Change,
    Namespace,
    Rebuilt,
    Scope,
    StatedSource,
)
from quipu.kinds.ledger.rebuild import rebuild
from quipu.kinds.ledger.retention.retention import ERASERS, AsyncRetention
from quipu.kinds.ledger.sessions import MOST_LOCATIONS, CardType, Status, end_session, open_session
from quipu.upkeep.erasure.service import Eraser

_STATED: Final[tuple[StatedSource, ...]] = ("explicit", "inferred", "default")
_CAPS: Final[tuple[AssumedCap, ...]] = get_args(AssumedCap)

_Key = Annotated[str, Doc("The name of the fact."), Example("tone")]
_Value = Annotated[object, Doc("Its value, of the shape that the key has."), Example("brief")]
_Session = Annotated[str | None, Doc("The session that it belongs to."), Example("s1")]
_User = Annotated[str | None, Doc("The person whom it is about."), Example("ana")]
_Scope = Annotated[
    Scope | None,
    Doc("The owner, if not the one that the key names: the session or, across sessions, the person."),
]
_Namespace = Annotated[Namespace | None, Doc("The namespace of the key, if not as the key says.")]
_Turn = Annotated[
    int | None, Doc("The turn of the session, if not the one it is at."), Interval(ge=0, le=LATEST_TURN)
]
_ExpiresAt = Annotated[
    datetime | str | None,
    Doc("When it stops to hold. A preference expires after `QUIPU_PREFERENCE_DAYS` if none is given."),
    Example("2026-12-31"),
]
_CorrelationId = Annotated[
    str | None, Doc("An id of the caller, to find what belongs together."), Example("req-7")
]
_Actor = Annotated[str | None, Doc("The writer: a person or a program."), Example("planner")]


class AsyncLedger(AsyncLookup, AsyncRetention):
    """Facts and assumptions of one database, as events that are only ever added.

    A fact belongs to a session, or across sessions to a person (a preference). Which of the two follows from
    the key where that is settled, else from what is given: ``session=`` or ``user=``; ``scope=`` overrides
    it. Each write is one event with what stands after it, durable when the call returns. Explicit beats
    inferred beats assumed beats default, whatever came first; among equals the latest stands.
    """

    def __init__(
        self, database: Database, *, clock: Clock, settings: Settings, erasers: Sequence[Eraser] = ERASERS
    ) -> None:
        self._redact = settings.redact
        AsyncRetention.__init__(self, database, clock=clock, erasers=erasers)
        self._keys = Keys()
        AsyncLookup.__init__(self, database, self._keys, clock=clock)
        self._facts = Facts(database, self._keys, clock=clock, redact=settings.redact)

    async def open_session(
        self,
        *,
        space: Space,
        session: Annotated[
            str | None, Doc("The name of the session; a new one if none is given."), Example("s1")
        ] = None,
        user: Annotated[str | None, Doc("The person whose session it is."), Example("ana")] = None,
        model: Annotated[str | None, Doc("The model that it runs with."), Example("gpt-5")] = None,
        prompt_version: Annotated[str | None, Doc("The version of its prompt.")] = None,
        rule_version: Annotated[str | None, Doc("The version of its rules.")] = None,
        card_type: Annotated[CardType | None, Doc("The kind of action that it is to lead to.")] = None,
        location_count: Annotated[
            int | None, Doc("The number of locations that it is about."), Interval(ge=0, le=MOST_LOCATIONS)
        ] = None,
        trace_id: Annotated[str | None, Doc("Its name in your traces.")] = None,
        meta: Annotated[Mapping[str, object] | None, Doc("More of it, by name.")] = None,
    ) -> str:
        """Open a session to write about, and return its name.

        A session whose messages were observed is known already; opening it tells more of it. What is not
        given stays as it was.

        Raises:
            BadInput: An argument is invalid, or the session is somebody else's.
        """
        details = {
            "model": model,
            "prompt_version": prompt_version,
            "rule_version": rule_version,
            "card_type": card_type,
            "location_count": location_count,
            "trace_id": trace_id,
            "meta": meta,
        }
        return await open_session(
            self._database,
            space=space,
            session=session,
            user=user,
            details=details,
            now=self._clock.now(),
            secrets=self._redact,
        )

    async def end_session(
        self,
        session: TheSession,
        *,
        space: Space,
        status: Annotated[Status, Doc("The way it ended; `active` takes that back.")] = "ended",
    ) -> None:
        """Note that a session ended now.

        Raises:
            BadInput: There is no such session in the space.
        """
        await end_session(self._database, session, space=space, status=status, now=self._clock.now())

    async def set(
        self,
        key: _Key,
        value: _Value,
        *,
        space: Space,
        session: _Session = None,
        user: _User = None,
        scope: _Scope = None,
        namespace: _Namespace = None,
        turn: _Turn = None,
        source: Annotated[
            StatedSource, Doc("The source: said, concluded, or taken as a default.")
        ] = "explicit",
        expires_at: _ExpiresAt = None,
        correlation_id: _CorrelationId = None,
        reason: Reason = None,
        actor: _Actor = None,
    ) -> Change:
        """Set the value of a fact.

        It belongs to a session, or across sessions to a person. Over an assumption or another value it is a
        correction. Over something stronger it is recorded and changes nothing (`stands` is false): what was
        said beats what was inferred, which beats what is assumed, which beats a default. What stands already,
        known in the same way, is no event. A default is an assumption with the cap `medium`.

        Raises:
            BadInput: The key is not registered, the value does not have its shape, the session is unknown or
                somebody else's, or another argument is invalid. Nothing was written.
            Conflict: Programs registered the key with shapes that contradict each other.
        """
        said = Circumstances(
            space=space,
            session=session,
            user=user,
            scope=scope,
            namespace=namespace,
            turn=turn,
            expires_at=expires_at,
            correlation_id=correlation_id,
            reason=reason,
            actor=actor,
        )
        if source not in _STATED:
            hint = "For what is assumed there is assume." if source == "assumed" else None
            raise BadInput(f"{source!r} is none of {', '.join(_STATED)}.", field="source", hint=hint)
        return await self._facts.write("set", key, Belief(value, source), said)

    async def assume(
        self,
        key: _Key,
        value: _Value,
        *,
        space: Space,
        session: _Session = None,
        user: _User = None,
        scope: _Scope = None,
        namespace: _Namespace = None,
        turn: _Turn = None,
        cap: Annotated[AssumedCap, Doc("Bounds the confidence of what is concluded from it.")] = "medium",
        expires_at: _ExpiresAt = None,
        correlation_id: _CorrelationId = None,
        reason: Reason = None,
        actor: _Actor = None,
    ) -> Change:
        """Assume a value for want of knowledge.

        It is to be disclosed or confirmed (`assumptions` lists such values), and never replaces what was said
        or inferred.

        Raises:
            BadInput: The key is not registered, the value does not have its shape, the session is unknown or
                somebody else's, or another argument is invalid. Nothing was written.
            Conflict: Programs registered the key with shapes that contradict each other.
        """
        said = Circumstances(
            space=space,
            session=session,
            user=user,
            scope=scope,
            namespace=namespace,
            turn=turn,
            expires_at=expires_at,
            correlation_id=correlation_id,
            reason=reason,
            actor=actor,
        )
        one_of("cap", cap, _CAPS)
        return await self._facts.write("assume", key, Belief(value, "assumed", cap), said)

    async def correct(
        self,
        key: _Key,
        value: _Value,
        *,
        space: Space,
        session: _Session = None,
        user: _User = None,
        scope: _Scope = None,
        namespace: _Namespace = None,
        turn: _Turn = None,
        expires_at: _ExpiresAt = None,
        correlation_id: _CorrelationId = None,
        reason: Reason = None,
        actor: _Actor = None,
    ) -> Change:
        """Correct a fact: put another value in its place.

        The value counts as said by somebody, whatever stood before.

        Raises:
            BadInput: Nothing stands for the key (use `set`), the value does not have its shape, the session
                is unknown or somebody else's, or another argument is invalid. Nothing was written.
            Conflict: Programs registered the key with shapes that contradict each other.
        """
        said = Circumstances(
            space=space,
            session=session,
            user=user,
            scope=scope,
            namespace=namespace,
            turn=turn,
            expires_at=expires_at,
            correlation_id=correlation_id,
            reason=reason,
            actor=actor,
        )
        return await self._facts.write("correct", key, Belief(value, "explicit"), said)

    async def expire(
        self,
        key: _Key,
        *,
        space: Space,
        session: _Session = None,
        user: _User = None,
        scope: _Scope = None,
        namespace: _Namespace = None,
        turn: _Turn = None,
        correlation_id: _CorrelationId = None,
        reason: Reason = None,
        actor: _Actor = None,
    ) -> Change:
        """End a fact whose time is over.

        Its history stays.

        Raises:
            BadInput: Nothing stands for the key, or an argument is invalid.
            Conflict: Somebody wrote to the key at the same time; nothing was changed.
        """
        said = Circumstances(
            space=space,
            session=session,
            user=user,
            scope=scope,
            namespace=namespace,
            turn=turn,
            correlation_id=correlation_id,
            reason=reason,
            actor=actor,
        )
        return await self._facts.write("expire", key, None, said)

    async def delete(
        self,
        key: _Key,
        *,
        space: Space,
        session: _Session = None,
        user: _User = None,
        scope: _Scope = None,
        namespace: _Namespace = None,
        turn: _Turn = None,
        correlation_id: _CorrelationId = None,
        reason: Reason = None,
        actor: _Actor = None,
    ) -> Change:
        """Take a fact back.

        Its history stays, and `undo` brings it back. To remove the history too, use `forget` of the memory.

        Raises:
            BadInput: Nothing stands for the key, or an argument is invalid.
            Conflict: Somebody wrote to the key at the same time; nothing was changed.
        """
        said = Circumstances(
            space=space,
            session=session,
            user=user,
            scope=scope,
            namespace=namespace,
            turn=turn,
            correlation_id=correlation_id,
            reason=reason,
            actor=actor,
        )
        return await self._facts.write("delete", key, None, said)

    async def undo(
        self,
        event: Annotated[int, Doc("The number of the event."), Interval(ge=1, le=BIGGEST_ID), Example(17)],
        *,
        space: Space,
        force: Annotated[bool, Doc("Also undo what came after it.")] = False,
    ) -> Change:
        """Undo an event: make its key what it was before.

        That is an event of its own, which names the undone one; the history stays whole. Only the latest
        event of a key is undone, unless forced.

        Raises:
            NotFound: There is no such event.
            BadInput: Something came after it, or it changed nothing.
            Conflict: Somebody wrote to the key at the same time; nothing was changed.
        """
        return await self._facts.undo(event, space=space, force=force)

    async def rebuild(self, *, space: Space) -> Rebuilt:
        """Make what stands again from the events, while writers wait.

        `changed` is 0 where it was what the events say.
        """
        return await rebuild(self._database, check_name("space", space))

    def register(
        self,
        pattern: Annotated[str, Doc("A key; it may have placeholders: `baseline.{daypart}`.")],
        shape: Annotated[object, Doc("A pydantic model, a type that pydantic validates, or a TypeAdapter.")],
        *,
        namespace: Annotated[Namespace, Doc("The namespace of the key.")] = "other",
        scope: Annotated[Scope | None, Doc("The owner of its values; as each says, if not given.")] = None,
        replace: Annotated[bool, Doc("Take the place of a shape that contradicts this one.")] = False,
    ) -> None:
        """Register keys of your own with the shape of their values.

        JSON Schema must be able to say the shape. With the first fact under the key in a space the shape is
        kept there, and every program checks values by it. Where another program registered the key, the shape
        that takes more is kept; where neither takes what the other takes, the fact is refused (``Conflict``).

        Raises:
            BadInput: the pattern is registered already, or an argument cannot be taken.
        """
        self._keys.register(pattern, shape, namespace=namespace, scope=scope, replace=replace)

    def on_correction(
        self, callback: Annotated[Callback, Doc("Called with the `Correction`; plain or async.")]
    ) -> None:
        """Call a function after each correction made through this ledger.

        The write is durable by then: what the callback raises is logged and stands in ``Change.hook_errors``.
        """
        self._facts.subscribers.append(callback)
