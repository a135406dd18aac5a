"""An easy question for a re-ranker: does it answer, how fast, and is it right?"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from anyio import move_on_after

from quipu.kernel.rerank.reranker import NoScores, Reranker

_QUESTION: Final = "Which fruit is yellow?"
_RIGHT: Final = "Bananas are yellow."
_SECONDS: Final = 20.0
"""More than an answer has, so that slow is told from dead."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Outcome: why it failed, or how long it took and if it put the right text first."""

    seconds: float = 0.0
    is_right: bool = False
    failure: str = ""


async def tried(reranker: Reranker, *, texts: int) -> Trial:
    """Ask about so many texts of which one answers.

    Raises:
        ModelMissing, MissingExtra: it cannot be loaded.
    """
    wrong = [f"Train {number} left at nine." for number in range(1, texts)]
    try:
        await reranker.load()
        begun = time.monotonic()
        with move_on_after(_SECONDS):
            *others, right = await reranker.score(_QUESTION, [*wrong, _RIGHT])
            return Trial(time.monotonic() - begun, is_right=all(other < right for other in others))
    except NoScores as error:
        return Trial(failure=str(error))
    return Trial(failure=f"did not answer within {_SECONDS:g} s")
