"""Questions that ask for many things at once: a list, an order, a history.

The phrases are data, a file `enumeration.toml` for each language. A question in one language is looked
through for the phrases of all: they are rare enough elsewhere, and nobody says in which language they ask.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from quipu.kernel.prose.lexicon import lexicon, phrase

# The lists of phrases in each file: what asks for a list, for an order, for a history.
_SORTS: Final = ("list", "order", "story")
_READ: Final = 2_000


def asks_for_many(question: str) -> bool:
    """Return True if a question wants everything on its subject ("which books have I read?").

    Its first 2,000 characters are read.
    """
    return any(pattern.search(question[:_READ]) for pattern in _patterns())


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Return a pattern for each language."""
    return tuple(_pattern(language) for language in lexicon("enumeration").values())


def _pattern(language: Mapping[str, Any]) -> re.Pattern[str]:
    """Return the pattern of all phrases of a language."""
    is_borderless, plural = bool(language.get("borderless")), str(language.get("plural", ""))
    every = [words for sort in _SORTS for words in language[sort]]
    made = (phrase(words, plural=plural, is_borderless=is_borderless) for words in every)
    return re.compile("|".join(made), re.IGNORECASE)
