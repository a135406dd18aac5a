"""Rules for a derived text whose source messages are partly erased: may it stay? Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_WORD: Final = re.compile(r"\w+")
_STEM: Final = 5


def words(texts: Iterable[str | None]) -> frozenset[str]:
    """Return the words of texts, whatever their case."""
    return frozenset(word for text in texts if text for word in _WORD.findall(text.casefold()))


def repeats(text: str, *, erased: frozenset[str], remaining: frozenset[str]) -> bool:
    """Return True if a text has a word, inflected or not, that only erased messages said.

    Words that no message said ("The user prefers") are the writer's own and do not count.
    """
    own = words([text]) - remaining
    stems = _stems(erased) - _stems(remaining)
    return not own.isdisjoint(erased) or not _stems(own).isdisjoint(stems)


def _stems(tokens: Iterable[str]) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in tokens if len(word) > _STEM)
