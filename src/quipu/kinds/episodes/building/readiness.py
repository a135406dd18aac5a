"""Waiting exchanges put in groups: which are an episode by now, and when to look again. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from quipu.kinds.episodes.building.emotion import NAMES
from quipu.kinds.episodes.building.signs import TimedTurn, signs
from quipu.kinds.episodes.building.store import Exchange, Spoken

SURE: Final = 2.0
"""A sign as strong as that ends an episode (``signs``)."""

LEAST_TURNS: Final = 6
"""Three exchanges, as in the origin: fewer are an episode only when nothing follows them."""

LONG_TURNS, MOST_TURNS = 32, 64
"""From so many turns on weaker signs suffice; of so many the strongest sign ends it, however weak."""

IDLE: Final = timedelta(minutes=30)
"""Quiet for so long, what waits is complete if it is no less than the least."""

RESTED: Final = timedelta(hours=4)
"""Quiet for so long, anything is complete: what follows is another thread."""

RICH: Final = 0.25
"""What is rich in things worth keeping is ended by signs that are weaker by so much."""


FELT: Final = 2.0
"""Of 10: a feeling that counts, as in the origin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An exchange that belongs to no episode yet.

    ``turns``: how many messages it has. ``sign``: how strongly it speaks for a beginning. ``density``: how
    much worth keeping it has, 0 to 1. ``thread``: what it belongs to; another one ends an episode.
    """

    turns: int
    sign: float
    started_at: datetime
    ended_at: datetime
    density: float = 0.0
    thread: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Exchanges that are an episode, by place; the rest waits until ``again``, or until more is said."""

    episodes: tuple[range, ...]
    again: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quiet:
    """Silence after which waiting exchanges are complete: for a full episode, and for any length."""

    idle: timedelta = IDLE
    rested: timedelta = RESTED

    def after(self, turns: int) -> timedelta:
        """Return the silence needed after so many turns."""
        return self.idle if turns >= LEAST_TURNS else self.rested


USUAL: Final = Quiet()


def group(
    exchanges: Sequence[Exchange],
    spoken: Sequence[Spoken],
    *,
    now: datetime,
    finished: bool,
    quiet: Quiet = USUAL,
) -> Plan:
    """Plan which exchanges are episodes by now; ``spoken`` are their messages, both in order."""
    heard = [one for one in spoken if one.said.role != "tool"]
    signed = signs([TimedTurn(one.said.text, one.said.at, one.vector) for one in heard])
    places = [one.said.id for one in heard]
    waiting: list[Waiting] = []
    for exchange in exchanges:
        first, end = bisect_left(places, exchange.first), bisect_right(places, exchange.last)
        waiting.append(
            Waiting(
                turns=max(1, end - first),
                sign=signed[first] if first < end else 0.0,
                started_at=exchange.started_at,
                ended_at=exchange.ended_at,
                density=_density(exchange.chunk or {}),
                thread=exchange.thread,
            )
        )
    return plan(waiting, now=now, finished=finished, quiet=quiet)


def messages_of(spoken: Sequence[Spoken], exchanges: Sequence[Exchange]) -> list[Spoken]:
    """Return the messages of consecutive exchanges."""
    first, last = exchanges[0].first, exchanges[-1].last
    return [one for one in spoken if first <= one.said.id <= last]


def plan(waiting: Sequence[Waiting], *, now: datetime, finished: bool = False, quiet: Quiet = USUAL) -> Plan:
    """Group exchanges, in their order, into episodes; what may still go on is left.

    With ``finished`` nothing more is said, so that nothing is left. What was said in the future, by more than
    the pause, was dated by a wrong clock: it is complete, for waiting until then would take too long.
    """
    ranges: list[range] = []
    start = 0
    while start < len(waiting) and (end := _end(waiting, start, quiet)) is not None:
        ranges.append(range(start, end))
        start = end
    if start < len(waiting):
        pause = quiet.after(sum(one.turns for one in waiting[start:]))
        complete = waiting[-1].ended_at + pause
        if not finished and now < complete <= now + 2 * pause:
            return Plan(tuple(ranges), complete)
        ranges.append(range(start, len(waiting)))
    return Plan(tuple(ranges), None)


def density(*, gists: int, facts: int, traits: int, feelings: int) -> float:
    """Return the worth of a group of exchanges, 0 to 1: the origin's sum of what was found in it.

    0.4 min(1, gists/8) + 0.3 min(1, facts/6) + 0.15 min(1, traits/3) + 0.15 min(1, feelings/3), where
    feelings are those above 2 of 10.
    """
    return (
        0.4 * min(1, gists / 8)
        + 0.3 * min(1, facts / 6)
        + 0.15 * min(1, traits / 3)
        + 0.15 * min(1, feelings / 3)
    )


def needed(turns: int, density: float) -> float:
    """Return the strength of a sign that ends an episode of so many turns; 0 from the maximum on."""
    eased = max(0.0, 1 - max(0, turns - LONG_TURNS) / (MOST_TURNS - LONG_TURNS))
    return SURE * eased * (1 - RICH * min(1.0, density))


def _end(waiting: Sequence[Waiting], start: int, quiet: Quiet) -> int | None:
    """Return the end of the episode that begins at ``start``; None if it may go on."""
    turns, dense = waiting[start].turns, waiting[start].density
    for place in range(start + 1, len(waiting)):
        one = waiting[place]
        last = waiting[place - 1]
        if one.thread != last.thread or one.started_at - last.ended_at >= quiet.after(turns):
            return place
        if turns >= MOST_TURNS:
            return _strongest(waiting, start, place)
        if turns >= LEAST_TURNS and one.sign >= needed(turns, dense) and _stands_out(waiting, place):
            return place
        turns, dense = turns + one.turns, dense + one.density
    return None


def _stands_out(waiting: Sequence[Waiting], place: int) -> bool:
    """Return True if no stronger sign follows within the minimum length of an episode."""
    turns = 0
    for one in waiting[place:]:
        if turns >= LEAST_TURNS:
            break
        if one.sign > waiting[place].sign:
            return False
        turns += one.turns
    return True


def _strongest(waiting: Sequence[Waiting], start: int, end: int) -> int:
    """Return the strongest sign in the later half of what became too long; the first in a tie."""
    middle = start + max(1, (end - start) // 2)
    return max(range(middle, end + 1), key=lambda place: (waiting[place].sign, -place))


def _density(chunk: Mapping[str, Any]) -> float:
    feelings = chunk.get("emotion", {})
    return density(
        gists=len(chunk.get("gists", ())),
        facts=len(chunk.get("facts", ())),
        traits=len(chunk.get("user_traits", ())),
        feelings=sum(feelings.get(name, 0) > FELT for name in NAMES),
    )
