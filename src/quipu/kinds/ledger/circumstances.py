"""Circumstances of a write, checked: where, of whom, by whom and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from quipu.errors import BadInput
from quipu.kernel.base.scope import check_name, moment, optional_name, own_user
from quipu.kernel.redact import redact
from quipu.kinds.ledger.keys import Place
from quipu.kinds.ledger.model import SCOPES, Namespace, Scope
from quipu.kinds.ledger.values import storable

LONGEST_REASON: Final = 4_000
LATEST_TURN: Final = 2**31 - 1
_ANY_TIME: Final = datetime(9000, 1, 1, tzinfo=UTC)


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


def checked(said: Circumstances, *, place: Place, scope: Scope, secrets: bool) -> dict[str, object]:
    """Return the parameters of an append that do not depend on the value; ``secrets`` cleans the reasons.

    Raises:
        BadInput: naming the argument.
    """
    turn = said.turn
    if turn is not None and (type(turn) is not int or not 0 <= turn <= LATEST_TURN):
        raise BadInput("a turn is a whole number from 0.", field="turn")
    return {
        "space": check_name("space", said.space),
        "scope": scope,
        "session": optional_name("session", said.session),
        "person": optional_name("user", user_of(said)),
        "namespace": place.namespace,
        "key": place.key,
        "turn": turn,
        "correlation": optional_name("correlation_id", said.correlation_id),
        "actor": optional_name("actor", said.actor),
        "reason": _reason(said.reason, secrets=secrets),
        "latest": None,
    }


def user_of(said: Circumstances) -> str | None:
    """Return the person whom it is about: the one who is named, or for whom alone this task may write.

    Raises:
        AccessRefused: it is another.
    """
    return None if said.user is None and said.session is not None else own_user(said.user)


def scope_of(place: Place, said: Circumstances) -> Scope:
    """Return the caller's scope; else that of the key; else a session's if a session is given.

    Raises:
        BadInput: it is not said in which session, or of whom.
    """
    if said.scope is not None and said.scope not in SCOPES:
        raise BadInput(f"{said.scope!r} is none of {', '.join(SCOPES)}.", field="scope")
    settled = place.rule.scope if place.rule is not None else None
    scope = said.scope or settled or ("session" if said.session is not None else "cross_session")
    if scope == "session" and said.session is None:
        hint = "Say in which session."
        raise BadInput(f"{place.key!r} belongs to a session.", field="session", hint=hint)
    if user_of(said) is None and said.session is None:
        raise BadInput("say of which user or in which session.", field="user")
    return scope


def time_of(field: str, value: object) -> datetime:
    """Return a moment in UTC, past or future.

    Raises:
        BadInput: it is none that can be read without guessing.
    """
    read = moment(value, now=_ANY_TIME)
    if isinstance(read, str):
        raise BadInput(read, field=field)
    return read.at


def _reason(value: object, *, secrets: bool) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > LONGEST_REASON:
        raise BadInput(f"a text of at most {LONGEST_REASON:,} characters.", field="reason")
    text = storable(value, "reason")
    return redact(text).text if secrets else text
