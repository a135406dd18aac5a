"""The names that callers give: spaces, sessions, users."""

from __future__ import annotations

import re

from quipu.errors import BadInput

_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
LONGEST = 512


def check_name(field: str, value: object) -> str:
    """``value`` where it can name something: text of 1 to 512 characters, none of them a control character.

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


def optional_name(field: str, value: object) -> str | None:
    """The same where nothing may be given."""
    return None if value is None else check_name(field, value)
