"""Re-ranking by any server that speaks ``POST /rerank`` (vLLM, TEI, LiteLLM, llama.cpp, Cohere, Jina ...)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from quipu.kernel.base.openai_client import open_client
from quipu.kernel.rerank.reranker import QUESTION_TOKENS, TEXT_TOKENS, NoScores, beginning, relevances

_PATH: Final = "/rerank"
_TIMEOUT_SECONDS: Final = 60.0
"""Longer than anybody waits: who asks has a limit of their own."""
_TEXTS_PER_REQUEST: Final = 32
"""As many as TEI takes at once if nobody configured it."""


class RemoteReranker:
    """Scores from a server. Nothing is repeated: an answer that comes late is worth nothing.

    Servers call the texts ``documents``, as Cohere does; TEI calls them ``texts``. The first refusal shows
    which, and it is remembered.
    """

    def __init__(self, model: str, *, url: str, key: str | None = None) -> None:
        self.name = f"endpoint:{model}"
        self._model = model
        base, what = url.rstrip("/").removesuffix(_PATH), "A re-ranker 'endpoint:NAME'"
        self._client = open_client(base, key, what=what, retries=0, timeout_seconds=_TIMEOUT_SECONDS)
        self._says_texts = False

    async def load(self) -> None:
        """Do nothing: the server has the model."""

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return a score from 0 to 1 for each text: how well it answers the question. See ``Reranker``."""
        query = beginning(question, tokens=QUESTION_TOKENS)
        documents = [beginning(text, tokens=TEXT_TOKENS) for text in texts]
        scores = None if self._says_texts else await self._documents(query, documents)
        if scores is None:
            scores = await self._texts(query, documents)
            self._says_texts = True
        return relevances(scores, expected=len(texts))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _documents(self, question: str, texts: list[str]) -> list[float] | None:
        """Return the scores of a server like Cohere's; None if it does not understand the words."""
        from openai import BadRequestError, UnprocessableEntityError  # noqa: PLC0415 - the extra is there

        body = {"model": self._model, "query": question, "documents": texts, "top_n": len(texts)}
        try:
            return read_scores(await self._post(body), expected=len(texts))
        except NoScores as refused:
            if isinstance(refused.__cause__, (BadRequestError, UnprocessableEntityError)):
                return None
            raise

    async def _texts(self, question: str, texts: list[str]) -> list[float]:
        """Return the scores of a server like TEI."""
        scores: list[float] = []
        for start in range(0, len(texts), _TEXTS_PER_REQUEST):
            part = texts[start : start + _TEXTS_PER_REQUEST]
            body = {"query": question, "texts": part, "raw_scores": False, "truncate": True}
            scores += read_scores(await self._post(body), expected=len(part))
        return scores

    async def _post(self, body: Mapping[str, Any]) -> str:
        from openai import APIStatusError, OpenAIError  # noqa: PLC0415 - as above

        try:
            return await self._client.post(_PATH, cast_to=str, body=body)
        except APIStatusError as error:
            raise NoScores(f"answered with status {error.status_code}") from error
        except OpenAIError as error:
            raise NoScores("could not be reached") from error
        except ValueError as error:
            raise NoScores("could not be asked") from error


def read_scores(answer: str, *, expected: int) -> list[float]:
    """Return the scores of an answer in the order of the texts: one for each, whatever order it has.

    It is a list of results, or an object with them under ``results``; each has an ``index`` and a
    ``relevance_score``, or ``score``. Raises ``NoScores``.
    """
    try:
        content: object = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise NoScores("gave an answer that is not JSON") from error
    results = cast("dict[str, object]", content).get("results") if isinstance(content, dict) else content
    if not isinstance(results, list):
        raise NoScores("gave an answer without results")
    scores: dict[int, float] = {}
    for one in cast("list[object]", results):
        place, score = _result(one)
        if not 0 <= place < expected or place in scores:
            raise NoScores("gave a result for no text of the question")
        scores[place] = score
    if len(scores) != expected:
        raise NoScores(f"gave {len(scores)} scores for {expected} texts")
    return [scores[place] for place in range(expected)]


def _result(one: object) -> tuple[int, float]:
    fields = cast("dict[str, object]", one) if isinstance(one, dict) else {}
    place, score = fields.get("index"), fields.get("relevance_score", fields.get("score"))
    if isinstance(place, bool) or not isinstance(place, int):
        raise NoScores("gave a result without an index")
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        raise NoScores("gave a score that is not a number")
    try:
        return place, float(score)
    except OverflowError as error:
        raise NoScores("gave a score that is not a number") from error
