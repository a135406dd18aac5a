"""The sentences of a message that can stand for it. Pure."""

from __future__ import annotations

import re
from typing import Final

from quipu.kernel.base.text import excerpt
from quipu.kernel.prose import splitting

LONGEST: Final = 280
_FEWEST_WORDS: Final = 4

_END = re.compile(r"(?<=[。！？])")
_WORD = re.compile(r"\w+")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, without code, each on one line; greetings and crumbs are left out.

    A sentence longer than 280 characters is cut between words.
    """
    found = [piece.strip() for one in splitting.sentences(text) for piece in _END.split(one.text)]
    return [excerpt(one, LONGEST) for one in found if _tells(one)]


def asks(sentence: str) -> bool:
    """Return True if it is a question."""
    return sentence.rstrip("\"'”’) ").endswith(("?", "？"))


def _tells(sentence: str) -> bool:
    if any(character >= "\u3040" for character in sentence):  # scripts without spaces between words
        return len(sentence) >= _FEWEST_WORDS
    return len(_WORD.findall(sentence)) >= _FEWEST_WORDS
