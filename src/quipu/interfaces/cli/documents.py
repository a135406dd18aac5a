"""Our values as JSON documents."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from pathlib import Path
from uuid import UUID

from quipu.kernel.base.prompt_text import INVISIBLE

# A terminal obeys some of them; outside of texts a JSON document has none of them but line breaks.
_UNSEEN = re.compile(f"[{INVISIBLE}]")


def as_json(value: object) -> str:
    """Return the value as one JSON document; times are ISO 8601 with their zone, invisible signs escaped.

    Raises:
        TypeError: it holds something that has no form in JSON.
    """
    document = json.dumps(value, default=_plain, ensure_ascii=False, indent=2)
    return document if document.isascii() else _UNSEEN.sub(_escaped, document)


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Path | UUID):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    raise TypeError(f"{type(value).__name__} has no form in JSON.")
