"""The ledger, as a caller meets it: facts and assumptions that cannot be lost or silently changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.ledger.beliefs import Beliefs
from quipu.kinds.ledger.believed import AsyncBelieved
from quipu.kinds.ledger.circumstances import Circumstances
from quipu.kinds.ledger.evidence.recommending import AsyncRecommendations
from quipu.kinds.ledger.facts import Belief, Facts
from quipu.kinds.ledger.hooks import Callback
from quipu.kinds.ledger.keys import Keys
from quipu.kinds.ledger.model import (
    Cap,
    Change,
    Namespace,
    Rebuilt,
    Scope,
    ValueSource,
)
from quipu.kinds.ledger.rebuilding import rebuild
from quipu.kinds.ledger.retention.retaining import ERASERS, AsyncRetention
from quipu.kinds.ledger.sessions import CardType, Status, end_session, open_session
from quipu.upkeep.erasure.service import Eraser

_SAID: tuple[ValueSource, ...] = ("explicit", "inferred", "default")
_CAPS: tuple[Cap, ...] = ("medium", "low")


class AsyncLedger(AsyncBelieved, AsyncRecommendations, AsyncRetention):
    """Facts and assumptions of one database, as events that are only ever added.

    A fact belongs to a session, or across sessions to a person (a preference). Which of the two follows from
    the key where that is settled, else from what is given: ``session=`` or ``user=``; ``scope=`` overrides
    it. Each write is one event with what stands after it, durable when the call returns. Explicit beats
    inferred beats assumed beats default, whatever came first; among equals the latest stands.
    """

    def __init__(
        self, database: Database, *, clock: Clock, settings: Settings, erasers: Sequence[Eraser] = ERASERS
    ) -> None:
        AsyncRecommendations.__init__(self, database, clock=clock, redact=settings.redact)
        AsyncRetention.__init__(self, database, clock=clock, erasers=erasers)
        self._keys = Keys()
        AsyncBelieved.__init__(self, Beliefs(database, self._keys, clock=clock), clock=clock)
        self._facts = Facts(
            database,
            self._keys,
            clock=clock,
            redact=settings.redact,
        )

    async def open_session(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        model: str | None = None,
        prompt_version: str | None = None,
        rule_version: str | None = None,
        card_type: CardType | None = None,
        location_count: int | None = None,
        trace_id: str | None = None,
        meta: Mapping[str, object] | None = None,
    ) -> str:
        """The name of a session that can be written about: ``session``, or a new one.

        A session whose messages were observed is known already; opening it tells more of it: whose it is, and
        with which model, prompt and rules it runs. What is not given stays as it was.

        Raises:
            BadInput: an argument cannot be taken, or the session is somebody else's.
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

    async def end_session(self, session: str, *, space: str, status: Status = "ended") -> None:
        """Note that a session ended now, ``ended`` or in ``error``; ``active`` takes that back.

        Raises:
            BadInput: there is no such session in the space.
        """
        await end_session(self._database, session, space=space, status=status, now=self._clock.now())

    async def set(
        self,
        key: str,
        value: object,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        scope: Scope | None = None,
        namespace: Namespace | None = None,
        turn: int | None = None,
        source: ValueSource = "explicit",
        expires_at: datetime | str | None = None,
        correlation_id: str | None = None,
        reason: str | None = None,
        actor: str | None = None,
    ) -> Change:
        """Say what is so: ``source`` is "explicit" (somebody said it), "inferred" or "default".

        A default is an assumption, with the cap "medium": see ``assume``; it gives way to every other source.
        Over an assumption or another value it is a correction, of which subscribers are told. Over something
        stronger it is recorded and changes nothing (``Change.stands`` is false). What stands already, known
        in the same way, is no event. ``turn`` defaults to the turn the session is at. A preference expires
        after ``QUIPU_PREFERENCE_DAYS`` unless ``expires_at`` is given; what belongs to a session does not.

        Raises:
            BadInput: the key is not registered, the value has not its shape, the session is unknown in this
                space or somebody else's, or another argument cannot be taken. Nothing was written.
            Conflict: this program and another one registered the key with shapes that contradict each other.
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
        if source not in _SAID:
            hint = "For what is assumed there is assume." if source == "assumed" else None
            raise BadInput(f"{source!r} is none of {', '.join(_SAID)}.", field="source", hint=hint)
        return await self._facts.write("set", key, Belief(value, source), said)

    async def assume(
        self,
        key: str,
        value: object,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        scope: Scope | None = None,
        namespace: Namespace | None = None,
        turn: int | None = None,
        cap: Cap = "medium",
        expires_at: datetime | str | None = None,
        correlation_id: str | None = None,
        reason: str | None = None,
        actor: str | None = None,
    ) -> Change:
        """Note what is assumed for want of knowledge; to be disclosed or confirmed (``open_assumptions``).

        ``cap`` bounds the confidence of what is concluded from it: "medium" or "low". It never replaces
        what was said or inferred. Otherwise as ``set``.
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
        if cap not in _CAPS:
            raise BadInput(f"{cap!r} is none of {', '.join(_CAPS)}.", field="cap")
        return await self._facts.write("assume", key, Belief(value, "assumed", cap), said)

    async def correct(
        self,
        key: str,
        value: object,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        scope: Scope | None = None,
        namespace: Namespace | None = None,
        turn: int | None = None,
        expires_at: datetime | str | None = None,
        correlation_id: str | None = None,
        reason: str | None = None,
        actor: str | None = None,
    ) -> Change:
        """Put an explicit value in the place of what stands; subscribers are told the old and the new one.

        Raises:
            BadInput: nothing stands for the key (use ``set``); otherwise as ``set``.
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
        key: str,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        scope: Scope | None = None,
        namespace: Namespace | None = None,
        turn: int | None = None,
        correlation_id: str | None = None,
        reason: str | None = None,
        actor: str | None = None,
    ) -> Change:
        """End a value because its time is over; its history stays.

        Raises:
            BadInput: nothing stands for the key.
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
        key: str,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        scope: Scope | None = None,
        namespace: Namespace | None = None,
        turn: int | None = None,
        correlation_id: str | None = None,
        reason: str | None = None,
        actor: str | None = None,
    ) -> Change:
        """Take a value back; its history stays. To remove that too, use ``Memory.forget``.

        Raises:
            BadInput: nothing stands for the key.
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

    async def undo(self, event_id: int, *, space: str, force: bool = False) -> Change:
        """Append the event that makes the key of an event what it was before that event.

        Only the latest event of a key is undone, unless ``force`` says that what came after it goes as well.
        The new event names the undone one as its correlation id and in its reason.

        Raises:
            NotFound: there is no such event in this space.
            BadInput: something came after it, or it changed nothing.
            Conflict: somebody wrote to the key at the same time; nothing was changed.
        """
        return await self._facts.undo(event_id, space=space, force=force)

    async def rebuild(self, *, space: str) -> Rebuilt:
        """Drop both projections of a space and replay them from the events; writers wait meanwhile.

        ``changed`` is 0 where the projections were what the events say.
        """
        return await rebuild(self._database, check_name("space", space))

    def register(
        self,
        pattern: str,
        shape: object,
        *,
        namespace: Namespace = "other",
        scope: Scope | None = None,
        replace: bool = False,
    ) -> None:
        """Make keys of your own known to this ledger, with the shape of their values.

        ``pattern`` is a key, or has placeholders as ``baseline.foh.{locationLabel}.{daypart}``; ``shape`` is
        a pydantic model, any type that pydantic can validate, or a TypeAdapter, and JSON Schema must be able
        to say it. With the first fact under the key in a space the shape is kept there, and every program
        checks values by it. Where another program registered the key, the shape that takes more is kept;
        where neither takes what the other takes, the fact is refused (``Conflict``), or with ``replace`` this
        shape takes the place of the other.

        Raises:
            BadInput: the pattern is registered already, or an argument cannot be taken.
        """
        self._keys.register(pattern, shape, namespace=namespace, scope=scope, replace=replace)

    def on_correction(self, callback: Callback) -> None:
        """Call ``callback(Correction)``, plain or async, after each correction made through this ledger.

        The write is durable by then: what the callback raises is logged and stands in ``Change.hook_errors``.
        """
        self._facts.subscribers.add(callback)
