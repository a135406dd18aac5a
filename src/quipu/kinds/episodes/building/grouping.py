"""Exchanges that wait, put in groups that are episodes. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from quipu.kinds.episodes.building import readiness
from quipu.kinds.episodes.building.feeling import NAMES
from quipu.kinds.episodes.building.readiness import USUAL, Plan, Quiet, Waiting
from quipu.kinds.episodes.building.signs import Turn, signs
from quipu.kinds.episodes.building.store import Exchange, Spoken

FELT: Final = 2.0
"""Of 10: a feeling that counts, as in the origin."""


def plan(
    exchanges: Sequence[Exchange],
    spoken: Sequence[Spoken],
    *,
    now: datetime,
    finished: bool,
    quiet: Quiet = USUAL,
) -> Plan:
    """Plan which exchanges are episodes by now; ``spoken`` are their messages, both in order."""
    heard = [one for one in spoken if one.said.role != "tool"]
    signed = signs([Turn(one.said.text, one.said.at, one.vector) for one in heard])
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
    return readiness.plan(waiting, now=now, finished=finished, quiet=quiet)


def of(spoken: Sequence[Spoken], exchanges: Sequence[Exchange]) -> list[Spoken]:
    """Return the messages of consecutive exchanges."""
    first, last = exchanges[0].first, exchanges[-1].last
    return [one for one in spoken if first <= one.said.id <= last]


def _density(chunk: Mapping[str, Any]) -> float:
    feelings = chunk.get("emotion", {})
    return readiness.density(
        gists=len(chunk.get("gists", ())),
        facts=len(chunk.get("facts", ())),
        traits=len(chunk.get("user_traits", ())),
        feelings=sum(feelings.get(name, 0) > FELT for name in NAMES),
    )
