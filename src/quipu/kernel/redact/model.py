"""Values that redaction takes and returns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

MARK: Final = "[redacted:"

SHORTEST_TOKEN: Final = 18
_DRAWN = re.compile(r"[0-9_]|A[KS]IA|otpauth")
HEAD_CHARACTERS: Final = 3

# Of each word its first characters, and what follows it where it is shorter; the rest is passed over.
_HEADS = re.compile(r"(?=(.{3}))(?:[A-Za-z0-9+_]++|[^A-Za-z0-9+_\s])\s*+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text with ``[redacted:KIND]`` in place of every secret, and how many there were of each kind."""

    text: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Secret:
    """Place of a secret in the text: from ``start`` up to, without, ``end``."""

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
    def has_drawn(self) -> bool:
        """True if it has a digit, an underscore or one of two words: no other text has a token."""
        return _DRAWN.search(self.text) is not None

    @cached_property
    def runs(self) -> str:
        """The runs of at least 18 characters without white space, one a line; "" if none can hold a token.

        Tokens are drawn from large alphabets, so a text without a digit and an underscore has none. In prose
        this is mostly empty, which is what makes looking for a hundred kinds of token in it free.
        """
        if not self.has_drawn:
            return ""
        return "\n".join([run for run in self.text.split() if len(run) >= SHORTEST_TOKEN])

    @cached_property
    def heads(self) -> frozenset[str]:
        """The three characters with which each word begins, and each sign that is no part of a word."""
        return frozenset(_HEADS.findall(self.text))

    def hits(self, word: str) -> Iterator[int]:
        """Yield every position of the lower-case word, in any case of letters, without overlap."""
        position = self.lower.find(word)
        while position >= 0:
            yield position
            position = self.lower.find(word, position + len(word))
