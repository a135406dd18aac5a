"""A derived memory and the message that it rests on are one answer: the better is shown, the other folded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from quipu.recall.repeats import Distinct

_FEW: Final = 3
"""What rests on more messages condenses them: it never stands for one of them."""

_BETTER: Final = 1.1
"""So many times the score of its message a derived memory needs to be shown in its place."""


def fold(hits: Sequence[Distinct], sources: Mapping[int, Sequence[int]]) -> list[Distinct]:
    """Return the entries, best first, each derived one and the best message that it rests on as one.

    ``sources`` are the messages of derived entries. An entry that rests on many messages folds into the best
    of them, whatever its score. One of whose messages none is there stands for itself, and tells the last
    three that it rests on. Other messages that an entry rests on stay where they are.
    """
    said = {id_: hit for hit in reversed(hits) if hit.found.id not in sources for id_ in hit.copies}
    derived: dict[int, list[Distinct]] = {}
    alone: list[Distinct] = []
    for hit in hits:
        rests_on = sources.get(hit.found.id)
        if rests_on is None:
            continue
        message = max((said[id_] for id_ in rests_on if id_ in said), key=_score, default=None)
        if message is None:
            alone.append(replace(hit, rests_on=tuple(rests_on[-_FEW:])))
        else:
            derived.setdefault(message.found.id, []).append(hit)
    others = (hit for hit in hits if hit.found.id not in sources)
    together = [_together(hit, derived.get(hit.found.id, []), sources) for hit in others]
    return sorted([*together, *alone], key=_score, reverse=True)


def _together(
    message: Distinct, derived: Sequence[Distinct], sources: Mapping[int, Sequence[int]]
) -> Distinct:
    """Return a message and what was derived from it as one entry."""
    if not derived:
        return message
    few = [one for one in derived if len(sources[one.found.id]) <= _FEW]
    best = max(few, key=_score, default=message)
    shown = best if _score(best) > _BETTER * _score(message) else message
    return replace(shown, folded=tuple(one.found for one in (message, *derived) if one is not shown))


def _score(hit: Distinct) -> float:
    return hit.found.score
