"""The sentences of a message that can stand for it, and how much each is worth. Pure."""

from __future__ import annotations

import re
from typing import Final

from quipu.kernel.base.text import excerpt
from quipu.kernel.prose.sentences import sentences as prose_sentences
from quipu.kinds.episodes import cues

ASKED: Final = 0.3
REACTED: Final = 0.3
SPECIFIC: Final = 1.0
"""What names, numbers and times add to what was merely told."""

HAPPENED: Final = 0.5
"""What somebody tells to have done adds so much."""

LEAST: Final = 0.05
_ENOUGH_NAMES: Final = 3

_REACTS = re.compile(
    r"(?i)^\W*(?:wow|thanks?|thank you|glad|(?:oh|ah|aw+),?|that'?s|that (?:sounds|is|must)|sounds?|great"
    r"|awesome|cool|nice|congrat\w*|yeah|yes|yep|no|nope|sure|absolutely|totally|definitely|exactly|haha\w*|lol"
    r"|i agree|agreed|you'?re|you|your|hope|can'?t wait|good luck|keep|appreciate|no (?:problem|worries)"
    r"|hey|hi|hello|klar|danke|toll)\b"
)
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][\w'-]+|\b\d[\d.,:/-]*\b|\b[\w-]+[_./][\w./-]+\b")

_HAPPENED = re.compile(
    r"(?i)\b(?:i|we|my|our)\b[^.;!?]*?\b(?:[a-z]{2,}ed|went|got|had|made|bought|took|saw|met|found|began|won|lost"
    r"|left|gave|came|wrote|ran|sold|built|chose|heard|told)\b"
    r"|\b(?:ich|wir) (?:habe|haben|bin|sind|war|waren)\b"
)


LONGEST: Final = 280
_FEWEST_WORDS: Final = 4

_END = re.compile(r"(?<=[。！？])")
_WORD = re.compile(r"\w+")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, without code, each on one line; greetings and crumbs are left out.

    A sentence longer than 280 characters is cut between words.
    """
    pieces = [piece.strip() for one in prose_sentences(text) for piece in _END.split(one.text)]
    return [excerpt(one, LONGEST) for one in pieces if _tells(one)]


def asks(sentence: str) -> bool:
    """Return True if it is a question."""
    return sentence.rstrip("\"'”’) ").endswith(("?", "？"))


def _tells(sentence: str) -> bool:
    if any(character >= "\u3040" for character in sentence):  # scripts without spaces between words
        return len(sentence) >= _FEWEST_WORDS
    return len(_WORD.findall(sentence)) >= _FEWEST_WORDS


def worth(sentence: str) -> float:
    """Return the worth of a sentence, from 0.05: 1 and more for a fact, little for questions or reactions."""
    if asks(sentence):
        return ASKED
    names = len(_NAME.findall(sentence)) + cues.matches(sentence, section="commitment", name="dated")
    told = 1.0 + SPECIFIC * min(1.0, names / _ENOUGH_NAMES) + HAPPENED * bool(_HAPPENED.search(sentence))
    length = min(1.0, len(sentence) / 80)
    return max(LEAST, told * length * (REACTED if _REACTS.search(sentence) else 1.0))
