"""Quipu through its public interface: one space for each user."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from pace.adapter import Place, batches
from pace.facts import Fact
from quipu import Memory
from quipu.kernel.config import Settings

_BATCH = 5000
_CLIENTS = 8


class QuipuMemory:
    """With hashed words for vectors: the store and the ranking are measured, not a model."""

    model = "hashing"

    def open(self, place: Place) -> None:
        settings = Settings(embedding_model=self.model, pool_size=_CLIENTS)
        self._memory = Memory(url=place.conninfo, settings=settings)
        self._memory.__enter__()

    def bulk(self, facts: Iterable[Fact]) -> None:
        for batch in batches(facts, _BATCH):
            by_user: dict[str, list[dict[str, object]]] = defaultdict(list)
            for fact in batch:
                by_user[fact.user].append({"id": fact.id, "content": fact.text, "time": fact.time})
            for user, messages in by_user.items():
                report = self._memory.import_messages(messages, space=user)
                if report.imported != len(messages):
                    raise RuntimeError(
                        f"{len(messages) - report.imported} of {len(messages)} were not imported"
                    )

    def add(self, fact: Fact) -> None:
        self._memory.observe([{"id": fact.id, "content": fact.text, "time": fact.time}], space=fact.user)

    def search(self, user: str, question: str, limit: int) -> list[str]:
        return [str(hit.source.message) for hit in self._memory.recall(question, space=user, limit=limit)]

    def close(self) -> None:
        self._memory.__exit__(None, None, None)


class QuipuMemoryWithModel(QuipuMemory):
    """With the model that everybody gets: every text and question is really encoded."""

    model = "all-MiniLM-L6-v2"
