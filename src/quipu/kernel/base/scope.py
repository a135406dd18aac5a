"""The names that callers give: spaces, sessions, users."""

from __future__ import annotations

import re

from quipu.errors import BadInput
from quipu.kernel.redact.names import secret_kind

_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
LONGEST = 512


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
