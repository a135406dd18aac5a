"""Place of an event in a session."""

from __future__ import annotations

from quipu.errors import BadInput
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.ledger.evidence import checking, store
from quipu.kinds.ledger.outcome import unknown_session


async def standing(tx: SpaceTransaction, name: str) -> store.Session:
    """Return the session of that name.

    Raises:
        BadInput: there is none in this space.
    """
    found = await store.session(tx, name)
    if found is None:
        raise unknown_session(name)
    return found


async def said(tx: SpaceTransaction, session: store.Session, message: str) -> int:
    """Return the number of the message of that id in a session.

    Raises:
        BadInput: nothing was said there under that id.
    """
    number = await store.message(tx, session.id, message)
    if number is None:
        raise BadInput(f"nothing was said in this session under the id {message!r}.", field="message")
    return number


def turn_of(session: store.Session, turn: int | None) -> int:
    """Return the turn that is meant, by default the one that the session is at.

    Raises:
        BadInput: nothing that far was said yet.
    """
    if turn is None:
        return session.turns
    checking.whole("turn", turn)
    if session.messages and turn > session.messages:
        raise BadInput(f"{turn} is to come; this session is at turn {session.turns}.", field="turn")
    return turn
