"""Messages of peers as documents that come back letter for letter, and are found by their text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

_HALF: Final = re.compile("[\ud800-\udfff]")
_UNFIT: Final = re.compile("[\0\ud800-\udfff]")


def put_of(
    path: Sequence[str],
    key: str,
    data: Mapping[str, Any],
    *,
    text: str = "",
    user: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the arguments that write data at a path under a key; ``text`` is what recall finds.

    The data are the body, as JSON text. A value of a document keeps neither the order of keys nor a NUL or
    half a character, which tools return.
    """
    said = _UNFIT.sub("\ufffd", text).strip()
    return {
        "path": list(path),
        "key": key,
        "value": {"text": said} if said else None,
        "body": _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", json.dumps(data, ensure_ascii=False)),
        "metadata": dict(metadata or {}),
        "user": user,
        "index": ["text"] if said else [],
        "verbatim": True,
    }


def data_of(document: Any) -> dict[str, Any]:
    """Return the data of a document that was written so."""
    return json.loads(document.body)
