"""Patterns of SQL for words that callers hand in."""

from __future__ import annotations

import re
from typing import Final

from quipu.kernel.base.text import clean

_SPECIAL: Final = re.compile(r"([\\%_])")


def holding(text: str | None) -> str | None:
    """Return the ILIKE pattern of texts that contain ``text``, each sign taken literally."""
    return None if text is None else "%" + _SPECIAL.sub(r"\\\1", clean(text).text) + "%"
