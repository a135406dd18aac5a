"""What a store must do to be measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeVar

from pace.facts import Fact
from pace.vectors import Vectors

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store keeps its data: a directory of its own, or a database on the server of the run."""

    directory: Path
    conninfo: str
    vectors: Vectors


class Adapter(Protocol):
    """One store. ``add`` returns when the fact is as durable as the store makes it by default."""

    def open(self, place: Place) -> None:
        """Open the store, and make it if there is none."""
        ...

    def bulk(self, facts: Iterable[Fact]) -> None:
        """Take in many, as fast as the store's own interface allows. The iterator may end early."""
        ...

    def add(self, fact: Fact) -> None:
        """Take in one."""
        ...

    def search(self, user: str, question: str, limit: int) -> list[str]:
        """The ids of the best hits among the facts of ``user``. Several threads may call it at once."""
        ...

    def close(self) -> None:
        """Close the store."""
        ...


@dataclass(frozen=True, slots=True)
class Peer:
    """A row of the table: which class, in whose environment, and what its data lies in."""

    module: str
    class_name: str
    environment: str | None = None
    needs_database: bool = False
    is_ours: bool = False

    def adapter(self) -> Adapter:
        """A closed adapter; imports what the store needs."""
        return getattr(import_module(f"pace.adapters.{self.module}"), self.class_name)()


PEERS: dict[str, Peer] = {
    "quipu": Peer("quipu_memory", "QuipuMemory", needs_database=True, is_ours=True),
    "quipu:model": Peer("quipu_memory", "QuipuMemoryWithModel", needs_database=True, is_ours=True),
    "quipu:store": Peer("quipu_store", "QuipuStore", needs_database=True, is_ours=True),
    "quipu:store:embed": Peer("quipu_store", "QuipuStoreEmbedding", needs_database=True, is_ours=True),
    "ref": Peer("reference", "Reference", needs_database=True),
    "numpy": Peer("numpy_scan", "NumpyScan"),
    "langgraph:pg": Peer("langgraph_postgres", "LangGraphPostgres", "langgraph", needs_database=True),
    "langgraph:sqlite": Peer("langgraph_sqlite", "LangGraphSqlite", "langgraph"),
    "mem0:qdrant": Peer("mem0_memory", "Mem0Qdrant", "mem0"),
    "mem0:pgvector": Peer("mem0_memory", "Mem0Pgvector", "mem0", needs_database=True),
    "chroma": Peer("chroma_collection", "ChromaCollection", "chroma"),
}


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of at most ``size`` items."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
