"""The say of a re-ranker: half of the score of the first hits, if it answers in time."""

from __future__ import annotations

import logging
import math
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final, Self

from anyio import move_on_after, to_thread

from quipu.errors import QuipuError
from quipu.kernel.config import Settings
from quipu.kernel.rerank.reranker import NoScores, Reranker, logistic
from quipu.recall.model import Hit
from quipu.recall.ranking import ECHO

SIGNAL: Final = "rerank"
SHARE: Final = 0.5
"""Share of the re-ranker in a score; the signals of recall have the rest."""

_GENTLENESS: Final = 3
_LOADING_SECONDS: Final = 20.0
"""Time that the first answer waits for a model to be loaded; a library may be downloading it."""

_SUREST: Final = 1e-6
_log = logging.getLogger("quipu")


class Reranking:
    """Asks a re-ranker about the first hits of an answer. It never fails: then the own order stands."""

    def __init__(self, reranker: Reranker, *, candidates: int, seconds: float) -> None:
        self._reranker = reranker
        self._candidates = candidates
        self._seconds = seconds
        self._has_failed = False

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings) -> AsyncGenerator[Self | None]:
        """Open the re-ranker of the settings for the block; None if they name none.

        Raises:
            ConfigError, ModelMissing, MissingExtra: what they name cannot be had.
        """
        if settings.rerank is None:
            yield None
            return
        # Not at the top: most programs have no re-ranker and need not load what talks to one.
        from quipu.kernel.rerank.choose import choose  # noqa: PLC0415

        reranker = await to_thread.run_sync(choose, settings)
        assert reranker is not None
        try:
            yield cls(reranker, candidates=settings.rerank_candidates, seconds=settings.rerank_seconds)
        finally:
            await reranker.aclose()

    def depth(self, limit: int) -> int:
        """Return the number of hits to rank first where ``limit`` of them are wanted."""
        return max(limit, self._candidates)

    async def reorder(self, answers: Sequence[Sequence[Hit]], *, limit: int) -> list[list[Hit]]:
        """Return the first ``limit`` hits of each answer by their new scores, one answer after the other.

        Each has its own time. After a failure no further answer is tried, so that many questions do not wait
        for it again and again; all that it had no say in tell so in ``notice``.
        """
        failure = ""
        reordered: list[list[Hit]] = []
        for hits in answers:
            given: list[float | None] = []
            if not failure:
                try:
                    given = await self._asked(hits[: self._candidates])
                except (NoScores, QuipuError) as error:
                    failure = self._failed(error)
            if failure:
                reordered.append([replace(hit, notice=failure) for hit in hits[:limit]])
            else:
                reordered.append(blended(hits, given)[:limit])
        return reordered

    async def _asked(self, hits: Sequence[Hit]) -> list[float | None]:
        """Return the relevance of each hit; None for the question itself, which would score best."""
        texts = [hit.text for hit in hits if ECHO not in hit.parts]
        if not texts:
            return []
        with move_on_after(_LOADING_SECONDS) as loading:
            await self._reranker.load()
        if loading.cancelled_caught:
            raise NoScores("is still being loaded")
        with move_on_after(self._seconds):
            found = iter(await self._reranker.score(hits[0].question, texts))
            return [None if ECHO in hit.parts else next(found) for hit in hits]
        raise NoScores(f"did not answer within {self._seconds:g} s")

    def _failed(self, error: NoScores | QuipuError) -> str:
        """Return the notice of a failure; it is logged the first time, without a word of any memory."""
        why = str(error) if isinstance(error, NoScores) else "cannot be loaded"
        if not self._has_failed:
            self._has_failed = True
            _log.warning(
                "The re-ranker %s %s. Recall keeps its own order whenever that happens, and its answers say"
                " so; it is not logged again.",
                self._reranker.name,
                why,
            )
        return f"The re-ranker {why}; this is the order without it."


def blended(hits: Sequence[Hit], relevances: Sequence[float | None]) -> list[Hit]:
    """Return hits by their scores after a re-ranker had its say about the first of them.

    Every score is ``SHARE`` times what the re-ranker gives, nothing where it was not asked, plus the
    remaining share of what it was. So it stays between 0 and 1 and the sum of its parts, and no hit behind
    the candidates overtakes one of them that was asked about.
    """
    given = [*relevances, *([None] * (len(hits) - len(relevances)))]
    return sorted(map(_blend, hits, given), key=lambda hit: -hit.score)


def gentle(probability: float) -> float:
    """Return a probability with its log-odds divided by three.

    Cross-encoders are sure of themselves: among lines of a chat, the right one has .05 and the rest .0002.
    So written (.27 and .06), the difference counts, and a sure answer still stands out (.99 is .82).
    """
    kept = min(1 - _SUREST, max(_SUREST, probability))
    return logistic(math.log(kept / (1 - kept)) / _GENTLENESS)


def _blend(hit: Hit, relevance: float | None) -> Hit:
    added = 0.0 if relevance is None else SHARE * gentle(relevance)
    own = {name: round(amount * (1 - SHARE), 6) for name, amount in hit.parts.items()}
    parts = {SIGNAL: round(added, 6), **own} if added else own
    return replace(hit, score=round((1 - SHARE) * hit.score + added, 6), parts=parts)
