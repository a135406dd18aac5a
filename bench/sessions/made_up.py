"""Texts as they stand in recorded sessions: prose, paths, logs, listings, with words as rare as real ones
are.

Words follow Zipf's law over a vocabulary of made-up words; tool output also has numbers, hashes and paths
that occur once. The same for a seed.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from random import Random

_SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "qui",
    "ro",
    "su",
    "ta",
    "ve",
    "wi",
    "xo",
    "zu",
    "bra",
    "cle",
    "dri",
    "flo",
    "gru",
]
_TOOLS = (("Bash", 40), ("Read", 30), ("Edit", 15), ("Grep", 10), ("Write", 5))


@dataclass(frozen=True, slots=True)
class Step:
    """A message, and the tool call with its output that came with it, if any."""

    number: int
    role: str
    text: str
    thinking: str | None
    tool: str | None
    given: str
    answer: str


class Words:
    """A vocabulary of which some words are common and most are rare."""

    def __init__(self, rng: Random, *, size: int = 60_000) -> None:
        self._rng = rng
        self.known = [self._word(number) for number in range(size)]
        self._sums = [*accumulate(1 / (rank + 3) for rank in range(size))]

    def _word(self, number: int) -> str:
        parts, left = [], number + 25
        while left:
            left, at = divmod(left, len(_SYLLABLES))
            parts.append(_SYLLABLES[at])
        return "".join(parts)

    def prose(self, count: int) -> str:
        """So many words."""
        return " ".join(self.words(count))

    def words(self, count: int) -> list[str]:
        """So many words, as likely as they are common."""
        top = self._sums[-1]
        return [self.known[bisect(self._sums, self._rng.random() * top)] for _ in range(count)]

    def path(self) -> str:
        """A path of a program."""
        return "src/" + "/".join(self.words(2)) + ".py"

    def log(self, lines: int) -> str:
        """Output of a program: times, paths, hashes, numbers and words."""
        rng = self._rng
        return "\n".join(
            f"2026-03-{rng.randrange(1, 29):02}T10:{rng.randrange(60):02}:{rng.randrange(60):02} "
            f"{rng.getrandbits(40):010x} {self.path()}:{rng.randrange(900)} {self.prose(8)}"
            for _ in range(lines)
        )


def steps(count: int, *, seed: int = 7) -> Iterator[Step]:
    """So many messages; half of them come with a tool call, one in thirty of these with a long output."""
    rng = Random(seed)
    words = Words(rng)
    tools = [tool for tool, share in _TOOLS for _ in range(share)]
    for number in range(count):
        asks = number % 10 == 0
        text = words.prose(rng.randrange(8, 40 if asks else 90))
        thinking = words.prose(60) if number % 5 == 0 else None
        if number % 2:
            yield Step(number, "user" if asks else "assistant", text, thinking, None, "", "")
            continue
        tool = rng.choice(tools)
        given = f"pytest -x {words.path()} -k {words.words(1)[0]}" if tool == "Bash" else words.path()
        answer = words.log(rng.randrange(100, 300) if rng.random() < 1 / 30 else rng.randrange(1, 20))
        yield Step(number, "user" if asks else "assistant", text, thinking, tool, given, answer)
