"""The texts in the content of a message, and what in it is no text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, cast

import orjson

Fields = Mapping[str, object]

BETWEEN_BLOCKS: Final = "\n\n"
_BETWEEN_OUTPUTS: Final = "\n"
_NOTHING: Final[Fields] = {}
_BOM: Final = b"\xef\xbb\xbf"
_TOO_DEEP: Final = "lines nested some 1,000 deep or more"
_NO_JSON: Final = "lines that are no JSON"
_NO_OBJECT: Final = "lines that are no objects"
REPAIRED: Final = "lines with invalid UTF-8, repaired"

_Object = dict[str, object]


def parse(line: bytes) -> tuple[_Object | None, str | None]:
    """Return the object of a line, and its fault, as the name of a group of such lines.

    Bytes that are not UTF-8 become U+FFFD, which is a fault but loses nothing else. Whole numbers beyond 64
    bits come as the nearest float, as the programs that write transcripts hold them.
    """
    try:
        said: object = orjson.loads(line)
    except ValueError:
        return _mended(line)
    return (cast("_Object", said), None) if isinstance(said, dict) else (None, _NO_OBJECT)


def _mended(line: bytes) -> tuple[_Object | None, str | None]:
    """Parse a line that the strict parser refuses: half characters, NaN, no UTF-8, no JSON at all."""
    fault: str | None = None
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text, fault = line.removeprefix(_BOM).decode(errors="replace"), REPAIRED
    try:
        said: object = json.loads(text)
    except RecursionError:
        return None, _TOO_DEEP
    except ValueError:
        if text.startswith("\ufeff"):
            return parse(line.removeprefix(_BOM))
        return None, _NO_JSON
    return (cast("_Object", said), fault) if isinstance(said, dict) else (None, _NO_OBJECT)


def fields(value: object) -> Fields:
    """Return the fields of an object; none if it is no object."""
    return cast("Fields", value) if isinstance(value, dict) else _NOTHING


def blocks(content: object) -> list[Fields]:
    """Return the blocks of a content that has some."""
    if not isinstance(content, list):
        return []
    several = cast("list[object]", content)
    for block in several:
        if not isinstance(block, dict):
            return [fields(one) for one in several]
    return cast("list[Fields]", several)


def text(value: object) -> str | None:
    """Return a text that is not empty, or None."""
    return value if isinstance(value, str) and value else None


def joined(content: object) -> str:
    """Return the text of a message: the content itself, or the texts of its blocks."""
    if isinstance(content, str):
        return content
    texts = (block.get("text") for block in blocks(content) if block.get("type") == "text")
    return BETWEEN_BLOCKS.join(one for one in texts if isinstance(one, str) and one.strip())


def output(content: object) -> str:
    """Return the output of a tool as text; a picture is named in its place."""
    if isinstance(content, str):
        return content
    parts: list[str] = []
    for block in [fields(cast("object", content))] if isinstance(content, dict) else blocks(content):
        told = block.get("text")
        parts.append(told if isinstance(told, str) else f"[{_named(block)}]")
    return _BETWEEN_OUTPUTS.join(parts)


def without_data(block: Fields) -> dict[str, object]:
    """Return a block without the bytes of its picture or document, of which only the length stays."""
    source = fields(block.get("source"))
    data = source.get("data")
    if not isinstance(data, str):
        return dict(block)
    kept = {name: value for name, value in source.items() if name != "data"}
    return {**block, "source": {**kept, "data_characters": len(data)}}


def _named(block: Fields) -> str:
    media = fields(block.get("source")).get("media_type")
    return " ".join(word for word in (block.get("type"), media) if isinstance(word, str)) or "no text"
