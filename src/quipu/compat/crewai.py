"""CrewAI's storage of unified memory over documents.

from quipu.compat.crewai import QuipuStorage

memory = Memory(storage=QuipuStorage(space="crew"))
set_memory_storage_factory(lambda _: QuipuStorage(space="crew"))  # or for every crew of the process
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, Final

from quipu import Memory
from quipu.compat.face import BlockingFace

_PAGE: Final = 1_000


class QuipuStorage(BlockingFace):
    """A storage backend of CrewAI: its records are documents, their scopes paths.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database. What the
    storage opened itself it closes (``close``). Records are kept letter for letter, secrets included.
    """

    def __init__(
        self, memory: Memory | str | None = None, *, space: str = "default", path: str = "crewai"
    ) -> None:
        super().__init__(memory, space=space)
        self._base = path.strip("/").split("/")

    def save(self, records: Sequence[Any]) -> None:
        """Write records; up to 1,000 of them at once, or none.

        Raises:
            EmbeddingDimensionMismatchError: Their embeddings have other dimensions than those there.
        """
        self._check_dimensions(*(len(one.embedding) for one in records if one.embedding))
        self._batch([{"do": "put", **self._put(one)} for one in records])

    def update(self, record: Any) -> None:
        """Write a record in the place of the one with its id, whose embedding it keeps if it has none.

        Raises:
            EmbeddingDimensionMismatchError: Its embedding has other dimensions than those there.
        """
        self._check_dimensions(*([len(record.embedding)] if record.embedding else []))
        put = self._put(record)
        found = self._found({"value.id": record.id})
        found.sort(key=lambda one: list(one.path) != put["path"])
        if found:
            put["metadata"] = {**found[0].metadata, **put["metadata"]}
            if list(found[0].path) != put["path"]:
                self._blocking.documents.rename(
                    found[0].path, found[0].key, to=put["path"], space=self._space
                )
        self._batch([*map(_delete, found[1:]), {"do": "put", **put}])

    def get_record(self, record_id: str) -> Any:
        """Return the record with an id; None if there is none."""
        found = self._found({"value.id": record_id}, most=1)
        return _record(found[0]) if found else None

    def search(
        self,
        query_embedding: Sequence[float],
        scope_prefix: str | None = None,
        categories: Sequence[str] | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[Any, float]]:
        """Return the records whose embeddings are nearest, with scores, the best first.

        The score is that of the default storage: 1 / (1 + the squared distance).

        Raises:
            EmbeddingDimensionMismatchError: The embedding has other dimensions than those there.
        """
        self._check_dimensions(len(query_embedding))
        found: list[Any] = []
        while len(found) < limit:
            rows = min(_PAGE, limit - len(found))
            page = self._blocking.documents.search(
                vector=query_embedding,
                metric="l2",
                space=self._space,
                path=self._path(scope_prefix),
                filter=_where(categories, metadata_filter),
                limit=rows,
                offset=len(found),
            )
            found += page
            if len(page) < rows:
                break
        scored = [(_record(one.document), 1 / (1 + one.score**2)) for one in found]
        return [one for one in scored if one[1] >= min_score]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: Sequence[str] | None = None,
        record_ids: Sequence[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
    ) -> int:
        """Take the records away for which all criteria hold, and count them."""
        where = _where(categories, metadata_filter)
        if record_ids:
            where["value.id"] = {"in": list(record_ids)}
        if older_than is not None:
            where["created_at"] = {"lt": _moment(older_than)}
        gone = self._found(where, scope=scope_prefix)
        self._batch([_delete(one) for one in gone])
        return len(gone)

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[Any]:
        """Return the records of a scope and of those below it, the newest first."""
        if limit <= 0 or offset < 0:
            return []
        found = sorted(
            self._found({}, scope=scope_prefix), key=lambda one: one.metadata["created_at"], reverse=True
        )
        return [_record(one) for one in found[offset : offset + limit]]

    def get_scope_info(self, scope: str) -> Any:
        """Return the number of records in a scope and below it, with their categories and times."""
        found = [_record(one) for one in self._found({}, scope=scope)]
        times = sorted((one.created_at for one in found), key=_moment)
        return import_module("crewai.memory.types").ScopeInfo(
            path=scope.rstrip("/") or "/",
            record_count=len(found),
            categories=sorted({category for one in found for category in one.categories}),
            oldest_record=times[0] if times else None,
            newest_record=times[-1] if times else None,
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Return the scopes right below a scope."""
        above = self._path(parent)
        found: list[Any] = []
        while len(found) % _PAGE == 0:
            page = self._blocking.documents.list_paths(
                above, depth=len(above) + 1, space=self._space, limit=_PAGE, offset=len(found)
            )
            if not page:
                break
            found += page
        names = [one.path[len(self._base) :] for one in found if len(one.path) > len(above)]
        return ["/" + "/".join(one) for one in names]

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Return the categories in a scope and below it, with the number of their records."""
        found: list[Any] = []
        while len(found) % _PAGE == 0:
            page = self._blocking.documents.values(
                "value.categories[*]",
                path=self._path(scope_prefix),
                space=self._space,
                limit=_PAGE,
                offset=len(found),
            )
            if not page:
                break
            found += page
        return {one.value: one.documents for one in found}

    def count(self, scope_prefix: str | None = None) -> int:
        """Return the number of records in a scope and below it."""
        return self._blocking.documents.count(self._path(scope_prefix), space=self._space)

    def reset(self, scope_prefix: str | None = None) -> None:
        """Take all records of a scope away, and of those below it."""
        self.delete(scope_prefix)

    async def asave(self, records: Sequence[Any]) -> None:
        """Write records."""
        await asyncio.to_thread(self.save, records)

    async def asearch(
        self,
        query_embedding: Sequence[float],
        scope_prefix: str | None = None,
        categories: Sequence[str] | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[Any, float]]:
        """Return the records whose embeddings are nearest, with scores."""
        return await asyncio.to_thread(
            self.search, query_embedding, scope_prefix, categories, metadata_filter, limit, min_score
        )

    async def adelete(
        self,
        scope_prefix: str | None = None,
        categories: Sequence[str] | None = None,
        record_ids: Sequence[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
    ) -> int:
        """Take the records away for which all criteria hold, and count them."""
        return await asyncio.to_thread(
            self.delete, scope_prefix, categories, record_ids, older_than, metadata_filter
        )

    def _path(self, scope: str | None) -> list[str]:
        return [*self._base, *(name for name in (scope or "").split("/") if name)]

    def _put(self, record: Any) -> dict[str, Any]:
        vectors = {"vectors": [record.embedding]} if record.embedding else {}
        size = {"dimensions": len(record.embedding)} if record.embedding else {}
        return {
            "path": self._path(record.scope),
            "key": record.id,
            "value": record.model_dump(mode="json"),
            "metadata": {"created_at": _moment(record.created_at), **size},
            "index": [] if record.private else ["content"],
            "verbatim": True,
            **vectors,
        }

    def _check_dimensions(self, *sizes: int) -> None:
        """Refuse embeddings of a size that those which are there have not, or of several sizes."""
        if not sizes:
            return
        known = self._found({"dimensions": {"exists": True}}, most=1)
        stored = known[0].metadata["dimensions"] if known else sizes[0]
        for size in sizes:
            if size != stored:
                backend = import_module("crewai.memory.storage.backend")
                raise backend.EmbeddingDimensionMismatchError(stored, size)

    def _found(
        self, where: Mapping[str, Any], *, scope: str | None = None, most: int | None = None
    ) -> list[Any]:
        """Return the documents of records for which conditions hold: all, or the first of them."""
        found: list[Any] = []
        while len(found) % _PAGE == 0 and (most is None or len(found) < most):
            page = self._blocking.documents.list(
                self._path(scope),
                space=self._space,
                filter=where,
                order="key",
                limit=most or _PAGE,
                offset=len(found),
            )
            if not page:
                break
            found += page
        return found

    def _batch(self, operations: Sequence[Mapping[str, Any]]) -> None:
        for start in range(0, len(operations), _PAGE):
            self._blocking.documents.batch(operations[start : start + _PAGE], space=self._space)


def _delete(document: Any) -> dict[str, Any]:
    return {"do": "delete", "path": document.path, "key": document.key}


def _where(categories: Sequence[str] | None, metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a filter for records of one of some categories, with some metadata."""
    where: dict[str, Any] = {}
    if categories:
        where["or"] = [{"value.categories": {"contains": one}} for one in categories]
    if metadata:
        where["and"] = [_equal(name, value) for name, value in metadata.items()]
    return where


def _equal(name: str, value: Any) -> dict[str, Any]:
    """Return the condition that metadata have a value; None is also what is missing."""
    escaped = name.replace("\\", "\\\\").replace(".", "\\.")
    field = f"value.metadata.{escaped}"
    held = {field: {"eq": value}}
    return {"or": [held, {field: {"exists": False}}]} if value is None else held


def _moment(time: datetime) -> str:
    """Return a time so that texts have the order of times; one without a zone is in UTC."""
    return (
        (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="microseconds")
    )


def _record(document: Any) -> Any:
    return import_module("crewai.memory.types").MemoryRecord.model_validate(document.value)
