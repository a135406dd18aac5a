"""Candidates for lessons: the sentences of the user in a session, judged by their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from quipu.kernel.prose.splitting import LONGEST, Sentence, sentences
from quipu.kinds.transcripts.extract.model import Category, Turn
from quipu.kinds.transcripts.extract.rules import Verdict, judge

_OPENER_WORDS: Final = 5
_FEWEST_WORDS: Final = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of a turn, or two that belong together, and what its words say.

    ``seen`` is the text with what must not be judged hidden.
    """

    turn: Turn
    text: str
    seen: str
    verdict: Verdict


def candidates(turns: Sequence[Turn]) -> Iterator[Candidate]:
    """Yield what the user said, in order of the session, including what words do not decide."""
    for turn in turns:
        if turn.role == "user":
            yield from _of_turn(turn)


def _of_turn(turn: Turn) -> Iterator[Candidate]:
    found = sentences(turn.text)
    at = 0
    while at < len(found):
        one, verdict = found[at], judge(found[at].seen)
        at += 1
        following = found[at] if at < len(found) else None
        if verdict.category == "corrections" and following and _opens(turn.text, one, following):
            one, at = _joined(turn.text, one, following), at + 1
        if verdict.category is None or _says(verdict.category, one):
            yield Candidate(turn, one.text, one.seen, verdict)


def _says(category: Category, one: Sentence) -> bool:
    """Return True if there is something to keep: "Wrong." says nothing."""
    return category != "corrections" or len(one.text.split()) >= _FEWEST_WORDS


def _opens(text: str, one: Sentence, following: Sentence) -> bool:
    """Return True if the next sentence of the line explains a short correction."""
    near = "\n" not in text[one.end : following.start] and following.end - one.start <= LONGEST
    statement = not following.text.endswith("?") and judge(following.seen).category in {
        None, "knowledge", "context", "corrections",
    }  # fmt: skip
    return near and statement and len(re.findall(r"\w+", one.text)) <= _OPENER_WORDS


def _joined(text: str, one: Sentence, two: Sentence) -> Sentence:
    return Sentence(one.start, two.end, text[one.start : two.end], f"{one.seen} {two.seen}")
