"""Sentences of an exchange that are worth keeping, made to stand alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from quipu.kernel.prose.sentences import Sentence, sentences
from quipu.kinds.episodes.chunking.model import Talk
from quipu.kinds.episodes.chunking.restatement import ask, families, read, retell
from quipu.kinds.episodes.shapes import Gist, GistType

MOST: Final = 8
MOST_OF_A_TYPE: Final = 3
SAME: Final = 0.7
"""Two gists of one type are the same where so much of their words is (Jaccard), as in the origin."""

_FROM_REPLIES: Final[frozenset[GistType]] = frozenset(("commitment",))
_ASKED_CONFIDENCE: Final = 5.0
_HEDGED = re.compile(r"\b(?:i think|i guess|probably|maybe|perhaps|sort of|kind of|i suppose|might)\b")
_WORD = re.compile(r"\w+")
_JOINT = re.compile(r"[,;]?\s+(?:but|and|so)?\s*$")
_CLAUSE = re.compile(r"[,;]? (?:but|and|so) (?=(?:i|we|my|please|he|she)\b)|; (?=\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence, who said it, and what type of gist it is; None where it is none."""

    text: str
    seen: str
    who: str
    other: str
    began: bool
    type: GistType | None
    confidence: float


def judge(talk: Talk) -> list[Judged]:
    """Return every sentence of an exchange with its type, in order."""
    return list(_judged(talk))


def gists(judged: Sequence[Judged]) -> tuple[Gist, ...]:
    """Return the gists of an exchange: at most 8, at most 3 of a type, none twice; the surest, in order.

    If somebody only asks, their question is the one gist.
    """
    placed = [
        (
            place,
            Gist(
                type=one.type,
                content=retell(one.text, who=one.who, other=one.other),
                confidence=one.confidence,
            ),
        )
        for place, one in enumerate(judged)
        if one.type is not None and _WORD.search(one.text)
    ]
    kept: list[tuple[int, Gist]] = []
    for place, gist in sorted(placed, key=lambda pair: (-pair[1].confidence, pair[0])):
        same_type = [other for _, other in kept if other.type == gist.type]
        if (
            len(same_type) < MOST_OF_A_TYPE
            and len(kept) < MOST
            and not any(alike(gist.content, one.content) for one in same_type)
        ):
            kept.append((place, gist))
    if not kept:
        return _question(judged)
    return tuple(gist for _, gist in sorted(kept, key=lambda pair: pair[0]))


def alike(one: str, other: str) -> bool:
    """Return True if two gists say the same."""
    left, right = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
    return bool(left | right) and len(left & right) / len(left | right) >= SAME


def _judged(talk: Talk) -> Iterator[Judged]:
    for turn in talk.turns:
        who, other = _names(talk, began=turn.began)
        who = turn.speaker or who
        for sentence in sentences(turn.text):
            for text, seen, kind, confidence in _clauses(sentence):
                heard = turn.began or turn.speaker or kind in _FROM_REPLIES
                yield Judged(text, seen, who, other, turn.began, kind if heard else None, confidence)


def _clauses(sentence: Sentence) -> Iterator[tuple[str, str, GistType | None, float]]:
    """Yield the sentence with its type, or clauses of different types: "I love it, but I'll sell it"."""
    edges = [0, *(match.end() for match in _CLAUSE.finditer(sentence.seen)), len(sentence.seen)]
    groups: list[tuple[int, int, GistType | None, float]] = []
    for start, end in pairwise(edges):
        kind, sure = _type(read(sentence.seen[start:end]))
        if groups and (kind is None or kind == groups[-1][2]):
            groups[-1] = (groups[-1][0], end, groups[-1][2], groups[-1][3])
        else:
            groups.append((start, end, kind, sure))
    if len(groups) == 1 or groups[0][2] is None:
        yield sentence.text, sentence.seen, *_type(read(sentence.seen))
        return
    for start, end, kind, sure in groups:
        text = _JOINT.sub("", sentence.text[start:end])
        yield text, sentence.seen[start:end], kind, sure


def _names(talk: Talk, *, began: bool) -> tuple[str, str]:
    replied = next((turn.speaker for turn in talk.turns if not turn.began and turn.speaker), "the assistant")
    return (talk.who, replied) if began else (replied, talk.who)


def _type(text: str) -> tuple[GistType | None, float]:
    for family in families():
        if family.wording.search(text) and not any(guard.search(text) for guard in family.guards):
            hedged = family.type != "uncertainty" and _HEDGED.search(text) is not None
            return family.type, family.confidence - 2.0 * hedged
    return None, 0.0


def _question(judged: Sequence[Judged]) -> tuple[Gist, ...]:
    for one in judged:
        if one.began and one.text.rstrip().endswith("?") and len(one.text.split()) > 2:
            content = ask(one.text, who=one.who)
            return (Gist(type="intent", content=content, confidence=_ASKED_CONFIDENCE),)
    return ()
