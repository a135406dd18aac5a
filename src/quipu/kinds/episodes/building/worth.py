"""Worth of a sentence to somebody who was not there. Pure."""

from __future__ import annotations

import re
from typing import Final

from quipu.kinds.episodes import cueing
from quipu.kinds.episodes.building.sentences import asks

ASKED: Final = 0.3
REACTED: Final = 0.3
SPECIFIC: Final = 1.0
"""What names, numbers and times add to what was merely told."""

HAPPENED: Final = 0.5
"""What somebody tells to have done adds so much."""

LEAST: Final = 0.05
_ENOUGH_NAMES: Final = 3

_REACTS = re.compile(
    r"^\W*(?:wow|thanks?|thank you|glad|(?:oh|ah|aw+),?|that'?s|that (?:sounds|is|must)|sounds?|great|awesome"
    r"|cool|nice|congrat\w*|yeah|yes|yep|no|nope|sure|absolutely|totally|definitely|exactly|haha\w*|lol"
    r"|i agree|agreed|you'?re|you|your|hope|can'?t wait|good luck|keep|appreciate|no (?:problem|worries)"
    r"|hey|hi|hello|klar|danke|toll)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][\w'-]+|\b\d[\d.,:/-]*\b|\b[\w-]+[_./][\w./-]+\b")

_HAPPENED = re.compile(
    r"\b(?:i|we|my|our)\b[^.;!?]*?\b(?:[a-z]{2,}ed|went|got|had|made|bought|took|saw|met|found|began|won|lost"
    r"|left|gave|came|wrote|ran|sold|built|chose|heard|told)\b"
    r"|\b(?:ich|wir) (?:habe|haben|bin|sind|war|waren)\b",
    re.IGNORECASE,
)


def worth(sentence: str) -> float:
    """Return the worth of a sentence, from 0.05: 1 and more for a fact, little for questions or reactions."""
    if asks(sentence):
        return ASKED
    names = len(_NAME.findall(sentence)) + cueing.matches(sentence, section="commitment", name="dated")
    told = 1.0 + SPECIFIC * min(1.0, names / _ENOUGH_NAMES) + HAPPENED * bool(_HAPPENED.search(sentence))
    length = min(1.0, len(sentence) / 80)
    return max(LEAST, told * length * (REACTED if _REACTS.search(sentence) else 1.0))
