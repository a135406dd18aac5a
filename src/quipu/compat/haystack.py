"""Haystack's document store over documents.

from quipu.compat.haystack import QuipuDocumentStore

store = QuipuDocumentStore(space="desk")
store.write_documents([Document(content="The boat is moored in Horta.", meta={"topic": "boats"})])
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from typing import Any, Final, cast

from quipu import Memory
from quipu.compat.face import BlockingFace

_PAGE: Final = 1_000
_COMPARED: Final = {"==": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
_LISTS: Final = {"in": "in", "not in": "nin"}
_FIELDS: Final = ("id", "content", "blob", "meta", "score", "embedding", "sparse_embedding")


class QuipuDocumentStore(BlockingFace):
    """A document store of Haystack: its documents are documents below a path of a space.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database. What the
    store opened itself it closes (``close``).
    """

    def __init__(
        self, memory: Memory | str | None = None, *, space: str = "default", path: str = "haystack"
    ) -> None:
        self._url = memory if isinstance(memory, str) else None
        super().__init__(memory, space=space)
        self._path = path

    def to_dict(self) -> dict[str, Any]:
        """Return the arguments that open this store again; without a URL that is the embedded database."""
        kind = f"{type(self).__module__}.{type(self).__name__}"
        arguments = {"memory": self._url, "space": self._space, "path": self._path}
        return {"type": kind, "init_parameters": arguments}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> QuipuDocumentStore:
        """Open the store that ``to_dict`` described."""
        return cls(**data["init_parameters"])

    def count_documents(self) -> int:
        """Return the number of documents."""
        return self._blocking.documents.count(self._path, space=self._space)

    def count_documents_by_filter(self, filters: Mapping[str, Any]) -> int:
        """Return the number of documents for which filters hold."""
        return self._blocking.documents.count(self._path, space=self._space, filter=_where(filters))

    def filter_documents(self, filters: Mapping[str, Any] | None = None) -> list[Any]:
        """Return the documents for which filters hold, in the order in which they were written first.

        Raises:
            FilterError: The filters are none.
        """
        return [_document(one.value) for one in self._listed(filters)]

    def write_documents(self, documents: object, policy: Any = None) -> int:
        """Write documents, and return how many were written: all of them, or on an error none.

        Raises:
            DuplicateDocumentError: One is there already, and the policy is FAIL or none.
            ValueError: They are no documents.
        """
        kind = import_module("haystack").Document
        if not isinstance(documents, Iterable) or isinstance(documents, str):
            raise ValueError("Please provide a list of Documents.")
        given: dict[str, Any] = {}
        repeated: list[str] = []
        word: str = "none" if policy is None else policy.value
        for one in cast(Iterable[Any], documents):
            if not isinstance(one, kind):
                raise ValueError("Please provide a list of Documents.")
            if one.id in given:
                repeated.append(one.id)
            if word == "overwrite" or one.id not in given:
                given[one.id] = one
        if word != "overwrite":
            there = {one.document.key for one in self._batch("get", list(given)) if one.document}
            if word != "skip" and (there or repeated):
                at = min([*there, *repeated])
                errors = import_module("haystack.document_stores.errors")
                raise errors.DuplicateDocumentError(f"ID '{at}' already exists.")
            given = {id_: one for id_, one in given.items() if id_ not in there}
        self._batch("put", list(given), [_put(one, place) for place, one in enumerate(given.values())])
        return len(given) + (len(repeated) if word == "overwrite" else 0)

    def delete_documents(self, document_ids: Sequence[str]) -> None:
        """Take documents away; an id that is not there is passed over."""
        self._batch("delete", list(dict.fromkeys(document_ids)))

    def delete_all_documents(self) -> None:
        """Take all documents away."""
        self._batch("delete", [one.key for one in self._listed(None)])

    def delete_by_filter(self, filters: Mapping[str, Any]) -> int:
        """Take the documents away for which filters hold, and count them."""
        found = self._listed(filters)
        self._batch("delete", [one.key for one in found])
        return len(found)

    def update_by_filter(self, filters: Mapping[str, Any], meta: Mapping[str, Any]) -> int:
        """Set metadata of the documents for which filters hold, and count them."""
        found = self._listed(filters)
        changed = [_document({**one.value, "meta": {**one.value["meta"], **meta}}) for one in found]
        puts = [_put(one, old.metadata["place"]) for one, old in zip(changed, found, strict=True)]
        self._batch("put", [one.key for one in found], puts)
        return len(found)

    def count_unique_metadata_by_filter(
        self, filters: Mapping[str, Any], metadata_fields: Sequence[str]
    ) -> dict[str, int]:
        """Return the number of different values of fields, among the documents for which filters hold."""
        found = self._metadata(filters)
        names = [name.removeprefix("meta.") for name in metadata_fields]
        return {name: len(_different(found, name)) for name in names}

    def get_metadata_fields_info(self) -> dict[str, dict[str, str]]:
        """Return the fields of the metadata with their types: keyword, int, float or boolean."""
        types: dict[type[object], str] = {bool: "boolean", int: "int", float: "float"}
        return {
            name: {"type": types.get(cast(type[object], type(value)), "keyword")}
            for about in self._metadata(None)
            for name, value in about.items()
            if value is not None
        }

    def get_metadata_field_min_max(self, metadata_field: str) -> dict[str, Any]:
        """Return the least and the greatest value of a field; None where they have no order."""
        name = metadata_field.removeprefix("meta.")
        values = [
            about[name] for about in self._metadata(None) if isinstance(about.get(name), int | float | str)
        ]
        try:
            return {"min": min(values, default=None), "max": max(values, default=None)}
        except TypeError:
            return {"min": None, "max": None}

    def get_metadata_field_unique_values(
        self,
        metadata_field: str,
        search_term: str | None = None,
        from_: int = 0,
        size: int = 10,
        filters: Mapping[str, Any] | None = None,
    ) -> tuple[list[Any], int]:
        """Return some of the different values of a field, and how many there are."""
        values = _different(self._metadata(filters), metadata_field.removeprefix("meta."))
        wanted = (search_term or "").lower()
        every = [(str(one), kind, one) for (kind, _), one in values.items() if wanted in str(one).lower()]
        every.sort(key=lambda one: one[:2])
        return [one for _, _, one in every[from_ : from_ + size]], len(every)

    def retrieve(self, query: str, *, filters: Mapping[str, Any] | None = None, top_k: int = 10) -> list[Any]:
        """Return the documents that answer a query, by words and meaning, the best first, with scores."""
        found = self._blocking.documents.search(
            query, space=self._space, path=self._path, filter=_where(filters), limit=top_k
        )
        return [_document({**one.document.value, "score": one.score}) for one in found]

    def embedding_retrieval(
        self, query_embedding: Sequence[float], *, filters: Mapping[str, Any] | None = None, top_k: int = 10
    ) -> list[Any]:
        """Return the documents whose own embeddings are nearest, by their cosine."""
        found = self._blocking.documents.search(
            vector=query_embedding,
            space=self._space,
            path=self._path,
            filter=_where(filters),
            limit=top_k,
        )
        return [_document({**one.document.value, "score": one.score}) for one in found]

    async def count_documents_async(self) -> int:
        """Return the number of documents."""
        return await asyncio.to_thread(self.count_documents)

    async def count_documents_by_filter_async(self, filters: Mapping[str, Any]) -> int:
        """Return the number of documents for which filters hold."""
        return await asyncio.to_thread(self.count_documents_by_filter, filters)

    async def filter_documents_async(self, filters: Mapping[str, Any] | None = None) -> list[Any]:
        """Return the documents for which filters hold."""
        return await asyncio.to_thread(self.filter_documents, filters)

    async def write_documents_async(self, documents: object, policy: Any = None) -> int:
        """Write documents, and return how many were written."""
        return await asyncio.to_thread(self.write_documents, documents, policy)

    async def delete_documents_async(self, document_ids: Sequence[str]) -> None:
        """Take documents away."""
        await asyncio.to_thread(self.delete_documents, document_ids)

    async def delete_all_documents_async(self) -> None:
        """Take all documents away."""
        await asyncio.to_thread(self.delete_all_documents)

    async def delete_by_filter_async(self, filters: Mapping[str, Any]) -> int:
        """Take the documents away for which filters hold, and count them."""
        return await asyncio.to_thread(self.delete_by_filter, filters)

    async def update_by_filter_async(self, filters: Mapping[str, Any], meta: Mapping[str, Any]) -> int:
        """Set metadata of the documents for which filters hold, and count them."""
        return await asyncio.to_thread(self.update_by_filter, filters, meta)

    async def count_unique_metadata_by_filter_async(
        self, filters: Mapping[str, Any], metadata_fields: Sequence[str]
    ) -> dict[str, int]:
        """Return the number of different values of fields."""
        return await asyncio.to_thread(self.count_unique_metadata_by_filter, filters, metadata_fields)

    async def get_metadata_fields_info_async(self) -> dict[str, dict[str, str]]:
        """Return the fields of the metadata with their types."""
        return await asyncio.to_thread(self.get_metadata_fields_info)

    async def get_metadata_field_min_max_async(self, metadata_field: str) -> dict[str, Any]:
        """Return the least and the greatest value of a field."""
        return await asyncio.to_thread(self.get_metadata_field_min_max, metadata_field)

    async def get_metadata_field_unique_values_async(
        self, metadata_field: str, **named: Any
    ) -> tuple[list[Any], int]:
        """Return some of the different values of a field, and how many there are."""
        return await asyncio.to_thread(self.get_metadata_field_unique_values, metadata_field, **named)

    def _metadata(self, filters: Mapping[str, Any] | None) -> list[dict[str, Any]]:
        return [one.value["meta"] for one in self._listed(filters)]

    def _listed(self, filters: Mapping[str, Any] | None) -> list[Any]:
        found: list[Any] = []
        where = _where(filters)
        while len(found) % _PAGE == 0:
            page = self._blocking.documents.list(
                self._path, space=self._space, filter=where, order="key", limit=_PAGE, offset=len(found)
            )
            if not page:
                break
            found += page
        return sorted(found, key=lambda one: (one.created_at, one.metadata["place"]))

    def _batch(
        self, act: str, keys: Sequence[str], more: Sequence[Mapping[str, Any]] | None = None
    ) -> list[Any]:
        nothing: list[Mapping[str, Any]] = [{} for _ in keys]
        put = nothing if more is None else more
        every = [
            {"do": act, "path": self._path, "key": key, **one} for key, one in zip(keys, put, strict=True)
        ]
        answers: list[Any] = []
        for start in range(0, len(every), _PAGE):
            answers += self._blocking.documents.batch(every[start : start + _PAGE], space=self._space)
        return answers


def _different(metadata: Sequence[Mapping[str, Any]], name: str) -> dict[tuple[str, str], Any]:
    """Return each value of a field once; 1, 1.0, true and a text are not the same."""
    found = [about[name] for about in metadata if about.get(name) is not None]
    return {(type(one).__name__, json.dumps(one, sort_keys=True)): one for one in reversed(found)}


def _document(value: Mapping[str, Any]) -> Any:
    """Return a document of Haystack; what is not among its fields is passed over."""
    kind = import_module("haystack").Document
    return kind.from_dict({name: value.get(name) for name in _FIELDS if value.get(name) is not None})


def _put(document: Any, place: int) -> dict[str, Any]:
    vectors = {} if document.embedding is None else {"vectors": [document.embedding]}
    value = document.to_dict(flatten=False)
    return {
        "value": value,
        "metadata": {"place": place},
        "index": ["content"],
        "verbatim": True,
        **vectors,
    }


def _where(filters: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return filters of Haystack in ours."""
    if not filters:
        return {}
    if "field" in filters:
        return _comparison(filters)
    operator, conditions = filters.get("operator"), filters.get("conditions")
    if operator not in ("AND", "OR", "NOT") or not isinstance(conditions, list):
        raise _wrong("'operator' (AND, OR or NOT) and 'conditions' are needed")
    inner = [_where(one) or {"and": []} for one in cast(list[Mapping[str, Any]], conditions)]
    if not inner:
        return {}
    return {"not": {"and": inner}} if operator == "NOT" else {str(operator).lower(): inner}


def _comparison(condition: Mapping[str, Any]) -> dict[str, Any]:
    if "operator" not in condition or "value" not in condition:
        raise _wrong("'operator' and 'value' are needed")
    field, operator, value = _field(condition["field"]), condition["operator"], condition["value"]
    if isinstance(value, datetime):
        value = value.isoformat()
    if operator in _LISTS:
        if not isinstance(value, list):
            raise _wrong(f"'{operator}' takes a list")
        return {field: {_LISTS[operator]: value}}
    if operator not in _COMPARED:
        raise _wrong(f"unknown operator {operator!r}")
    word = _COMPARED[operator]
    if word in ("eq", "ne"):
        held = {field: {"eq": value}}
        if value is None:  # what is missing is None to Haystack
            held = {"or": [held, {field: {"exists": False}}]}
        return held if word == "eq" else {"not": held}
    if value is None:
        return {field: {"in": []}}
    if isinstance(value, list) or (isinstance(value, str) and not _is_date(value)):
        raise _wrong(f"'{operator}' takes a number or a date")
    return {field: {word: value}}


def _field(name: str) -> str:
    if name.split(".", 1)[0] == "meta" or name in _FIELDS:
        return f"value.{name}"
    return f"value.meta.{name}"


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _wrong(why: str) -> Exception:
    return import_module("haystack.errors").FilterError(f"Invalid filter: {why}.")
