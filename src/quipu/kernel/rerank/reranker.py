"""The interface of every re-ranker, and what all of them do to texts and scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Protocol, runtime_checkable

QUESTION_TOKENS: Final = 96
TEXT_TOKENS: Final = 384
"""Together with the marks between them they fit into the 512 tokens that most cross-encoders read."""


class NoScores(Exception):
    """The re-ranker gave no scores that can be used; says why, and repeats no text of question or memory.

    A signal inside the house: recall keeps its own order then, no caller of ours ever sees it.
    """


@runtime_checkable
class Reranker(Protocol):
    """Says how well texts answer a question, reading both together."""

    @property
    def name(self) -> str:
        """The name under which settings choose it, e.g. ``endpoint:bge-reranker-v2-m3``."""
        ...

    async def load(self) -> None:
        """Load what has to be loaded, once: before the time of an answer begins to run.

        Raises ``ModelMissing``, ``MissingExtra``, or ``NoScores`` while it is being loaded for another.
        """
        ...

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return for each text, in their order, how well it answers: 0 to 1, as a probability.

        Raises ``NoScores``.
        """
        ...

    async def aclose(self) -> None:
        """Give back connections and weights; calling it again does nothing."""
        ...


def relevances(scores: Sequence[float], *, expected: int) -> list[float]:
    """Return scores of an unknown scale as probabilities: as they are if all lie between 0 and 1.

    Else they are log-odds. Raises ``NoScores`` when there is not one for each text, or one is no finite
    number.
    """
    if len(scores) != expected:
        raise NoScores(f"gave {len(scores)} scores for {expected} texts")
    if not all(math.isfinite(score) for score in scores):
        raise NoScores("gave a score that is not a number")
    if all(0 <= score <= 1 for score in scores):
        return list(scores)
    return [logistic(score) for score in scores]


def logistic(log_odds: float) -> float:
    """Return the probability of finite log-odds, without overflow."""
    if log_odds >= 0:
        return 1 / (1 + math.exp(-log_odds))
    odds = math.exp(log_odds)
    return odds / (1 + odds)


def beginning(text: str, *, tokens: int) -> str:
    """Return the beginning of the text that surely fits: 3.5 Latin letters a token, else one character.

    Single spaces, without characters that UTF-8 cannot carry.
    """
    clean = " ".join(text[: 8 * tokens].encode("utf-8", "ignore").decode("utf-8").split())
    room = 7 * tokens
    for place, character in enumerate(clean):
        room -= 2 if character < "\u0250" else 7
        if room < 0:
            return clean[:place]
    return clean
