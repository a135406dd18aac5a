"""Depth of nested JSON, measured in its text: a parser calls itself for every level."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final

DEEPEST: Final = 100
"""How many levels JSON may have that is handed in: more than any form that people made up has."""
TOO_DEEP: Final = f"it is nested more than {DEEPEST} deep"

_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_STEPS: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def is_too_deep(text: bytes) -> bool:
    """Return True if a JSON text has more than ``DEEPEST`` levels, in a time that grows with its length."""
    if text.count(b"[") + text.count(b"{") <= DEEPEST:
        return False
    brackets = _STRING.sub(b"", text).translate(None, _NO_BRACKETS)
    levels = accumulate(map(_STEPS.__getitem__, brackets))
    return next(filter(DEEPEST.__lt__, levels), None) is not None
