"""The sentences of a message's prose; code, quotations and addresses in them stay whole and unread."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from quipu.kernel.prose.blocks import prose

LONGEST: Final = 400
"""Characters. A longer sentence is not judged: it is a list, a dump or a document."""

_UNREAD = re.compile(
    r"""`[^`\n]{1,300}` | "[^"\n]{2,400}" | “[^”\n]{2,400}” | «[^»\n]{2,400}» | https?://[^\s<>)\]]{1,400}
      | <!--.{0,400}?--> """,
    re.VERBOSE,
)
_END = re.compile(r"[.!?]+[)\]'\"]*(?=\s|$)")
_SHORT = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|approx|incl|resp|no|nr|cf|al|v|st|dr|mr|mrs|ms)$", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """``text`` is ``message[start:end]``; ``seen`` the same with what must not be judged as ``x``."""

    start: int
    end: int
    text: str
    seen: str


def sentences(message: str) -> list[Sentence]:
    """Return the sentences of the prose in a message, in order. Linear in its length."""
    seen = _UNREAD.sub(_hidden, message)
    return [_sentence(message, seen, start, end) for start, end in _ranges(seen, prose(message))]


def _hidden(match: re.Match[str]) -> str:
    return "x" * len(match[0])


def _sentence(message: str, seen: str, start: int, end: int) -> Sentence:
    return Sentence(start, end, message[start:end], seen[start:end])


def _ranges(seen: str, paragraphs: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for begin, stop in paragraphs:
        start = begin
        for mark in _END.finditer(seen, begin, stop):
            if _abbreviates(seen, mark):
                continue
            yield from _trimmed(seen, start, mark.end())
            start = mark.end()
        yield from _trimmed(seen, start, stop)


def _abbreviates(seen: str, mark: re.Match[str]) -> bool:
    return mark[0] == "." and _SHORT.search(seen, max(0, mark.start() - 8), mark.start()) is not None


def _trimmed(seen: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the range without white space at its ends, if it has a word and is not too long."""
    part = seen[start:end]
    start, end = start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())
    if 0 < end - start <= LONGEST and _WORD.search(seen, start, end):
        yield start, end
