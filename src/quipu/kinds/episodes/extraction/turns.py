"""Turns of a conversation, and the sentences in them that can be judged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final

from quipu.kernel.prose.sentences import sentences as split

_MOST_CHARACTERS: Final = 8_000
_MOST_SENTENCES: Final = 60
_LEADING: Final = re.compile(
    r"(?:(?:ok(?:ay)?|so|and|but|sure(?: thing)?|yes|yeah|yep|well|oh|ah|hm+|great|good|nice|cool|thanks"
    r"|thank you|perfect|right|alright|all right|no worries|also|btw|by the way|of course|deal|happy to|fyi"
    r"|hi|hey|hello|then|anyway)"
    r"\b[,.!:;]{0,3} {0,3}){1,4}"
)


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """One message. ``voice`` is whose it is: a speaker's name, or the role where nobody is named."""

    message: int
    voice: str
    by_agent: bool
    text: str
    at: datetime


@dataclass(frozen=True)
class Sentence:
    """``text`` as it was said; ``seen`` in lower case, code and quotations as ``x``, fillers left away."""

    text: str
    seen: str

    @cached_property
    def asks(self) -> bool:
        """True if it is a question."""
        return self.seen.rstrip(" )]'\"").endswith("?")


def sentences(text: str) -> list[Sentence]:
    """Return the first sixty sentences of the prose in a message's first 8,000 characters. Linear."""
    prose = text[:_MOST_CHARACTERS].replace("’", "'")
    return [_sentence(one.text, one.seen) for one in split(prose)[:_MOST_SENTENCES]]


def _sentence(text: str, seen: str) -> Sentence:
    lower = " ".join(seen.lower().split())
    return Sentence(
        " ".join(text.split()), _LEADING.sub("", lower, count=1) if _LEADING.match(lower) else lower
    )
