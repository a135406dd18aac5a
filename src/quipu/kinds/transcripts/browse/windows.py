"""Matches with the messages around them; windows that overlap become one. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from quipu.kinds.transcripts.browse.model import TranscriptHit, TranscriptMatch, TranscriptTurn


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
    found = {window.hit.uuid for window in group}
    turns = {turn.uuid: replace(turn, match=turn.uuid in found) for window in group for turn in window.turns}
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
