"""Values of rows: as JSON on their way to PostgreSQL, which knows the type of each column, and back. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from math import isfinite
from typing import Any, Final, cast
from uuid import UUID

from quipu.errors import BadInput
from quipu.kernel.base.depth import TOO_DEEP, is_too_deep
from quipu.kernel.redact import redact

MOST_CHARACTERS: Final = 1_000_000
MOST_ROWS: Final = 10_000
_DEEPEST: Final = 32
_HALF: Final = re.compile("[\ud800-\udfff]")  # of a character
_WRITTEN = (UUID, Decimal, IPv4Address, IPv6Address, IPv4Network, IPv6Network, IPv4Interface, IPv6Interface)


def row(data: object, *, field: str, clean: bool) -> dict[str, Any]:
    """Return a row that can be written as JSON; ``clean`` cuts secrets out of its texts.

    Raises:
        BadInput: it is no object, or a value cannot be stored; names the field.
    """
    if not isinstance(data, Mapping):
        raise BadInput("an object is needed: column to value.", field=field, hint='{"name": "Thorin"}')
    given = cast("Mapping[Any, Any]", data)
    for name in given:
        if not isinstance(name, str) or not name or "\0" in name:
            raise BadInput(f"{name!r} is no name of a column.", field=field)
    return {name: jsonable(value, field=f"{field}.{name}", clean=clean) for name, value in given.items()}


def jsonable(value: Any, *, field: str, clean: bool, depth: int = 0) -> Any:
    """Return the value as JSON that PostgreSQL reads into a column of any fitting type.

    Raises:
        BadInput: it has no form that PostgreSQL reads, or is too large.
    """
    if depth > _DEEPEST:
        raise BadInput(f"it is nested more than {_DEEPEST} deep.", field=field)
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if isfinite(value) else str(value)
        case str():
            return _text(value, field=field, clean=clean)
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return f"{value.total_seconds()} seconds"
        case bytes() | bytearray():
            return _text("\\x" + value.hex(), field=field, clean=False)
        case Mapping():
            items = cast("Mapping[Any, Any]", value).items()
            return {
                str(key): jsonable(one, field=f"{field}.{key}", clean=clean, depth=depth + 1)
                for key, one in items
            }
        case Sequence():
            ones = cast("Sequence[Any]", value)
            return [
                jsonable(one, field=f"{field}[{n}]", clean=clean, depth=depth + 1)
                for n, one in enumerate(ones)
            ]
        case _ if isinstance(value, _WRITTEN):
            return str(value)
        case _:
            raise BadInput(f"a {type(value).__name__} cannot be stored.", field=field, hint="Hand in a text.")


def _text(value: str, *, field: str, clean: bool) -> str:
    if len(value) > MOST_CHARACTERS:
        raise BadInput(
            f"it has {len(value):,} characters; {MOST_CHARACTERS:,} are the most.",
            field=field,
            hint="Store it in parts, or elsewhere with a reference here.",
        )
    if "\0" in value or (not value.isprintable() and _HALF.search(value)):
        raise BadInput("it has a character that PostgreSQL cannot store.", field=field)
    return redact(value).text if clean else value


def as_json(value: Any) -> str:
    """Return the value as JSON text."""
    return json.dumps(value, ensure_ascii=False)


def parsed(text: object, *, field: str) -> Any:
    """Parse a JSON text; return anything else unchanged.

    Raises:
        BadInput: it is no JSON, and says where; or it is nested too deeply.
    """
    if not isinstance(text, str):
        return text
    if is_too_deep(text.encode("utf-8", "surrogatepass")):
        raise BadInput(f"{TOO_DEEP}.", field=field)
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadInput(f"this is no JSON: {error}.", field=field, hint='Like {"name": "Thorin"}.') from None
