"""Regular expressions in which ``{name}`` stands for an entry of a table of words. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

_NAME = re.compile(r"\{([a-z_]+)\}")


def filled(text: str, words: Mapping[str, str]) -> str:
    """Return an expression with words in place of their names. Raises ``KeyError`` for an unknown one."""
    return _NAME.sub(lambda match: words[match[1]], text)


def entries(words: Mapping[str, str | Sequence[str]]) -> dict[str, str]:
    """Return a table of words, each with those before it filled in; the words of a list are alternatives."""
    known: dict[str, str] = {}
    for name, entry in words.items():
        known[name] = filled(entry if isinstance(entry, str) else f"(?:{'|'.join(entry)})", known)
    return known


def any_of(listed: Iterable[str], words: Mapping[str, str], *, ignore_case: bool = False) -> re.Pattern[str]:
    """Return an expression that fits where one of those listed fits."""
    whole = "|".join(f"(?:{filled(one, words)})" for one in listed)
    return re.compile(whole, re.IGNORECASE if ignore_case else 0)
