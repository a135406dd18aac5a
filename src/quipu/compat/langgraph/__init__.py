"""LangGraph's store over a memory (the extra ``langgraph``).

from quipu.compat.langgraph import Store

graph = builder.compile(store=Store(space="desk"))

A namespace is the path of a document, an item its value. Items are kept letter for letter, are found by
meaning with the model of the memory, and are recalled beside all other memories of the space.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, Self

from quipu import AsyncMemory
from quipu.errors import MissingExtra

try:
    from langgraph.store.base import (
        BaseStore,
        IndexConfig,
        Op,
        Result,
        TTLConfig,
        ensure_embeddings,
        validate_op_namespace,
    )
    from langgraph.store.base.batch import AsyncBatchedBaseStore
except ImportError as error:
    raise MissingExtra("langgraph", "A store of LangGraph") from error

from quipu.compat.face import BlockingFace
from quipu.compat.langgraph.index import store_index
from quipu.compat.langgraph.work import Work

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

    from quipu import Memory


class Store(BlockingFace, BaseStore):
    """A store whose items are documents of a space.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database, as with
    ``Memory()``. What the store opened itself it closes (``close``, or ``with``).

    ``index`` is LangGraph's: with ``embed`` items are ranked by the vectors of that model alone, in the
    ``distance_type`` that it names; with ``fields`` alone, or without ``index``, by the memory's own search;
    False keeps items out of it. ``ttl`` is LangGraph's too; what has expired is omitted at once.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory | AsyncMemory | str | None = None,
        *,
        space: str = "default",
        index: IndexConfig | bool | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        """Open the memory, if none is given.

        Raises:
            BadInput: the index is none that LangGraph knows; the error names the part.
        """
        self._index = store_index(index)
        self.index_config: IndexConfig | None = None if isinstance(index, bool) else index
        embed = self._index.embed
        self.embeddings: Embeddings | None = None if embed is None else ensure_embeddings(embed)
        super().__init__(memory, space=space)
        self.ttl_config = ttl

    @classmethod
    @contextmanager
    def from_conn_string(cls, conn_string: str, **options: Any) -> Generator[Self]:
        """Open a store on a server; options of a connection pool are not needed and passed over."""
        store = cls(conn_string, **_without_pool(options))
        try:
            yield store
        finally:
            store.close()

    def setup(self) -> None:
        """Do nothing: the tables are there once the memory is open."""

    def start_ttl_sweeper(self, sweep_interval_minutes: int | None = None) -> Future[None]:  # noqa: ARG002
        """Do nothing: what has expired is omitted at once, and a worker of the memory takes it out."""
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:  # noqa: ARG002 - LangGraph's
        """Do nothing, as there is nothing to stop."""
        return True

    def sweep_ttl(self) -> int:
        """Return 0: what has expired is gone from every read already."""
        return 0

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations at once: reads first, then writes in one transaction."""
        memory = self._blocking
        work = self._work(ops)
        if self.embeddings is not None:
            texts = work.texts
            documents = self.embeddings.embed_documents(texts) if texts else []
            work.embedded(documents, [self.embeddings.embed_query(query) for query in work.queries])
        while operations := work.following():
            work.take(memory.documents.batch(operations, space=self._space))
        return work.results()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations at once, as ``batch``."""
        work = self._work(ops)
        if self.embeddings is not None:
            texts = work.texts
            documents = await self.embeddings.aembed_documents(texts) if texts else []
            work.embedded(documents, [await self.embeddings.aembed_query(query) for query in work.queries])
        while operations := work.following():
            work.take(await self._do("documents.batch", operations))
        return work.results()

    def _work(self, ops: Iterable[Op]) -> Work:
        asked = list(ops)
        for op in asked:
            validate_op_namespace(op)
        metric = None if self.embeddings is None else self._index.metric
        return Work(asked, fields=self._index.fields, metric=metric)


class AsyncStore(Store, AsyncBatchedBaseStore):
    """A store with the names of LangGraph's asynchronous stores; make it where an event loop runs.

    What is awaited at the same moment is one batch, and its writes are one transaction. The blocking methods
    may be called from other threads than that of the event loop.
    """

    def __init__(
        self,
        memory: Memory | AsyncMemory | str | None = None,
        *,
        space: str = "default",
        index: IndexConfig | bool | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        Store.__init__(self, memory, space=space, index=index, ttl=ttl)
        AsyncBatchedBaseStore.__init__(self)

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, conn_string: str, **options: Any) -> AsyncGenerator[Self]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Open a store on a server; options of a connection pool are not needed and passed over."""
        async with AsyncMemory(url=conn_string) as memory:
            yield cls(memory, **_without_pool(options))

    async def setup(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Do nothing: the tables are there once the memory is open."""

    async def start_ttl_sweeper(self, sweep_interval_minutes: int | None = None) -> asyncio.Task[None]:  # pyright: ignore[reportIncompatibleMethodOverride]  # noqa: ARG002
        """Do nothing: what has expired is omitted at once, and a worker of the memory takes it out."""
        return asyncio.create_task(asyncio.sleep(0))

    async def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]  # noqa: ARG002, ASYNC109
        """Do nothing, as there is nothing to stop."""
        return True

    async def sweep_ttl(self) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return 0: what has expired is gone from every read already."""
        return 0

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations at once, from a thread that is not that of the event loop.

        Raises:
            InvalidStateError: it is that thread, which would wait for itself.
        """
        try:
            here = asyncio.get_running_loop()
        except RuntimeError:
            here = None
        if here is self._loop:
            raise asyncio.InvalidStateError("Await abatch, aget, aput or asearch in the event loop.")
        return asyncio.run_coroutine_threadsafe(self.abatch(ops), self._loop).result()


def _without_pool(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in ("pipeline", "pool_config")}
