"""Messages as they came: the item of an agent's session, the text in it, and metadata. Pure.

An item is kept as JSON text, letter by letter, so that what is read back equals what was given: the order of
its keys, ``1e23`` and half a character (docs/decisions/messages.md says why not ``jsonb``).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from quipu.errors import BadInput
from quipu.kernel.redact import redact

ITEM_LIMIT_BYTES: Final = 16 * 1024 * 1024
METADATA_LIMIT_BYTES: Final = 64 * 1024
DEEPEST: Final = 128
TEXT_PARTS: Final = frozenset({"text", "input_text", "output_text"})
BETWEEN_PARTS: Final = "\n\n"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
_OUTPUT: Final = "_output"


def plain(value: object, *, most_bytes: int) -> dict[str, object]:
    """Return a JSON object made of dicts and lists alone.

    Raises:
        ValueError: it is none, or too large; the message says which.
    """
    if not isinstance(value, Mapping):
        raise ValueError("it must be an object.")
    return cast("dict[str, object]", _Walk(most_bytes).copy(cast("object", value), DEEPEST))


class _Walk:
    """A copy of a JSON value. It ends where the copy is too large, so a value that holds itself ends too."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._left = most_bytes

    def copy(self, value: object, depth: int) -> object:
        self._left -= len(value) if isinstance(value, str) else 1
        if self._left < 0:
            raise ValueError(too_large(self._most))
        if value is None or isinstance(value, str | bool | int):
            return value
        if isinstance(value, float):
            if not math.isfinite(value):
                raise ValueError(f"{value} has no form in JSON.")
            return value
        if not isinstance(value, Mapping | list | tuple):
            raise ValueError(f"a {type(value).__name__} has no form in JSON.")
        if depth == 0:
            raise ValueError(f"it is nested more than {DEEPEST} deep, or it holds itself.")
        if isinstance(value, Mapping):
            fields = cast("Mapping[object, object]", value).items()
            return {self._name(name): self.copy(inner, depth - 1) for name, inner in fields}
        return [self.copy(inner, depth - 1) for inner in cast("Sequence[object]", value)]

    def _name(self, name: object) -> str:
        if not isinstance(name, str):
            raise ValueError("the names in an object are texts.")
        self._left -= len(name)
        return name


def too_large(most_bytes: int) -> str:
    """Return the reason why something is refused that has more bytes as JSON."""
    return f"it is larger than {most_bytes // 1024:,} KiB."


def encoded(value: Mapping[str, object], *, most_bytes: int | None = None) -> str:
    """Return a plain object as JSON; half a character stands as an escape, everything else as it is.

    Raises:
        ValueError: it has more bytes, or a number with more digits than Python prints.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if not text.isascii():
        text = _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
    if most_bytes is not None and len(text.encode()) > most_bytes:
        raise ValueError(too_large(most_bytes))
    return text


def text_of(item: Mapping[str, object]) -> str:
    """Return the text in an item: of its ``content`` or ``output``, a text or a list of parts; else nothing.

    What a function is called with (``arguments``) is no text of anybody.
    """
    for field in ("content", "output"):
        value = item.get(field)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            texts = [text for part in cast("list[object]", value) if (text := _part(part)) is not None]
            return BETWEEN_PARTS.join(text for text in texts if text.strip())
    return ""


def _part(part: object) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return None
    fields = cast("Mapping[str, object]", part)
    text = fields.get("text")
    return text if isinstance(text, str) and fields.get("type", "text") in TEXT_PARTS else None


def role_of(item: Mapping[str, object]) -> str:
    """Return the role that an item names, or that its type has: a call is the assistant's."""
    role, kind = item.get("role"), item.get("type")
    if isinstance(role, str) and role.strip():
        return role
    if not isinstance(kind, str) or kind == "message":
        return "user"
    return "tool" if kind.endswith(_OUTPUT) else "assistant"


def is_storable(value: Mapping[str, object]) -> bool:
    """Return True if no text in an object has a NUL or half a character: ``jsonb`` can hold neither."""
    return not any(_UNSTORABLE.search(text) for text in _texts(value))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in cast("dict[str, object]", value).items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _texts(inner)


def without_secrets(value: Mapping[str, object]) -> tuple[dict[str, object], Counter[str]]:
    """Return an object with every secret in its texts cut out, and how many there were of each kind.

    A text may be a secret only because of what it is called: ``{"password": "…"}``.
    """
    counts: Counter[str] = Counter()
    return cast("dict[str, object]", _told(value, "", counts)), counts


def _told(value: object, called: str, counts: Counter[str]) -> object:
    if isinstance(value, str):
        return _redacted(value, called, counts)
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, object]", value).items()
        return {_redacted(name, "", counts): _told(inner, name, counts) for name, inner in fields}
    if isinstance(value, list):
        return [_told(inner, called, counts) for inner in cast("list[object]", value)]
    return value


def _redacted(text: str, called: str, counts: Counter[str]) -> str:
    found, before = redact(text), f"{called}="
    if called and not found.counts:
        given = redact(before + text)
        if given.counts and given.text.startswith(before):
            counts.update(given.counts)
            return given.text.removeprefix(before)
    counts.update(found.counts)
    return found.text


def metadata_of(value: object) -> dict[str, object]:
    """Return metadata as it may be stored and filtered by.

    Raises:
        ValueError: it cannot be; the message says why.
    """
    metadata = plain(value, most_bytes=METADATA_LIMIT_BYTES)
    encoded(metadata, most_bytes=METADATA_LIMIT_BYTES)
    if not is_storable(metadata):
        raise ValueError("it has a NUL or half a character in it, which no database can store.")
    return metadata


def checked_metadata(value: object, *, secrets: bool) -> dict[str, object]:
    """Return metadata as it is stored, none where nothing is given; with ``secrets``, they are cut out.

    Raises:
        BadInput: it cannot be stored; the message says why.
    """
    if value is None:
        return {}
    try:
        metadata = metadata_of(value)
    except ValueError as error:
        raise BadInput(str(error), field="metadata") from error
    return without_secrets(metadata)[0] if secrets else metadata
