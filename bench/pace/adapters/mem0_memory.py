"""mem0 with ``infer=False``: no language model is called; its own defaults otherwise.

It insists on the configuration of a model, so it gets one that nobody answers.
"""

from __future__ import annotations

from collections.abc import Iterable

from mem0 import Memory

from pace.adapter import Place
from pace.facts import DIMENSIONS, Fact

_NOBODY = {"provider": "openai", "config": {"api_key": "unused", "openai_base_url": "http://127.0.0.1:9"}}


class _Embedder:
    """In place of mem0's embedder: the vectors of the run."""

    def __init__(self, place: Place) -> None:
        self._vectors = place.vectors

    def embed(self, text: str, *_action: str) -> list[float]:
        return self._vectors(text).tolist()

    def embed_batch(self, texts: list[str], *_action: str) -> list[list[float]]:
        return [self.embed(text) for text in texts]


class _Mem0:
    """One ``user_id`` for each user."""

    def _store(self, place: Place) -> dict[str, object]:
        raise NotImplementedError

    def open(self, place: Place) -> None:
        place.directory.mkdir(parents=True, exist_ok=True)
        self._memory = Memory.from_config(
            {
                "vector_store": self._store(place),
                "embedder": _NOBODY,
                "llm": _NOBODY,
                "history_db_path": str(place.directory / "history.db"),
            }
        )
        self._memory.embedding_model = _Embedder(place)

    def bulk(self, facts: Iterable[Fact]) -> None:
        for fact in facts:
            self.add(fact)

    def add(self, fact: Fact) -> None:
        self._memory.add(fact.text, user_id=fact.user, infer=False, metadata={"fact": fact.id})

    def search(self, user: str, question: str, limit: int) -> list[str]:
        found = self._memory.search(question, filters={"user_id": user}, top_k=limit, threshold=0.0)
        return [hit["metadata"]["fact"] for hit in found["results"]]

    def close(self) -> None:
        self._memory.close()


class Mem0Qdrant(_Mem0):
    """Its default store, a local Qdrant in a directory."""

    def _store(self, place: Place) -> dict[str, object]:
        path = str(place.directory / "qdrant")
        return {
            "provider": "qdrant",
            "config": {"path": path, "on_disk": True, "embedding_model_dims": DIMENSIONS},
        }


class Mem0Pgvector(_Mem0):
    """Its PostgreSQL store, on the server of the run."""

    def _store(self, place: Place) -> dict[str, object]:
        config = {"connection_string": place.conninfo, "embedding_model_dims": DIMENSIONS, "maxconn": 8}
        return {"provider": "pgvector", "config": config}
