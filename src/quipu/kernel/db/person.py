"""On whose behalf the database is asked: of one person of a space, or of everybody in it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from quipu.errors import AccessRefused
from quipu.kernel.base.scope import optional_name

_BOUND: Final[ContextVar[str | None]] = ContextVar("quipu_person", default=None)


def bound_person() -> str | None:
    """Return the person for whom this task asks, None where it asks for everybody."""
    return _BOUND.get()


@contextmanager
def acting_for(user: str | None) -> Generator[None]:
    """Read and write as ``user`` alone inside the block: the database shows no row of anybody else.

    This holds for the task that enters it and for those it starts. Rows with no owner or several are hidden
    as well; what cannot be kept apart by person raises ``AccessRefused``. None asks for everybody.

    Raises:
        BadInput: the name cannot be one.
    """
    token = _BOUND.set(optional_name("user", user))
    try:
        yield
    finally:
        _BOUND.reset(token)


def act_for(user: str | None) -> None:
    """Let the rest of the enclosing ``acting_for`` read and write as ``user``, who was just found to ask."""
    _BOUND.set(user)


def everybody_only(what: str) -> None:
    """Do nothing, where this task asks for everybody.

    Raises:
        AccessRefused: it asks for one person; ``what`` names what is refused, as in "Snapshots concern".
    """
    if bound_person() is not None:
        raise AccessRefused(
            f"{what} everybody in the space; you may see and change what belongs to one person.",
            hint="It needs a key that is not bound to a user.",
        )


def own_user(user: str | None) -> str | None:
    """Return whose row is to be written: ``user``, or the person for whom this task asks.

    Raises:
        AccessRefused: it asks for one person, and ``user`` is another.
    """
    person = bound_person()
    if person is not None and user not in {None, person}:
        raise AccessRefused(
            f"You may write for {person!r} only, not for another user.", hint="Leave the user out."
        )
    return user if person is None else person
