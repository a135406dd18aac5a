"""LangGraph's store over documents, by its face: one namespace for each user."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langgraph.store.base import PutOp

from pace.adapter import Place, batches
from pace.facts import DIMENSIONS, Fact
from quipu import Memory
from quipu.compat.langgraph import Store
from quipu.kernel.config import Settings

_BATCH = 100
_CLIENTS = 8


class QuipuStore:
    """With the index of documents: words and meaning, with hashed words for vectors."""

    def open(self, place: Place) -> None:
        settings = Settings(embedding_model="hashing", pool_size=_CLIENTS)
        self._memory = Memory(url=place.conninfo, settings=settings)
        self._memory.__enter__()
        index: Any = {"fields": ["text"], **self._embedder(place)}
        self._store = Store(self._memory, space="store", index=index)

    def _embedder(self, place: Place) -> dict[str, Any]:  # noqa: ARG002 - for the subclass
        return {}

    def bulk(self, facts: Iterable[Fact]) -> None:
        for batch in batches(facts, _BATCH):
            self._store.batch([PutOp((fact.user,), fact.id, {"text": fact.text}) for fact in batch])

    def add(self, fact: Fact) -> None:
        self._store.put((fact.user,), fact.id, {"text": fact.text})

    def search(self, user: str, question: str, limit: int) -> list[str]:
        return [item.key for item in self._store.search((user,), query=question, limit=limit)]

    def close(self) -> None:
        self._memory.__exit__(None, None, None)


class QuipuStoreEmbedding(QuipuStore):
    """With the embedder of the caller, as PostgresStore has it."""

    def _embedder(self, place: Place) -> dict[str, Any]:
        def embed(texts: list[str]) -> list[list[float]]:
            return [place.vectors(text).tolist() for text in texts]

        return {"dims": DIMENSIONS, "embed": embed}
