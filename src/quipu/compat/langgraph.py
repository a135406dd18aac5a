"""LangGraph's store over a memory (the extra ``langgraph``).

from quipu.compat.langgraph import Store

graph = builder.compile(store=Store(space="desk"))

A namespace is the path of a document, an item its value. Items are kept letter for letter, are found by
meaning with the model of the memory, and are recalled beside all other memories of the space.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, Final, Self, cast

from quipu import AsyncMemory, Memory
from quipu.compat.langgraph_index import store_index
from quipu.errors import MissingExtra, QuipuError

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        IndexConfig,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        ensure_embeddings,
        get_text_at_path,
        validate_op_namespace,
    )
except ImportError as error:
    raise MissingExtra("langgraph", "A store of LangGraph") from error

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

Operation = dict[str, Any]
_MOST: Final = 1_000  # rows at once
_OPERATORS: Final = {f"${name}": name for name in ("eq", "ne", "gt", "gte", "lt", "lte")}


class Store(BaseStore):
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
        self._owned = memory is None or isinstance(memory, str)
        self._memory = Memory(url=memory) if memory is None or isinstance(memory, str) else memory
        self._space = space
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

    def close(self) -> None:
        """Close the memory, if the store opened it."""
        if self._owned and isinstance(self._memory, Memory):
            self._memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations at once: reads first, then writes in one transaction."""
        memory = self._memory
        if not isinstance(memory, Memory):
            raise QuipuError(
                "This store has an AsyncMemory, which cannot be used without await.",
                hint="Use the methods with a leading a (aget, aput), or give it a Memory.",
            )
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
            work.take(await self._batch(operations))
        return work.results()

    async def _batch(self, operations: Sequence[Operation]) -> Sequence[Any]:
        memory = self._memory
        if isinstance(memory, Memory):
            return await asyncio.to_thread(memory.documents.batch, operations, space=self._space)
        return await memory.documents.batch(operations, space=self._space)

    def _work(self, ops: Iterable[Op]) -> _Work:
        asked = list(ops)
        for op in asked:
            validate_op_namespace(op)
        metric = None if self.embeddings is None else self._index.metric
        return _Work(asked, fields=self._index.fields, metric=metric)


class AsyncStore(Store):
    """A store with the names of LangGraph's asynchronous stores."""

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, conn_string: str, **options: Any) -> AsyncGenerator[Self]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Open a store on a server; options of a connection pool are not needed and passed over."""
        async with AsyncMemory(url=conn_string) as memory:
            yield cls(memory, **_without_pool(options))

    async def setup(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Do nothing: the tables are there once the memory is open."""


class _Work:
    """Operations of LangGraph on their way through batches of documents."""

    def __init__(self, ops: Sequence[Op], *, fields: Sequence[str], metric: str | None) -> None:
        self._ops = ops
        self._fields = fields
        self._metric = metric
        self._waiting: list[tuple[int | None, Operation]] = [
            (place, self._operation(op)) for place, op in enumerate(ops)
        ]
        self._found: list[list[Any]] = [[] for _ in ops]

    @property
    def texts(self) -> list[str]:
        """The texts of the items that are to be embedded, in order."""
        return [text for op in self._ops if isinstance(op, PutOp) for text in self._texts(op)]

    @property
    def queries(self) -> list[str]:
        """The queries that are to be embedded, in order."""
        return [op.query for op in self._ops if isinstance(op, SearchOp) and op.query]

    def embedded(self, texts: Sequence[Sequence[float]], queries: Sequence[Sequence[float]]) -> None:
        """Take the vectors of ``texts`` and ``queries``: the caller's own rank instead of ours."""
        items, asked = iter(texts), iter(queries)
        for (_, operation), op in zip(self._waiting, self._ops, strict=True):
            if isinstance(op, PutOp) and op.value is not None:
                operation["vectors"] = [list(next(items)) for _ in self._texts(op)]
            elif isinstance(op, SearchOp) and op.query:
                del operation["question"], operation["relevant"]
                operation |= {"vector": list(next(asked)), "metric": self._metric}

    def following(self) -> list[Operation]:
        """Return the operations to do next; none once all is done."""
        return [operation for _, operation in self._waiting]

    def take(self, answers: Sequence[Any]) -> None:
        """Take the answers to ``following``; further pages, and times to live that begin anew, come next."""
        asked, self._waiting = self._waiting, []
        for (place, operation), answer in zip(asked, answers, strict=True):
            if place is None:
                continue
            op, found = self._ops[place], self._found[place]
            if isinstance(op, ListNamespacesOp):
                page = [tuple(one.path) for one in answer.paths]
            elif isinstance(op, SearchOp):
                known = {one.document.id for one in found}
                page = [one for one in answer.documents if one.document.id not in known][
                    : _wanted(op) - len(found)
                ]
                self._refresh([one.document for one in page], wanted=op.refresh_ttl)
            else:
                page = [] if answer.document is None else [answer.document]
                self._refresh(page, wanted=isinstance(op, GetOp) and op.refresh_ttl)
            found += page
            self._ask_further(place, operation, op, len(page), _wanted(op) - len(found))

    def _ask_further(self, place: int, operation: Operation, op: Op, got: int, rest: int) -> None:
        """Ask for the next page of a full one; where a search has ranked all, for items without a rank."""
        if rest <= 0 or "limit" not in operation:
            return
        if got == operation["limit"]:
            further = {"offset": operation["offset"] + got, "limit": min(_MOST, rest)}
            self._waiting.append((place, {**operation, **further}))
        elif (
            isinstance(op, SearchOp) and op.offset == 0 and ("question" in operation or "vector" in operation)
        ):
            plain = {name: operation[name] for name in ("do", "path", "filter", "offset")}
            self._waiting.append((place, {**plain, "limit": min(_MOST, op.limit)}))

    def results(self) -> list[Result]:
        """Return the results, in the order of the operations."""
        return [self._result(op, found) for op, found in zip(self._ops, self._found, strict=True)]

    def _refresh(self, documents: Sequence[Any], *, wanted: bool) -> None:
        for one in documents if wanted else ():
            if one.ttl_seconds is not None:
                self._waiting.append((None, {"do": "touch", "path": one.path, "key": one.key}))

    def _operation(self, op: Op) -> Operation:
        match op:
            case PutOp():
                return self._put(op)
            case GetOp():
                return {"do": "get", "path": list(op.namespace), "key": op.key}
            case SearchOp():
                page = {"offset": op.offset, "limit": min(op.limit, _MOST)}
                where = {"path": list(op.namespace_prefix) or None, "filter": _filter(op.filter or {})}
                asks = {"question": op.query, "relevant": False} if self._fields and op.query else {}
                return {"do": "search", **where, **page, **asks}
            case ListNamespacesOp():
                return _listing(op)

    def _put(self, op: PutOp) -> Operation:
        where: Operation = {"path": list(op.namespace), "key": op.key}
        if op.value is None:
            return {"do": "delete", **where}
        ttl = None if op.ttl is None else op.ttl * 60
        index = self._paths(op)
        return {
            "do": "put",
            **where,
            "value": dict(op.value),
            "index": index,
            "ttl_seconds": ttl,
            "verbatim": True,
        }

    def _paths(self, op: PutOp) -> list[str]:
        """Return the paths that an item is found by; none if it is kept out of the index."""
        if not self._fields or op.index is False:
            return []
        return list(self._fields) if op.index is None else op.index

    def _texts(self, op: PutOp) -> list[str]:
        return (
            []
            if op.value is None
            else [t for path in self._paths(op) for t in get_text_at_path(op.value, path)]
        )

    def _result(self, op: Op, found: list[Any]) -> Result:
        match op:
            case PutOp():
                return None
            case GetOp():
                return Item(**_item(found[0])) if found else None
            case SearchOp():
                return [SearchItem(**_item(one.document), score=one.score) for one in found]
            case ListNamespacesOp():
                return _namespaces(op, found)


def _item(document: Any) -> dict[str, Any]:
    return {
        "namespace": tuple(document.path),
        "key": document.key,
        "value": document.value,
        "created_at": document.created_at,
        "updated_at": document.updated_at,
    }


def _without_pool(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in ("pipeline", "pool_config")}


def _filter(conditions: Mapping[str, Any], prefix: str = "value") -> dict[str, Any]:
    """Return LangGraph's conditions on an item as a filter of documents.

    Raises:
        ValueError: an operator is none of LangGraph's.
    """
    made: dict[str, Any] = {}
    for name, operand in conditions.items():
        field = f"{prefix}.{name.replace(chr(92), chr(92) * 2).replace('.', chr(92) + '.')}"
        if not isinstance(operand, Mapping) or not operand:
            made[field] = {"eq": operand}
        elif any(str(one).startswith("$") for one in cast(Mapping[Any, Any], operand)):
            made[field] = {_operator(one): value for one, value in cast(Mapping[str, Any], operand).items()}
        else:
            made |= _filter(cast(Mapping[str, Any], operand), field)
    return made


def _operator(name: str) -> str:
    if name not in _OPERATORS:
        raise ValueError(f"Unsupported operator: {name}")
    return _OPERATORS[name]


def _wanted(op: Op) -> int:
    """Return the number of rows that an operation asks for."""
    if isinstance(op, ListNamespacesOp):
        return op.limit if _is_plain(op) else 10**9
    return op.limit if isinstance(op, SearchOp) else 1


def _is_plain(op: ListNamespacesOp) -> bool:
    """Return True if the database can list the namespaces: with one condition of each kind at most."""
    kinds = [one.match_type for one in op.match_conditions or () if one.path]
    return len(kinds) == len(set(kinds))


def _listing(op: ListNamespacesOp) -> Operation:
    if not _is_plain(op):
        return {"do": "list_paths", "offset": 0, "limit": _MOST}
    ends = {one.match_type: list(one.path) for one in op.match_conditions or () if one.path}
    return {
        "do": "list_paths",
        **ends,
        "depth": op.max_depth,
        "offset": op.offset,
        "limit": min(op.limit, _MOST),
    }


def _namespaces(op: ListNamespacesOp, found: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    if _is_plain(op):
        return list(found)
    matching = [path for path in found if all(_matches(one, path) for one in op.match_conditions or ())]
    cut = sorted({path[: op.max_depth] for path in matching})
    return cut[op.offset : op.offset + op.limit]


def _matches(condition: MatchCondition, path: tuple[str, ...]) -> bool:
    names = condition.path
    part = path[: len(names)] if condition.match_type == "prefix" else path[-len(names) :] if names else ()
    return len(part) == len(names) and all(name in ("*", one) for name, one in zip(names, part, strict=True))
