"""Re-ranking on this machine by an added cross-encoder: no torch, no download, no network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from quipu.kernel.rerank.reranker import QUESTION_TOKENS, TEXT_TOKENS, NoScores, beginning, logistic
from quipu.kernel.rerank.stored import RerankerInfo, verify

if TYPE_CHECKING:
    from quipu.kernel.rerank.runtime import CrossEncoder


class LocalReranker:
    """Scores from a cross-encoder on disk, loaded at the first question; one question at a time."""

    def __init__(self, model: RerankerInfo, *, threads: int = 2) -> None:
        self.name = model.name
        self._model = model
        self._threads = threads
        self._encoder: CrossEncoder | None = None
        self._turn = anyio.Lock()

    async def load(self) -> None:
        """Load the graph, if it is not."""
        async with self._turn:
            if self._encoder is None:
                self._encoder = await to_thread.run_sync(self.opened)

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return a score from 0 to 1 for each text: how well it answers the question. See ``Reranker``.

        It can be cancelled between two texts.
        """
        encoder = self._encoder
        if encoder is None:
            raise NoScores("was not loaded")
        query = beginning(question, tokens=QUESTION_TOKENS)
        scores: list[float] = []
        async with self._turn:
            for text in texts:
                shown = beginning(text, tokens=TEXT_TOKENS)
                scores.append(logistic(await to_thread.run_sync(encoder.log_odds, query, shown)))
        return scores

    def opened(self) -> CrossEncoder:
        """Return the graph, loaded now. Raises ``ModelMissing`` when its files cannot be loaded."""
        # Here, so that only who re-ranks pays for loading onnxruntime (a tenth of a second).
        from quipu.kernel.rerank.runtime import CrossEncoder  # noqa: PLC0415

        return CrossEncoder(self._model, threads=self._threads)

    def verify(self) -> None:
        """Read the files whole and compare them with their card; ``ModelMissing`` if one was changed."""
        verify(self._model)

    async def aclose(self) -> None:
        """Give back the weights."""
        self._encoder = None
