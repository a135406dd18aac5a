"""Salience of an exchange by its form. Pure."""

from __future__ import annotations

import re
from typing import Final

_LONG: Final = 100
_MIDDLING: Final = 50
_URGENT = re.compile(
    r"\b(?:urgent(?:ly)?|asap|immediately|emergency|critical|deadline|right away|right now|important|crucial"
    r"|hurry|must)\b",
    re.IGNORECASE,
)


def salience(said: str) -> float:
    """Return 0.5 to 1: longer, asking and urgent words stand out (the constants of the origin of seed 3)."""
    length = 0.2 if len(said) > _LONG else 0.1 if len(said) > _MIDDLING else 0.0
    return round(0.5 + length + 0.15 * ("?" in said) + 0.15 * bool(_URGENT.search(said)), 3)
