"""Matches with the conversation around them, for another agent to read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from quipu.kernel.base.text import ELLIPSIS
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.browse.model import (
    TranscriptHit,
    TranscriptHits,
    TranscriptMatch,
    TranscriptMatches,
    TranscriptTurn,
)
from quipu.kinds.transcripts.browse.query import Term
from quipu.kinds.transcripts.browse.store import SQL
from quipu.kinds.transcripts.browse.words import composed, folded

OVERFETCH: Final = 4
"""So many more hits are asked for than matches are wanted, since windows merge."""

OPEN: Final = ">>>"
CLOSE: Final = "<<<"
_MOST_SPANS: Final = 500
_GAP = re.compile(r"\s+")


async def recalled(
    database: Database, space: str, hits: TranscriptHits, *, turns: int, characters: int, limit: int
) -> TranscriptMatches:
    """Return the matches of a search with ``turns`` messages on each side, each cut to so many characters."""
    windows: list[Window] = []
    async with database.transaction(space) as tx:
        if tx is not None:
            for hit in _once(hits.hits):
                windows.append(Window(hit, await _around(tx, hit, turns=turns, characters=characters)))
    matches = merged([one for one in windows if one.turns], most=limit)
    return TranscriptMatches(hits.query, hits.total, tuple(matches))


def _once(hits: Sequence[TranscriptHit]) -> list[TranscriptHit]:
    """Return the best hit of each line: its words and its thoughts may both have been found."""
    best: dict[tuple[str, str], TranscriptHit] = {}
    for hit in hits:
        best.setdefault((hit.session, hit.uuid), hit)
    return list(best.values())


async def _around(
    tx: SpaceTransaction, hit: TranscriptHit, *, turns: int, characters: int
) -> tuple[TranscriptTurn, ...]:
    rows = await tx.rows(SQL["window"], session=hit.session, uuid=hit.uuid, turns=turns)
    return tuple(
        TranscriptTurn(uuid, role, _text(content, thinking, tools, characters), at)
        for uuid, role, at, content, thinking, tools in rows
    )


def _text(content: str | None, thinking: str | None, tools: Sequence[str] | None, characters: int) -> str:
    used = f"[used tools: {', '.join(dict.fromkeys(tools))}]" if tools else None
    text = content or used or thinking or ""
    return text if len(text) <= characters else text[: characters - 1] + ELLIPSIS


@dataclass(frozen=True, slots=True)
class Window:
    """A match and the turns around it, itself among them, in their order."""

    hit: TranscriptHit
    turns: tuple[TranscriptTurn, ...]


def merged(windows: Iterable[Window], *, most: int) -> list[TranscriptMatch]:
    """Return at most so many matches, in the order of their best; windows that share a turn are one.

    In a merged match the best is the match; the others stand before or after it and are marked.
    """
    groups: list[list[Window]] = []
    for window in windows:
        joined = [group for group in groups if any(_overlap(window, other) for other in group)]
        if joined:
            first, *rest = joined
            first.append(window)
            for group in rest:
                first.extend(group)
                groups.remove(group)
        else:
            groups.append([window])
    return [_match(group) for group in groups[:most]]


def _overlap(one: Window, other: Window) -> bool:
    if one.hit.session != other.hit.session:
        return False
    return not {turn.uuid for turn in one.turns}.isdisjoint(turn.uuid for turn in other.turns)


def _match(group: Sequence[Window]) -> TranscriptMatch:
    best = max(group, key=lambda window: window.hit.score)
    matched = {window.hit.uuid for window in group}
    turns = {
        turn.uuid: replace(turn, match=turn.uuid in matched) for window in group for turn in window.turns
    }
    place = {uuid: number for number, uuid in enumerate(_in_order(group))}
    ordered = sorted(turns.values(), key=lambda turn: (turn.timestamp, place[turn.uuid]))
    middle = next(number for number, turn in enumerate(ordered) if turn.uuid == best.hit.uuid)
    return TranscriptMatch(
        session_id=best.hit.session,
        project_path=best.hit.project_path,
        date=best.hit.timestamp,
        relevance=best.hit.score,
        match=ordered[middle],
        before=tuple(ordered[:middle]),
        after=tuple(ordered[middle + 1 :]),
    )


def _in_order(group: Sequence[Window]) -> list[str]:
    """Return the turns of all windows once each, those of a window in its order."""
    by_time = sorted(group, key=lambda window: window.turns[0].timestamp)
    return list(dict.fromkeys(turn.uuid for window in by_time for turn in window.turns))


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
    spans: list[tuple[int, int]] = []
    for term in terms:
        for count, match in enumerate(term.pattern.finditer(text)):
            if count == _MOST_SPANS:
                break
            spans.append(match.span())
    apart: list[tuple[int, int]] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return apart


def _stretch(text: str, spans: Sequence[tuple[int, int]], characters: int) -> tuple[int, int]:
    """Return the begin and end of the snippet: at spaces if one is near, and never inside a span."""
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
    best, span, end = 0, spans[0], 0
    for start, (begin, _) in enumerate(spans):
        end = max(end, start)
        while end + 1 < len(spans) and spans[end + 1][1] - begin <= characters:
            end += 1
        if end - start + 1 > best:
            best, span = end - start + 1, (begin, spans[end][1])
    return span
