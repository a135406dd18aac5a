"""LangGraph's SqliteStore. It needs a Python whose sqlite3 may load extensions."""

from __future__ import annotations

from collections.abc import Iterable

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from pace.adapter import Place, batches
from pace.facts import DIMENSIONS, Fact

_BATCH = 100


class LangGraphSqlite:
    """One namespace for each user."""

    def open(self, place: Place) -> None:
        def embed(texts: list[str]) -> list[list[float]]:
            return [place.vectors(text).tolist() for text in texts]

        place.directory.mkdir(parents=True, exist_ok=True)
        # Its documentation says `fields`; the code reads `text_fields`, and else embeds the whole JSON.
        fields = {"fields": ["text"], "text_fields": ["text"]}
        self._manager = SqliteStore.from_conn_string(
            str(place.directory / "store.db"), index={"dims": DIMENSIONS, "embed": embed, **fields}
        )
        self._store = self._manager.__enter__()
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
