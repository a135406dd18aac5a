"""LangGraph's PostgresStore as its documentation sets it up: its default index, a pool of connections."""

from __future__ import annotations

from collections.abc import Iterable

import psycopg
from langgraph.store.base import PutOp
from langgraph.store.postgres import PostgresStore

from pace.adapter import Place, batches
from pace.facts import DIMENSIONS, Fact

_BATCH = 100
_CLIENTS = 8


class LangGraphPostgres:
    """One namespace for each user."""

    def open(self, place: Place) -> None:
        def embed(texts: list[str]) -> list[list[float]]:
            return [place.vectors(text).tolist() for text in texts]

        self._manager = PostgresStore.from_conn_string(
            place.conninfo,
            pool_config={"min_size": 1, "max_size": _CLIENTS},
            index={"dims": DIMENSIONS, "embed": embed, "fields": ["text"]},
        )
        self._store = self._manager.__enter__()
        with psycopg.connect(place.conninfo, autocommit=True) as conn:
            conn.execute("create extension if not exists vector")
        self._store.setup()

    def bulk(self, facts: Iterable[Fact]) -> None:
        for batch in batches(facts, _BATCH):
            self._store.batch([PutOp((fact.user,), fact.id, {"text": fact.text}) for fact in batch])

    def add(self, fact: Fact) -> None:
        self._store.put((fact.user,), fact.id, {"text": fact.text})

    def search(self, user: str, question: str, limit: int) -> list[str]:
        return [item.key for item in self._store.search((user,), query=question, limit=limit)]

    def close(self) -> None:
        self._manager.__exit__(None, None, None)
