"""The scope of a call: names of spaces, sessions and users, and on whose behalf a task asks.

A task asks for everybody in a space, or for one person, of whom alone the database then shows rows.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from quipu.errors import AccessRefused, BadInput
from quipu.kernel.redact import secret_kind

_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
LONGEST = 512
_BOUND: Final[ContextVar[str | None]] = ContextVar("quipu_person", default=None)


def check_name(field: str, value: object) -> str:
    """Return ``value`` where it can name something: 1 to 512 characters, no control character, no secret.

    Raises:
        BadInput: naming ``field``, never what stands in it.
    """
    name = check_known_name(field, value)
    refuse_secret(field, name)
    return name


def optional_name(field: str, value: object) -> str | None:
    """Return ``value`` where it can name something, or None where nothing was given.

    Raises:
        BadInput: naming ``field``, never what stands in it.
    """
    return None if value is None else check_name(field, value)


def check_known_name(field: str, value: object) -> str:
    """Return ``value`` where it may already name something, be it a secret: what is to be erased.

    Raises:
        BadInput: naming ``field``.
    """
    if not isinstance(value, str) or not value.strip():
        raise BadInput("a name is needed.", field=field, hint=f'For example {field}="ana".')
    if len(value) > LONGEST:
        raise BadInput(f"it has {len(value):,} characters; {LONGEST} are the most.", field=field)
    if _UNFIT.search(value):
        raise BadInput("it has a control character or half a character in it.", field=field)
    return value


def refuse_secret(field: str, text: str) -> None:
    """Refuse a name, or whatever else cannot lose a part of it, that holds a secret for certain.

    Raises:
        BadInput: naming ``field`` and the kind of the secret, never the secret.
    """
    kind = secret_kind(text)
    if kind is not None:
        raise BadInput(
            f"it holds what looks like a secret ({kind}), and names are kept as they are.",
            field=field,
            hint="Name it otherwise, for example by an id of your own.",
        )


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


def bound_person() -> str | None:
    """Return the person for whom this task asks, None where it asks for everybody."""
    return _BOUND.get()


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
