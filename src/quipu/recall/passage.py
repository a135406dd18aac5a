"""The part of a long message that answers: shown in its place, never ranked by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from quipu.recall.terms import bag

LONG_CHARACTERS = 2_000
_PASSAGE_CHARACTERS = 1_000
_READ_CHARACTERS = 400_000
_BREAK = re.compile(r"\n\s*\n|(?<=[.!?。！？])\s+|\n")


def best_passage(text: str, terms: Mapping[str, tuple[int, ...]]) -> tuple[int, int] | None:
    """Return the place of the passage with most of the terms: (start, end); None if ``text`` is short.

    Passages end at paragraphs or sentences and have about 1,000 characters; the first wins a tie.
    """
    if len(text) <= LONG_CHARACTERS:
        return None
    wanted = [set(hashes) for hashes in terms.values()]
    best, most = (0, 0), -1
    for start, end in passages(text[:_READ_CHARACTERS]):
        held = set(bag(text[start:end]).hashes.tolist()) if wanted else set[int]()
        score = sum(not hashes.isdisjoint(held) for hashes in wanted)
        if score > most:
            best, most = (start, end), score
    return best


def passages(text: str) -> Iterator[tuple[int, int]]:
    """Cut a text into passages: (start, end), without gaps, none longer than twice the usual length."""
    start, end = 0, 0
    for piece in _pieces(text):
        if end > start and piece - start > _PASSAGE_CHARACTERS:
            yield start, end
            start = end
        end = piece
    if end > start:
        yield start, end


def _pieces(text: str) -> Iterator[int]:
    """Yield the ends of the smallest pieces that may be told apart."""
    at = 0
    for place in [*(m.end() for m in _BREAK.finditer(text)), len(text)]:
        while place - at > _PASSAGE_CHARACTERS:
            at += _PASSAGE_CHARACTERS
            yield at
        if place > at:
            at = place
            yield at
