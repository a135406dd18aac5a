"""What redaction works with and what it gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

MARK: Final = "[redacted:"


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

    def hits(self, word: str) -> Iterator[int]:
        """Every position at which the lower-case word stands, in whatever case, without overlap."""
        position = self.lower.find(word)
        while position >= 0:
            yield position
            position = self.lower.find(word, position + len(word))
