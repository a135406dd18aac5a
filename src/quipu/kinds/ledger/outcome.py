"""The outcome of an append as callers see it: a change, or the error that explains why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quipu.errors import BadInput, Conflict, QuipuError
from quipu.kinds.ledger.model import Act, Change, Event, Value
from quipu.kinds.ledger.store import Appended


def refusal(done: Appended, act: Act, given: Mapping[str, Any]) -> QuipuError:
    """Return the error for the problem of an append."""
    session, key = given["session"], given["key"]
    match done.problem:
        case "session":
            return unknown_session(session)
        case "user":
            return others_session(session)
        case "several":
            return shared_session(session, done.detail)
        case "nobody":
            return BadInput(
                f"{key!r} is a preference of a person, and it is not known whose session this is.",
                field="user",
                hint="Say of which user.",
            )
        case "turn":
            return BadInput(f"this session is at turn {done.turn_index}.", field="turn")
        case "moved":
            return Conflict("somebody wrote to the key meanwhile; nothing was changed.", field="event_id")
        case _:
            hint = "Use set." if act == "correct" else "The history shows what there was."
            if given["namespace"] != "other":
                hint += " The namespace other ends what was written before the key was registered."
            return BadInput(f"nothing stands for {key!r} here.", field="key", hint=hint)


def unknown_session(session: str | None) -> BadInput:
    """Return the error for a session that was neither observed nor opened in the space."""
    return BadInput(
        f"there is no session {session!r} in this space.",
        field="session",
        hint="Observe its messages first, or open the session.",
    )


def others_session(session: str | None) -> BadInput:
    """Return the error for a session opened for somebody else, or in which only somebody else speaks."""
    return BadInput(f"the session {session!r} is somebody else's.", field="user")


def shared_session(session: str | None, users: str | None) -> BadInput:
    """Return the error for a session of several people, which cannot belong to one."""
    return BadInput(
        f"several take part in the session {session!r} ({users}), so it is of none of them.",
        field="user",
        hint="Leave the user away for a fact of the session; one of the person has the scope cross_session.",
    )


def change(done: Appended, act: Act, given: Mapping[str, Any]) -> Change:
    """Return the change that an append made; ``given`` are its parameters, with the plain value."""
    previous = None if done.before_id is None else _previous(done, given)
    if done.event_id is None:
        return Change(None, previous, previous, True)
    event = _event(done, act, given)
    if act in ("expire", "delete"):
        return Change(event, None, previous, False)
    return Change(event, _value(event) if done.stands else previous, previous, done.stands)


def _event(done: Appended, act: Act, given: Mapping[str, Any]) -> Event:
    ends = act in ("expire", "delete")
    assert done.event_id is not None
    standing = None if ends else done.event_id if done.stands else done.before_id
    return Event(
        id=done.event_id,
        event_type=done.event_type,
        scope=given["scope"],
        namespace=given["namespace"],
        key=given["key"],
        old=done.before_value if ends or done.stands else None,
        new=given["plain"],
        source=done.before_source if ends else given["source"],
        assumed=done.before_assumed if ends else given["assumed"],
        confidence_cap=given["cap"],
        session=given["session"],
        user=done.distinct_id,
        turn=done.turn_index,
        created_at=done.created_at,
        expires_at=done.expires_at,
        correlation_id=given["correlation"],
        actor=given["actor"],
        reason=given["reason"],
        standing_event_id=standing,
    )


def _value(event: Event) -> Value:
    return Value(
        key=event.key,
        namespace=event.namespace,
        scope=event.scope,
        value=event.new,
        source=event.source,
        assumed=event.assumed,
        confidence_cap=event.confidence_cap,
        session=event.session,
        user=event.user,
        turn=event.turn,
        event_id=event.id,
        updated_at=event.created_at,
        expires_at=event.expires_at,
    )


def _previous(done: Appended, given: Mapping[str, Any]) -> Value:
    return Value(
        key=given["key"],
        namespace=given["namespace"],
        scope=given["scope"],
        value=done.before_value,
        source=done.before_source,
        assumed=done.before_assumed,
        confidence_cap=done.before_cap,
        session=given["session"] if given["scope"] == "session" else None,
        user=done.distinct_id,
        turn=done.before_turn,
        event_id=done.before_id,
        updated_at=done.before_at,
        expires_at=done.before_expires_at,
    )
