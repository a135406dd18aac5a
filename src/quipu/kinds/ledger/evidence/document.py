"""JSON that callers hand in, made fit to be stored: pure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, cast

from quipu.errors import BadInput
from quipu.kernel.redact import redact

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

LONGEST_BYTES: Final = 64 * 1024
DEEPEST: Final = 32
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def document(field: str, value: object, *, secrets: bool, longest_bytes: int = LONGEST_BYTES) -> Json:
    """Return the value as JSON that can be stored; ``secrets`` cuts secrets out.

    Raises:
        BadInput: it is no JSON, or too long or too deep, or has a NUL in it; the field is the path to it,
            such as ``args.items.0.label``.
    """
    made = _made(field, value, secrets=secrets, depth=0)
    try:
        size = len(json.dumps(made, ensure_ascii=False).encode())
    except ValueError:  # longer in decimal than Python agrees to print
        raise BadInput("a number in it is too long.", field=field) from None
    if size > longest_bytes:
        raise BadInput(f"it has {size:,} bytes as JSON; {longest_bytes:,} are the most.", field=field)
    return made


def object_of(field: str, value: object, *, secrets: bool) -> dict[str, Json]:
    """Return an object as JSON that can be stored; an empty one if none is given."""
    made = document(field, {} if value is None else value, secrets=secrets)
    if not isinstance(made, dict):
        raise BadInput("give an object: names and values.", field=field)
    return made


def _made(path: str, value: object, *, secrets: bool, depth: int) -> Json:
    if depth > DEEPEST:
        raise BadInput(f"it is nested more than {DEEPEST} deep.", field=path.split(".", 1)[0])
    match value:
        case str():
            return _text(path, value, secrets=secrets)
        case float() if not math.isfinite(value):
            raise BadInput(f"{value} has no form in JSON.", field=path)
        case None | bool() | int() | float():
            return value
        case Mapping():
            return _object(path, cast("Mapping[object, object]", value), secrets=secrets, depth=depth)
        case Sequence() if not isinstance(value, bytes | bytearray | memoryview):
            items = enumerate(cast("Sequence[object]", value))
            return [_made(f"{path}.{at}", item, secrets=secrets, depth=depth + 1) for at, item in items]
        case _:
            raise BadInput(f"a {type(value).__name__} has no form in JSON.", field=path)


def _object(path: str, value: Mapping[object, object], *, secrets: bool, depth: int) -> dict[str, Json]:
    made: dict[str, Json] = {}
    for name, item in value.items():
        if not isinstance(name, str):
            raise BadInput(f"the name {name!r} of a value is no text.", field=path)
        inner = f"{path}.{name}"
        made[_text(path, name, secrets=secrets)] = _made(inner, item, secrets=secrets, depth=depth + 1)
    return made


def _text(path: str, value: str, *, secrets: bool) -> str:
    if _UNSTORABLE.search(value):
        raise BadInput("it has a NUL or half a character in it.", field=path)
    return redact(value).text if secrets else value
