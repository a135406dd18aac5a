"""Closing of loops by a turn: it is about the same, and says that it came about or is off."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from quipu.kinds.episodes.extraction.loops.content import deeds, happened, kindred, terms
from quipu.kinds.episodes.extraction.loops.model import Outcome, Resolved, Standing
from quipu.kinds.episodes.extraction.loops.wording import wording
from quipu.kinds.episodes.extraction.turns import Sentence, Turn, sentences

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
    loops: Sequence[Standing], turns: Sequence[Turn], *, before: Sequence[Turn] = ()
) -> list[Resolved]:
    """Return the loops that the turns resolve, each once, by the first sentence that does.

    A loop is never resolved by the message that opened it or by an earlier one. ``before`` are the last words
    before, so that "yes, done" is understood.
    """
    left = list(loops)
    done: list[Resolved] = []
    previous: Turn | None = before[-1] if before else None
    for turn in turns:
        for loop, sentence, outcome in _of_turn(left, turn, previous):
            left.remove(loop)
            done.append(Resolved(id=loop.id, message=turn.message, evidence=sentence.text, outcome=outcome))
        previous = turn
    return done


def _of_turn(
    loops: Sequence[Standing], turn: Turn, previous: Turn | None
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
    loops: Sequence[Standing], said: Sequence[Sentence], turn: Turn, previous: Turn | None
) -> Iterator[tuple[Standing, Sentence]]:
    """Yield loops that somebody asked about just before, if the answer is a plain yes."""
    closing = wording().closing
    if previous is None or previous.voice == turn.voice or not said:
        return
    yes = said[0]
    whole = " ".join(turn.text.lower().split())
    if not closing.affirmed.search(whole) or closing.denied.search(whole) or closing.planned.search(whole):
        return
    for asked in sentences(previous.text):
        if not asked.asks:
            continue
        words, said_done = terms(asked.text), closing.done.search(asked.seen) is not None
        for loop in loops:
            about = _share(loop, words) >= NEAR
            over = len(loop.things) > 1 and (said_done or happened(asked.seen))
            did = asked.seen.startswith(_WHETHER) and bool(loop.verbs & deeds(asked.text))
            if about and (over or did):
                yield loop, yes


def _outcome(loop: Standing, sentence: Sentence, words: frozenset[int], turn: Turn) -> Outcome | None:
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


def _came_about(loop: Standing, sentence: Sentence, *, near: float, turn: Turn) -> bool:
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
