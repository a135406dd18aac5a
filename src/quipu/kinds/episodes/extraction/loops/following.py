"""One exchange after another: what it opens, what it says again, what it resolves. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from quipu.kinds.episodes.extraction.loops.closing import resolved
from quipu.kinds.episodes.extraction.loops.model import LoopKind, Mentioned, Opened, Resolved, Standing
from quipu.kinds.episodes.extraction.loops.opening import opened
from quipu.kinds.episodes.extraction.turns import Turn, sentences

SAME: Final = 0.6
"""Which share of their terms two loops have in common that are one and the same."""

_FEWEST: Final = 2


@dataclass(frozen=True, slots=True)
class Followed:
    """Changes by an exchange. ``opened`` has the ids of new loops, some of which are resolved at once."""

    opened: Sequence[tuple[UUID, Opened]]
    mentioned: Sequence[Mentioned]
    resolved: Sequence[Resolved]


@dataclass(frozen=True, slots=True)
class Exchange:
    """The turns of an exchange. Those up to message ``mark`` were dealt with before; it grew since."""

    turns: Sequence[Turn]
    mark: int = -1

    @property
    def new(self) -> Sequence[Turn]:
        """The turns that nobody looked at yet."""
        return [turn for turn in self.turns if turn.message > self.mark]


def follow(
    exchange: Exchange,
    *,
    before: Sequence[Turn],
    standing: Sequence[Standing],
    known: Collection[tuple[int, LoopKind]],
    new_id: Callable[[], UUID],
) -> Followed:
    """Return what an exchange opens, repeats and resolves.

    ``before`` is the exchange before it in the session. ``standing`` are open loops of its person, or of its
    session. ``known`` has message and kind of every loop, closed ones too, that these messages ever opened:
    none is opened twice.
    """
    turns = exchange.turns
    if before and turns and _one_voice(before) and before[0].voice != turns[0].voice:
        turns, before = [*before, *turns], ()
    found = opened(turns, before=before)
    answered = _answered(exchange, turns, found, standing)
    left = [one for one in standing if one.id not in {done.id for done in answered}]
    fresh, mentioned = _told_apart(found, left, known, new_id)
    here = [_standing(id_, one) for id_, one in fresh]
    last = [*before, *(turn for turn in turns if turn.message <= exchange.mark)]
    done = resolved([*left, *here], exchange.new, before=last)
    return Followed(fresh, mentioned, [*answered, *done])


def _one_voice(turns: Sequence[Turn]) -> bool:
    return len({turn.voice for turn in turns}) == 1


def _answered(
    exchange: Exchange, turns: Sequence[Turn], found: Sequence[Opened], standing: Sequence[Standing]
) -> list[Resolved]:
    """Return questions of these turns that were open, and are answered now that others have spoken."""
    open_still = {one.message for one in found if one.kind == "question"}
    asked = {turn.message: turn for turn in turns}
    done: list[Resolved] = []
    for loop in standing:
        turn = asked.get(loop.message) if loop.message is not None else None
        if loop.kind != "question" or turn is None or turn.message in open_still or "?" not in loop.text:
            continue
        reply = next((one for one in exchange.new if one.voice != turn.voice), None)
        said = sentences(reply.text) if reply is not None and reply.message > turn.message else []
        if reply is not None and said:
            done.append(
                Resolved(id=loop.id, message=reply.message, evidence=said[0].text, outcome="resolved")
            )
    return done


def _told_apart(
    found: Sequence[Opened],
    standing: Sequence[Standing],
    known: Collection[tuple[int, LoopKind]],
    new_id: Callable[[], UUID],
) -> tuple[list[tuple[UUID, Opened]], list[Mentioned]]:
    """Separate new loops from open ones that are said again."""
    fresh: list[tuple[UUID, Opened]] = []
    mentioned: list[Mentioned] = []
    for one in found:
        if (one.message, one.kind) in known:
            continue
        same = next((loop for loop in standing if _same(loop, one)), None)
        if same is not None:
            mentioned.append(Mentioned(id=same.id, message=one.message, due=one.due))
        elif not any(_same(_standing(id_, other), one) for id_, other in fresh):
            fresh.append((new_id(), one))
    return fresh, mentioned


def _same(loop: Standing, one: Opened) -> bool:
    """Return True if two loops are about the same thing, said by the same voice in the same manner."""
    if loop.kind != one.kind or loop.voice != one.voice or loop.message == one.message:
        return False
    ours, theirs = loop.things | loop.verbs, one.things | one.verbs
    common = ours & theirs
    return len(common) >= _FEWEST and len(common) / len(ours | theirs) >= SAME


def _standing(id_: UUID, one: Opened) -> Standing:
    return Standing(
        id=id_,
        kind=one.kind,
        message=one.message,
        voice=one.voice,
        text=one.text,
        things=one.things,
        verbs=one.verbs,
    )
