"""The named statements of a ``.sql`` file beside this one."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent / "sql"


@cache
def load(name: str) -> dict[str, bytes]:
    """Name to statement, from ``sql/NAME.sql``."""
    parts = re.split(r"(?m)^-- name: (\w+)$", (_FOLDER / f"{name}.sql").read_text(encoding="utf-8"))
    return {
        key: text.strip().rstrip(";").encode() for key, text in zip(parts[1::2], parts[2::2], strict=True)
    }
