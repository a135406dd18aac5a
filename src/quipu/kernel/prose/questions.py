"""Questions: whom they are about, the asker or what the assistant said, and if they ask for a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from quipu.kernel.prose.lexicon import lexicon

_READ: Final = 2_000
_OPENING: Final = r"(?:(?<=^)|(?<=[.!?,;:\n]))\W{0,4}(?:(?:and|so|but|hey|hi|ok|okay)\b\W{0,3})?"


def asks_about_asker(question: str) -> bool:
    """Return True if a question is about its asker ("where do I live?"), not about an earlier answer.

    A polite opening ("can you tell me") points at nobody. A summary is about both sides. The first 2,000
    characters are read.
    """
    rest = _said("polite").sub(" ", question[:_READ])
    if not _said("first_person").search(rest):
        return False
    return not (_said("back").search(rest) or _said("summary").search(rest))


def asks_when(question: str) -> bool:
    """Return True if a time would answer the question."""
    return bool(_said("when").search(question))


@cache
def _said(name: str) -> re.Pattern[str]:
    """Return one expression for all languages; whether capitals count is up to its words."""
    words = [expression for file in lexicon("questions").values() for expression in file[name]]
    if name == "polite":
        return re.compile(f"{_OPENING}(?:{_either(words)})", re.IGNORECASE | re.MULTILINE)
    return re.compile(_either(words), re.NOFLAG if name == "first_person" else re.IGNORECASE)


def _either(expressions: Sequence[str]) -> str:
    return "|".join(f"(?:{one})" for one in expressions)
