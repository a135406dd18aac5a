"""A cross-encoder on onnxruntime: a question and a text in, one number out.

Import it when a score is needed and not before: the libraries take a tenth of a second to load.
"""

from __future__ import annotations

import math

import numpy as np

from quipu.errors import ModelMissing
from quipu.kernel.embedding.runtime import REFUSALS, open_session, open_tokenizer
from quipu.kernel.embedding.stored import GRAPH
from quipu.kernel.rerank.reranker import NoScores
from quipu.kernel.rerank.stored import RerankerInfo

_IDS, _MASK, _TYPES = "input_ids", "attention_mask", "token_type_ids"


class CrossEncoder:
    """A loaded re-ranker. Each pair is read alone, so its score never depends on its neighbours.

    Raises ``ModelMissing`` when the files cannot be loaded, or are none of a cross-encoder.
    """

    def __init__(self, model: RerankerInfo, *, threads: int) -> None:
        try:
            self._tokenizer = open_tokenizer(model.directory, max_tokens=model.max_tokens)
            self._session = open_session(model.directory / GRAPH, threads=threads, optimised=True)
        except (OSError, ValueError, *REFUSALS) as error:
            raise ModelMissing(
                f"The re-ranker in {model.directory} cannot be loaded: {error}.",
                hint="quipu doctor checks its files; QUIPU_RERANK chooses another.",
            ) from error
        self._wanted = [one.name for one in self._session.get_inputs()]
        self._given = self._session.get_outputs()[0].name
        unknown = sorted({*self._wanted} - {_IDS, _MASK, _TYPES})
        if unknown:
            raise ModelMissing(
                f"The re-ranker in {model.directory} wants {', '.join(unknown)}, which is not known here.",
                hint=f"A cross-encoder takes {_IDS}, and perhaps {_MASK} and {_TYPES}.",
            )

    def log_odds(self, question: str, text: str) -> float:
        """Return the graph's number for how well the text answers the question: any finite number.

        Raises ``NoScores`` when it refuses the text or gives more than a number, or two for no and yes.
        """
        read = self._tokenizer.encode(question, text)
        inputs = {_IDS: read.ids, _MASK: read.attention_mask, _TYPES: read.type_ids}
        try:
            rows = self._session.run(
                [self._given], {name: np.array([inputs[name]], np.int64) for name in self._wanted}
            )[0]
        except REFUSALS as error:
            raise NoScores("failed in onnxruntime") from error
        numbers = [float(number) for number in np.asarray(rows).reshape(-1)[:3]]
        match numbers:
            case [number]:
                odds = number
            case [no, yes]:
                odds = yes - no
            case _:
                raise NoScores("gave more than one score for a text")
        if not math.isfinite(odds):
            raise NoScores("gave a score that is not a number")
        return odds
