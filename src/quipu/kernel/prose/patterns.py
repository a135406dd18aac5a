"""Regular expressions in which ``{name}`` stands for an entry of a table of words. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_NAME = re.compile(r"\{([a-z]+)\}")


def filled(text: str, words: Mapping[str, str]) -> str:
    """Return an expression with words in place of their names. Raises ``KeyError`` for an unknown one."""
    return _NAME.sub(lambda match: words[match[1]], text)


def entries(words: Mapping[str, str]) -> dict[str, str]:
    """Return a table of words in which each entry has those before it filled in."""
    known: dict[str, str] = {}
    for name, text in words.items():
        known[name] = filled(text, known)
    return known


def any_of(listed: Iterable[str], words: Mapping[str, str], *, ignore_case: bool = False) -> re.Pattern[str]:
    """Return an expression that fits where one of those listed fits."""
    whole = "|".join(f"(?:{filled(one, words)})" for one in listed)
    return re.compile(whole, re.IGNORECASE if ignore_case else 0)
