"""Re-ranking by a cross-encoder of sentence-transformers. Brings torch (more than 1 GB)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import Protocol, cast

import anyio
import numpy as np
from anyio import to_thread

from quipu.errors import MissingExtra, ModelMissing
from quipu.kernel.rerank.reranker import QUESTION_TOKENS, TEXT_TOKENS, NoScores, beginning, relevances

_LIBRARY = "sentence_transformers"


class _Model(Protocol):
    """Part of ``sentence_transformers.CrossEncoder`` that we need."""

    def predict(self, sentences: list[tuple[str, str]], *, show_progress_bar: bool) -> object: ...


class TransformersReranker:
    """Scores from a cross-encoder that sentence-transformers knows by name or directory."""

    def __init__(self, model: str) -> None:
        self.name = f"st:{model}"
        self._known_as = model
        self._model: _Model | None = None
        self._turn = anyio.Lock()
        self._at_work = Lock()
        _check_extra()

    async def load(self) -> None:
        """Load the library and the weights, which takes seconds, and minutes where it has to be downloaded.

        It goes on where nobody waits for it any more.
        """
        if self._model is None:
            await to_thread.run_sync(self._loaded, abandon_on_cancel=True)

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return a score from 0 to 1 for each text: how well it answers the question. See ``Reranker``."""
        model = self._model
        if model is None:
            raise NoScores("was not loaded")
        query = beginning(question, tokens=QUESTION_TOKENS)
        pairs = [(query, beginning(text, tokens=TEXT_TOKENS)) for text in texts]
        async with self._turn:
            scores = await to_thread.run_sync(self._predict, model, pairs, abandon_on_cancel=True)
        return relevances(scores, expected=len(texts))

    async def aclose(self) -> None:
        """Let go of the weights."""
        self._model = None

    def _loaded(self) -> None:
        if not self._at_work.acquire(blocking=False):
            raise NoScores("is still being loaded")
        try:
            if self._model is None:
                self._model = _load(self._known_as)
        finally:
            self._at_work.release()

    def _predict(self, model: _Model, pairs: list[tuple[str, str]]) -> list[float]:
        """Return the scores of the library; a call that nobody waits for any more goes on to its end."""
        if not self._at_work.acquire(blocking=False):
            raise NoScores("is still at work on an earlier question")
        try:
            scores = np.asarray(model.predict(pairs, show_progress_bar=False), np.float64)
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            raise NoScores("failed in sentence-transformers") from error
        finally:
            self._at_work.release()
        if scores.size != len(pairs):
            raise NoScores(f"gave {scores.size} scores for {len(pairs)} texts")
        return [float(score) for score in scores.reshape(-1)]


def _check_extra() -> None:
    try:
        there = find_spec(_LIBRARY) is not None
    except ValueError:  # it is loaded, and was not found by any finder
        there = True
    if not there:
        raise MissingExtra("sentence-transformers", "A re-ranker 'st:NAME'")


def _load(model: str) -> _Model:
    try:
        return cast("_Model", import_module(_LIBRARY).CrossEncoder(model))
    except ImportError as error:
        raise MissingExtra("sentence-transformers", "A re-ranker 'st:NAME'") from error
    except (OSError, ValueError) as error:
        raise ModelMissing(
            f"sentence-transformers cannot load the re-ranker {model!r}: {error}.",
            hint="Name a cross-encoder that it knows, or a directory; a download needs the network.",
        ) from error
