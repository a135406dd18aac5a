"""Chroma, embedded in the process: one collection, the user as metadata."""

from __future__ import annotations

from collections.abc import Iterable

import chromadb
from chromadb.config import Settings

from pace.adapter import Place, batches
from pace.facts import Fact

_BATCH = 500


class ChromaCollection:
    """Cosine in its HNSW index, filtered by ``where``."""

    def open(self, place: Place) -> None:
        self._vectors = place.vectors
        client = chromadb.PersistentClient(
            str(place.directory), settings=Settings(anonymized_telemetry=False)
        )
        self._collection = client.get_or_create_collection(
            "facts", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def bulk(self, facts: Iterable[Fact]) -> None:
        for batch in batches(facts, _BATCH):
            self._add(batch)

    def add(self, fact: Fact) -> None:
        self._add([fact])

    def search(self, user: str, question: str, limit: int) -> list[str]:
        found = self._collection.query(
            query_embeddings=[self._vectors(question)],
            n_results=limit,
            where={"user": user},
            include=["documents", "distances"],
        )
        return list(found["ids"][0])

    def close(self) -> None:
        """It has no close; its writes are on disk when ``add`` returns."""

    def _add(self, facts: list[Fact]) -> None:
        self._collection.add(
            ids=[fact.id for fact in facts],
            embeddings=[self._vectors(fact.text) for fact in facts],
            documents=[fact.text for fact in facts],
            metadatas=[{"user": fact.user} for fact in facts],
        )
