"""Signs that something new begins with a turn: greetings, farewells, pauses, another subject. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# Tuned on the first five dialogues of LoCoMo, reported on the others (docs/decisions/episodes.md).
GREETING, BEGINNING = 1.5, 1.0
ANSWERED: Final = 0.5
"""A greeting or a beginning in the next turn counts half: one greets back."""

LEAVING, SUBJECT = 1.0, 1.0
PAUSE: Final = 2.0
"""What a pause counts that is as long as a thread may rest before it is another one; shorter ones less."""

WINDOW: Final = 4
"""Turns on either side whose meaning is compared."""

REACH: Final = 6
"""Turns on either side among which a fall of meaning must stand out."""

RESTED: Final = timedelta(hours=4)


_READ_CHARACTERS: Final = 300

_GREETS = re.compile(
    r"(?i)^\W*(?:hey|hi|hello|hiya|howdy|yo|greetings|(?:good )?(?:morning|afternoon|evening)|hallo|moin"
    r"|servus|guten (?:morgen|tag|abend))\b"
)
_BEGINS = re.compile(
    r"(?i)\b(?:how (?:have|'?ve) (?:you|ya) been|how(?:'s| is| are) (?:it going|everything|things|you|ya)"
    r"|long time no|(?:been|it'?s been) (?:a while|ages|so long|forever|a long time)"
    r"|(?:since|last time) we (?:last |first )?(?:spoke|talked|chatted|met|saw|caught up)|since our last"
    r"|(?:good|great|nice|lovely|awesome) to (?:see|hear from|talk to|chat with|be back)"
    r"|what'?s (?:up|new|been (?:up|happening|going on))|what have you been up to"
    r"|how was your (?:day|week|weekend|trip|holiday)|haven'?t (?:seen|talked|heard)|guess what"
    r"|new (?:question|topic|task)|something else|another (?:question|thing|topic)|on another note|unrelated"
    r"|wie geht'?s|lange nicht|etwas anderes|anderes thema|neue frage)\b"
)
_LEAVES = re.compile(
    r"(?i)\b(?:bye|goodbye|good ?night|see (?:you|ya)"
    r"|(?:talk|speak|chat|catch|write) (?:(?:to|with|up with) )?(?:(?:you|ya) )?(?:soon|later|again|tomorrow)"
    r"|catch up (?:soon|later)|take care"
    r"|(?:gotta|got to|have to|need to|must|should) (?:go|run|head|leave|get going)"
    r"|i'?m off to|(?:keep|let) (?:you|ya|me) (?:posted|updated|know)"
    r"|have (?:a (?:great|good|nice|wonderful|fantastic|lovely|awesome|safe)|fun)|until next time|good luck"
    r"|enjoy your|you'?re welcome|anytime|thanks for (?:chatting|the chat|your help)|that'?s all"
    r"|tschüss|bis (?:bald|später|morgen|dann)|mach'?s gut|schönen (?:tag|abend)|gute nacht)\b|\blater!"
)


def greets(text: str) -> bool:
    """Return True if it begins with a greeting."""
    return _GREETS.search(text[:_READ_CHARACTERS]) is not None


def begins(text: str) -> bool:
    """Return True if it speaks as one does after a while apart, or announces another subject."""
    return _BEGINS.search(text[:_READ_CHARACTERS]) is not None


def leaves(text: str) -> bool:
    """Return True if it takes leave, at its end if it is long."""
    return _LEAVES.search(text[-_READ_CHARACTERS:]) is not None


@dataclass(frozen=True, slots=True)
class TimedTurn:
    """Turn of a conversation: its text, and its time ``at`` and ``vector``, shape (d,), if known."""

    text: str
    at: datetime | None = None
    vector: Floats | None = None


def signs(turns: Sequence[TimedTurn]) -> list[float]:
    """Return the strength of the signs that a turn begins an episode, 0 or more; 0 for the first.

    The sum of: it greets (1.5), it speaks as after a while apart or names another subject (1), the next turn
    does one or the other (half), the turn before takes leave (1), how far the meaning falls between before
    and after (TextTiling's depth, Hearst 1997, over sentence vectors), and the pause before it (2 for four
    hours or more).
    """
    if not turns:
        return []
    opening = [GREETING * greets(one.text) + BEGINNING * begins(one.text) for one in turns]
    leaving = [LEAVING * leaves(one.text) for one in turns]
    answered = [ANSWERED * (one > 0) for one in [*opening[1:], 0.0]]
    depth = depths([one.vector for one in turns])
    sums = [
        opening[place]
        + answered[place]
        + leaving[place - 1]
        + SUBJECT * depth[place]
        + pause(turns[place - 1], one)
        for place, one in enumerate(turns)
    ]
    return [0.0, *sums[1:]]


def pause(before: TimedTurn, after: TimedTurn) -> float:
    """Return the weight of a pause between two turns: 2 from four hours on, less if shorter or unknown."""
    if before.at is None or after.at is None:
        return 0.0
    return PAUSE * min(1.0, max(after.at - before.at, timedelta()) / RESTED)


def depths(vectors: Sequence[Floats | None]) -> list[float]:
    """Return the depth of the likeness at each place below the heights beside it."""
    known = [vector for vector in vectors if vector is not None]
    if len(known) < len(vectors) or not known:
        return [0.0] * len(vectors)
    like = _likeness(np.stack(known))
    depth = [0.0]
    for place in range(1, len(like)):
        left = like[max(1, place - REACH) : place + 1].max()
        right = like[place : place + REACH + 1].max()
        depth.append(float(left + right - 2 * like[place]))
    return depth


def _likeness(rows: Floats) -> Floats:
    """Return the cosine between the means of the turns before each place and from it on; 0 for the first."""
    sums = np.concatenate([np.zeros((1, rows.shape[1]), np.float32), np.cumsum(rows, axis=0)])
    places = np.arange(1, len(rows))
    before = sums[places] - sums[np.maximum(0, places - WINDOW)]
    after = sums[np.minimum(len(rows), places + WINDOW)] - sums[places]
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    return np.concatenate([[0.0], (before * after).sum(axis=1) / np.maximum(lengths, 1e-9)]).astype(
        np.float32
    )
