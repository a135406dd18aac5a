"""Prepare a value to be stored: JSON that fits the database, not too large, without secrets."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from quipu.errors import BadInput
from quipu.kernel.redact import redact

LIMIT_BYTES: Final = 64 * 1024
DEEPEST: Final = 32
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class PreparedValue:
    """A value, and the JSON text that is written for it."""

    value: Any
    text: str


def prepare(
    value: object,
    *,
    field: str = "value",
    key: str = "",
    secrets: bool,
    longest_bytes: int = LIMIT_BYTES,
) -> PreparedValue:
    """Prepare a value to be kept; with ``secrets``, every secret in its texts and names is cut out.

    ``field`` is the name of the argument. ``key`` is what the value is called: a single word is a secret if
    it is called a password.

    Raises:
        BadInput: it is no JSON, deeper than 32, longer than 64 KiB, or has a character that no database can
            store; the field is the path of the fault, such as ``value.items.0.label``.
    """
    plain = _plain(value, field, key, DEEPEST, secrets=secrets)
    try:
        text = json.dumps(plain, ensure_ascii=False)
    except ValueError:  # longer in decimal than Python agrees to print
        raise BadInput("a number in it is too long.", field=field) from None
    size = len(text.encode())
    if size > longest_bytes:
        raise BadInput(
            f"it has {size:,} bytes as JSON; {longest_bytes:,} are the most.",
            field=field,
            hint="Keep the long text as a message, and a reference to it here.",
        )
    return PreparedValue(plain, text)


def _plain(value: object, path: str, called: str, depth: int, *, secrets: bool) -> Any:
    kind = type(value).__name__
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInput(f"{value} has no form in JSON.", field=path)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        text = storable(value, path)
        return _without_secrets(text, called) if secrets else text
    if depth == 0:
        raise BadInput(f"it is nested more than {DEEPEST} deep.", field=path.split(".", 1)[0])
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return {
            _name(name, path, secrets=secrets): _plain(
                inner, f"{path}.{name}", str(name), depth - 1, secrets=secrets
            )
            for name, inner in items
        }
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        inside = cast("Sequence[object]", value)
        return [
            _plain(v, f"{path}.{place}", called, depth - 1, secrets=secrets) for place, v in enumerate(inside)
        ]
    raise BadInput(f"a {kind} has no form in JSON.", field=path[:200])


def _without_secrets(text: str, called: str) -> str:
    """Redact the text as if it were assigned to what it is called."""
    assigned = f"{called.rsplit('.', 1)[-1]}="
    alone, given = redact(text).text, redact(assigned + text).text
    return given.removeprefix(assigned) if alone == text and given.startswith(assigned) else alone


def _name(key: object, path: str, *, secrets: bool) -> str:
    if not isinstance(key, str):
        raise BadInput("the names in an object are texts.", field=path[:200])
    name = storable(key, path)
    return redact(name).text if secrets else name


def storable(text: str, path: str) -> str:
    """Return the text if a database can store it.

    Raises:
        BadInput: it has a NUL or a lone surrogate; the field is ``path``.
    """
    if _UNSTORABLE.search(text):
        raise BadInput(
            "it has a NUL or half a character in it, which no database can store.", field=path[:200]
        )
    return text
