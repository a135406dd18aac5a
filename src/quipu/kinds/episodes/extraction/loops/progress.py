"""One exchange after another: what it opens, says again and resolves. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from quipu.kinds.episodes.extraction.loops.lexicon import deeds, happened, kindred, terms, wording
from quipu.kinds.episodes.extraction.loops.model import (
    LoopKind,
    Mentioned,
    Opened,
    Outcome,
    Resolved,
    Standing,
)
from quipu.kinds.episodes.extraction.loops.openings import opened
from quipu.kinds.episodes.extraction.turns import Sentence, SpokenTurn, sentences

SAME: Final = 0.6
"""Which share of their terms two loops have in common that are one and the same."""

_FEWEST: Final = 2


NEAR: Final = 0.5
"""The share of what a loop is about that a sentence must name."""

FULLY: Final = 0.75
"""The share that is enough where whoever was to answer says something about it."""

_TELLING: Final = re.compile(
    r"\?|\b(?:let you know|get back to you|come back to you|tell you|report|keep you)\b"
)
_WHETHER: Final = ("did ", "have ", "has ", "is ", "are ")
_NEGATED: Final = re.compile(r"n't\b")


def resolved(
    loops: Sequence[Standing], turns: Sequence[SpokenTurn], *, before: Sequence[SpokenTurn] = ()
) -> list[Resolved]:
    """Return the loops that the turns resolve, each once, by the first sentence that does.

    A loop is never resolved by the message that opened it or by an earlier one. ``before`` are the last words
    before, so that "yes, done" is understood.
    """
    left = list(loops)
    done: list[Resolved] = []
    previous: SpokenTurn | None = before[-1] if before else None
    for turn in turns:
        for loop, sentence, outcome in _of_turn(left, turn, previous):
            left.remove(loop)
            done.append(Resolved(id=loop.id, message=turn.message, evidence=sentence.text, outcome=outcome))
        previous = turn
    return done


def _of_turn(
    loops: Sequence[Standing], turn: SpokenTurn, previous: SpokenTurn | None
) -> Iterator[tuple[Standing, Sentence, Outcome]]:
    earlier = [one for one in loops if one.message is None or one.message < turn.message]
    if not earlier:
        return
    said = sentences(turn.text)
    closed: set[int] = set()
    for loop, sentence in _affirmed(earlier, said, turn, previous):
        closed.add(id(loop))
        yield loop, sentence, "resolved"
    for sentence in said:
        if sentence.asks:
            continue
        words = terms(sentence.text)
        for loop in earlier:
            outcome = None if id(loop) in closed else _outcome(loop, sentence, words, turn)
            if outcome is not None:
                closed.add(id(loop))
                yield loop, sentence, outcome


def _affirmed(
    loops: Sequence[Standing], said: Sequence[Sentence], turn: SpokenTurn, previous: SpokenTurn | None
) -> Iterator[tuple[Standing, Sentence]]:
    """Yield loops that somebody asked about just before, if the answer is a plain yes."""
    closing = wording().closing
    if previous is None or previous.voice == turn.voice or not said:
        return
    yes = said[0]
    whole = " ".join(turn.text.lower().split())
    if not closing.affirmed.search(whole) or closing.denied.search(whole) or closing.planned.search(whole):
        return
    for question in sentences(previous.text):
        if not question.asks:
            continue
        words, said_done = terms(question.text), closing.done.search(question.seen) is not None
        for loop in loops:
            about = _share(loop, words) >= NEAR
            over = len(loop.things) > 1 and (said_done or happened(question.seen))
            did = question.seen.startswith(_WHETHER) and bool(loop.verbs & deeds(question.text))
            if about and (over or did):
                yield loop, yes


def _outcome(loop: Standing, sentence: Sentence, words: frozenset[int], turn: SpokenTurn) -> Outcome | None:
    closing = wording().closing
    near = _share(loop, words)
    if near < NEAR:
        return None
    seen = sentence.seen
    if closing.dropped.search(seen):
        return "dropped"
    if _denied(seen) or closing.planned.search(seen):
        return None
    return "resolved" if _came_about(loop, sentence, near=near, turn=turn) else None


def _denied(seen: str) -> bool:
    closing = wording().closing
    return (_NEGATED.search(seen) or closing.denied.search(seen)) is not None and (
        closing.denied_not.search(seen) is None
    )


def _came_about(loop: Standing, sentence: Sentence, *, near: float, turn: SpokenTurn) -> bool:
    closing, seen = wording().closing, sentence.seen
    over = closing.done.search(seen) is not None
    told = over or happened(seen) or closing.found.search(seen) is not None
    if loop.kind == "waiting":
        return closing.arrived.search(seen) is not None
    if loop.kind == "followup":
        return told
    if loop.kind == "question":
        return (told and bool(terms(sentence.text) - loop.things - loop.verbs)) or (
            near >= FULLY and turn.voice != loop.voice
        )
    if over or (happened(seen) and kindred(loop.verbs) & deeds(sentence.text)):
        return True
    return _TELLING.search(loop.text) is not None and (told or near >= FULLY)


def _share(loop: Standing, words: frozenset[int]) -> float:
    """Return the share of a loop's subject that is named; 0 if it has none that could be named."""
    return len(loop.things & words) / len(loop.things) if loop.things else 0.0


@dataclass(frozen=True, slots=True)
class Followed:
    """Changes by an exchange. ``opened`` has the ids of new loops, some of which are resolved at once."""

    opened: Sequence[tuple[UUID, Opened]]
    mentioned: Sequence[Mentioned]
    resolved: Sequence[Resolved]


@dataclass(frozen=True, slots=True)
class Exchange:
    """The turns of an exchange. Those up to message ``mark`` were dealt with before; it grew since."""

    turns: Sequence[SpokenTurn]
    mark: int = -1

    @property
    def new(self) -> Sequence[SpokenTurn]:
        """The turns that nobody looked at yet."""
        return [turn for turn in self.turns if turn.message > self.mark]


def follow(
    exchange: Exchange,
    *,
    before: Sequence[SpokenTurn],
    standing: Sequence[Standing],
    known: Collection[tuple[int, LoopKind]],
    new_id: Callable[[], UUID],
) -> Followed:
    """Return the loops that an exchange opens, repeats and resolves.

    ``before`` is the exchange before it in the session. ``standing`` are open loops of its person, or of its
    session. ``known`` has message and kind of every loop, closed ones too, that these messages ever opened:
    none is opened twice.
    """
    turns = exchange.turns
    if before and turns and _one_voice(before) and before[0].voice != turns[0].voice:
        turns, before = [*before, *turns], ()
    loops = opened(turns, before=before)
    answered = _answered(exchange, turns, loops, standing)
    left = [one for one in standing if one.id not in {done.id for done in answered}]
    fresh, mentioned = _told_apart(loops, left, known, new_id)
    here = [_standing(id_, one) for id_, one in fresh]
    last = [*before, *(turn for turn in turns if turn.message <= exchange.mark)]
    done = resolved([*left, *here], exchange.new, before=last)
    return Followed(fresh, mentioned, [*answered, *done])


def _one_voice(turns: Sequence[SpokenTurn]) -> bool:
    return len({turn.voice for turn in turns}) == 1


def _answered(
    exchange: Exchange, turns: Sequence[SpokenTurn], loops: Sequence[Opened], standing: Sequence[Standing]
) -> list[Resolved]:
    """Return questions of these turns that were open, and are answered now that others have spoken."""
    open_still = {one.message for one in loops if one.kind == "question"}
    by_message = {turn.message: turn for turn in turns}
    done: list[Resolved] = []
    for loop in standing:
        turn = by_message.get(loop.message) if loop.message is not None else None
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
    loops: Sequence[Opened],
    standing: Sequence[Standing],
    known: Collection[tuple[int, LoopKind]],
    new_id: Callable[[], UUID],
) -> tuple[list[tuple[UUID, Opened]], list[Mentioned]]:
    """Separate new loops from open ones that are said again."""
    fresh: list[tuple[UUID, Opened]] = []
    mentioned: list[Mentioned] = []
    for one in loops:
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
