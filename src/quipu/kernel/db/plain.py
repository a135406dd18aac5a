"""Values of PostgreSQL as JSON knows them, and JSON as PostgreSQL has it. Pure."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from math import isfinite
from typing import Any, Final, cast

import psycopg

from quipu.errors import LimitReached
from quipu.kernel.base.depth import DEEPEST

_READ: Final = json.JSONDecoder().raw_decode  # twice as fast as json.loads on small values


def plain(value: Any, *, depth: int = 0) -> Any:
    """Return the value as JSON knows it; what has no form there is text, infinity and NaN as well.

    Raises:
        LimitReached: more than ``DEEPEST`` lists and objects lie inside each other.
    """
    if depth > DEEPEST:
        raise LimitReached(
            f"a value has more than {DEEPEST} lists and objects inside each other.",
            field="sql",
            hint="Ask for a part of it, or for its text: value::text.",
        )
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if isfinite(value) else _not_finite(value)
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case bytes():
            return value.hex()
        case Mapping():
            items = cast("Mapping[Any, Any]", value).items()
            return {str(key): plain(one, depth=depth + 1) for key, one in items}
        case Sequence():
            return [plain(one, depth=depth + 1) for one in cast("Sequence[Any]", value)]
        case _:
            return str(value)


def _not_finite(value: float) -> str:
    """Return PostgreSQL's word for a number that is not finite."""
    if value != value:
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON text of PostgreSQL, which may be more than Python reads.

    Raises:
        psycopg.DataError: it is nested too deeply, or has a number of too many digits.
    """
    try:
        return _READ((text if isinstance(text, str) else text.decode()).lstrip())[0]
    except RecursionError:
        raise psycopg.DataError(
            "a value in JSON is nested too deeply to be read; ask for its text: value::text"
        ) from None
    except ValueError:
        raise psycopg.DataError(
            f"a number in JSON has more than {sys.get_int_max_str_digits():,} digits; ask for its text: "
            "value::text"
        ) from None
