"""Our values as JSON documents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from pathlib import Path
from uuid import UUID


def as_json(value: object) -> str:
    """The value as one JSON document; times are ISO 8601 with their zone.

    Raises:
        TypeError: it holds something that has no form in JSON.
    """
    return json.dumps(value, default=_plain, ensure_ascii=False, indent=2)


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
