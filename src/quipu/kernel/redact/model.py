"""What redaction works with and what it gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

MARK: Final = "[redacted:"

SHORTEST_TOKEN: Final = 18
_DRAWN = re.compile(r"[0-9_]")


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text with ``[redacted:KIND]`` in place of every secret, and how many there were of each kind."""

    text: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Secret:
    """Where in the text a secret stands: from ``start`` up to, without, ``end``."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class Source:
    """The text that is searched, with its lower-case twin, in which the same letters have the same places."""

    text: str

    @cached_property
    def lower(self) -> str:
        """The text in lower case, of the same length."""
        # The capital dotted I is the one character that becomes longer in lower case.
        return self.text.replace("\u0130", "I").lower()

    @cached_property
    def runs(self) -> str:
        """The runs of at least 18 characters without white space, one a line; "" if none can hold a token.

        Tokens are drawn from large alphabets, so a text without a digit and an underscore has none. In prose
        this is mostly empty, which is what makes looking for a hundred kinds of token in it free.
        """
        if _DRAWN.search(self.text) is None:
            return ""
        return "\n".join([run for run in self.text.split() if len(run) >= SHORTEST_TOKEN])

    def hits(self, word: str) -> Iterator[int]:
        """Every position at which the lower-case word stands, in whatever case, without overlap."""
        position = self.lower.find(word)
        while position >= 0:
            yield position
            position = self.lower.find(word, position + len(word))
