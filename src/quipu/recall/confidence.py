"""Certainty of an answer: whether memory knows of what is asked at all, and which hits answer it.

Both are logistic functions of a few signs of what was found. Their numbers were fitted on the halves to tune
of our own kinds of conversation, searched with the bundled model (``bench/confidence.py``,
docs/decisions/recall.md).
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from quipu.recall.model import Answer, Certainty, Hit
from quipu.recall.repeats import ECHO
from quipu.recall.weights import log_odds

NUMBERS: Final = Path(__file__).with_name("confidence.toml")
NOTHING: Final = "Nothing is known of this."
NEAREST: Final = "Nothing is known of this; what follows only comes nearest."
_FIRST: Final = 10
_MOST_ODDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Numbers:
    """Fitted numbers.

    ``known`` and ``hit`` are the constant and the weight of each sign, as `signs` and `signs_of_hits` give
    them. Below ``nothing`` (0 to 1) nothing is known; from ``sure`` and ``likely`` on a hit is called that.
    """

    known: tuple[float, ...]
    hit: tuple[float, ...]
    nothing: float
    sure: float
    likely: float


def judged(hits: Sequence[Hit]) -> Answer:
    """Return an answer of hits, best first, with how sure each is and whether memory knows of it at all.

    Where nothing is known every hit is a "maybe", and so is an earlier asking of the question; what a later
    statement replaces is never "sure".
    """
    numbers = _numbers()
    odds = log_odds(numbers.known, signs(hits))
    known = round(_chance(odds), 4) if hits else 0.0
    if known < numbers.nothing:
        return Answer(hits, known=known, notice=NEAREST if hits else NOTHING)
    of_hits = [_chance(log_odds(numbers.hit, one)) for one in signs_of_hits(hits, odds)]
    called = [_called(hit, one, numbers) for hit, one in zip(hits, of_hits, strict=True)]
    sure = (
        hit if hit.certainty == one else replace(hit, certainty=one)
        for hit, one in zip(hits, called, strict=True)
    )
    return Answer(sure, known=known)


def signs(hits: Sequence[Hit]) -> tuple[float, float, float]:
    """Return what tells whether memory knows: of the first ten hits, without askings of the question.

    It is the best score, the best cosine, and the most that a hit has of both meaning and words (its cosine
    times its coverage).
    """
    told = [hit for hit in hits[:_FIRST] if ECHO not in hit.parts]
    return (
        max((hit.score for hit in told), default=0.0),
        max((hit.cosine for hit in told), default=0.0),
        max((hit.cosine * hit.coverage for hit in told), default=0.0),
    )


def signs_of_hits(hits: Sequence[Hit], odds: float) -> list[tuple[float, float, float]]:
    """Return what tells whether each hit answers.

    It is the log-odds that memory knows, by how much its score is above the best of the others, and 1 for a
    hit that is itself a question.
    """
    best, second = sorted([*(hit.score for hit in hits), 0.0, 0.0], reverse=True)[:2]
    return [
        (odds, hit.score - (second if hit.score == best else best), float(_asks(hit.text))) for hit in hits
    ]


def _called(hit: Hit, chance: float, numbers: Numbers) -> Certainty:
    if ECHO in hit.parts or chance < numbers.likely:
        return "maybe"
    return "sure" if chance >= numbers.sure and not hit.superseded_by else "likely"


def _asks(text: str) -> bool:
    return text.rstrip(" )]'\"”’»").endswith(("?", "？", "؟"))


def _chance(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-_MOST_ODDS, min(_MOST_ODDS, odds))))


@cache
def _numbers() -> Numbers:
    read = tomllib.loads(NUMBERS.read_text("utf-8"))
    read |= {signs: tuple(read[signs]) for signs in ("known", "hit")}
    return Numbers(**read)
