"""Line of a transcript as JSON, repaired if it is broken."""

from __future__ import annotations

import json
from typing import Final, cast

import orjson

_BOM: Final = b"\xef\xbb\xbf"
_TOO_DEEP: Final = "lines nested some 1,000 deep or more"
_NO_JSON: Final = "lines that are no JSON"
_NO_OBJECT: Final = "lines that are no objects"
REPAIRED: Final = "lines with invalid UTF-8, mended"

Fields = dict[str, object]


def parse(line: bytes) -> tuple[Fields | None, str | None]:
    """Return the object of a line, and its fault, as the name of a group of such lines.

    Bytes that are not UTF-8 become U+FFFD, which is a fault but loses nothing else. Whole numbers beyond 64
    bits come as the nearest float, as the programs that write transcripts hold them.
    """
    try:
        said: object = orjson.loads(line)
    except ValueError:
        return _mended(line)
    return (cast("Fields", said), None) if isinstance(said, dict) else (None, _NO_OBJECT)


def _mended(line: bytes) -> tuple[Fields | None, str | None]:
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
    return (cast("Fields", said), fault) if isinstance(said, dict) else (None, _NO_OBJECT)
