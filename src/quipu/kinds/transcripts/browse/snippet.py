"""The one line of a text that shows what was found in it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from quipu.kernel.base.text import ELLIPSIS
from quipu.kinds.transcripts.browse.query import Term
from quipu.kinds.transcripts.browse.words import composed, folded

OPEN: Final = ">>>"
CLOSE: Final = "<<<"
_MOST_SPANS: Final = 500
_GAP = re.compile(r"\s+")


def snippet(text: str, terms: Iterable[Term], *, characters: int = 200) -> str:
    """Return one line of about so many characters around most of the terms, each marked.

    Without any of the terms, it is the beginning of the text. An ellipsis shows a cut.
    """
    shown = composed(text)
    spans = _spans(folded(shown), terms)
    if not spans:
        head = " ".join(shown[: characters * 4].split())
        return head if len(head) <= characters else head[: characters - 1].rstrip() + ELLIPSIS
    start, end = _stretch(shown, spans, characters)
    inside = [(a, b) for a, b in spans if a >= start and b <= end]
    parts, at = [ELLIPSIS if start else ""], start
    for a, b in inside:
        parts += [shown[at:a], OPEN, shown[a:b], CLOSE]
        at = b
    parts += [shown[at:end], ELLIPSIS if end < len(shown) else ""]
    return _GAP.sub(" ", "".join(parts)).strip()


def _spans(text: str, terms: Iterable[Term]) -> list[tuple[int, int]]:
    """Return the places of the terms, in order, without overlap."""
    found: list[tuple[int, int]] = []
    for term in terms:
        for count, match in enumerate(term.pattern.finditer(text)):
            if count == _MOST_SPANS:
                break
            found.append(match.span())
    apart: list[tuple[int, int]] = []
    for span in sorted(found, key=lambda span: (span[0], -span[1])):
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return apart


def _stretch(text: str, spans: Sequence[tuple[int, int]], characters: int) -> tuple[int, int]:
    """Return where the snippet begins and ends: at spaces if one is near, and never inside a span."""
    first, last = _densest(spans, characters)
    room = max(0, characters - (last - first)) // 2
    start, end = max(0, first - room), min(len(text), last + room)
    if start > 0 and (space := text.find(" ", start, min(start + 20, first))) >= 0:
        start = space + 1
    if end < len(text) and (space := text.rfind(" ", max(end - 20, last), end)) >= 0:
        end = space
    return start, end


def _densest(spans: Sequence[tuple[int, int]], characters: int) -> tuple[int, int]:
    """Return the stretch with the most spans that so many characters can show; the earliest such."""
    best, found, end = 0, spans[0], 0
    for start, (begin, _) in enumerate(spans):
        end = max(end, start)
        while end + 1 < len(spans) and spans[end + 1][1] - begin <= characters:
            end += 1
        if end - start + 1 > best:
            best, found = end - start + 1, (begin, spans[end][1])
    return found
