"""Graph of entities and relations, each a document."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from quipu.compat.server_memory.shapes import (
    Additions,
    Deletions,
    Entities,
    Gone,
    Names,
    Nothing,
    Opening,
    Query,
    Relations,
    Shape,
)
from quipu.errors import Conflict, NotFound

if TYPE_CHECKING:
    from quipu import AsyncMemory

_ENTITIES: Final = ("server-memory", "entities")
_RELATIONS: Final = ("server-memory", "relations")
_SENTENCES: Final = "sentences"
_PAGE: Final = 1_000


class Missing(Exception):
    """An entity that is named does not exist."""


class Graph:
    """The graph of one space, and of one person where a ``user`` is named."""

    def __init__(self, memory: AsyncMemory, *, space: str, user: str | None) -> None:
        self._memory = memory
        self._space = space
        self._user = user

    async def create_entities(self, asked: Entities) -> Any:
        """Add the entities whose names are new, and return them."""
        known = {one.value["name"] for one in await self._all(_ENTITIES)}
        new = [_plain(one) for one in asked.entities if one.name not in known]
        await self._add(_ENTITIES, new)
        return new, {"entities": new}

    async def create_relations(self, asked: Relations) -> Any:
        """Add the relations that are new, and return them."""
        known = [_bare(one.value) for one in await self._all(_RELATIONS)]
        new = [one for one in map(_plain, asked.relations) if one not in known]
        await self._add(_RELATIONS, new)
        return new, {"relations": new}

    async def add_observations(self, asked: Additions) -> Any:
        """Add what was not observed yet, and return it; every entity must be there."""
        there = _by_name(await self._all(_ENTITIES))
        for one in asked.observations:
            if one.entityName not in there:
                raise Missing(f"Entity with name {one.entityName} not found")
        results: list[dict[str, Any]] = []
        for one in asked.observations:
            before = await self._observe(
                there[one.entityName].key,
                lambda standing, one=one: [
                    *standing,
                    *(text for text in one.contents if text not in standing),
                ],
            )
            added = [text for text in one.contents if text not in before]
            results.append({"entityName": one.entityName, "addedObservations": added})
        return results, {"results": results}

    async def delete_entities(self, asked: Names) -> Any:
        """Take entities away, with every relation from or to them."""
        names = set(asked.entityNames)
        gone = [(_ENTITIES, one) for one in await self._all(_ENTITIES) if one.value["name"] in names]
        gone += [
            (_RELATIONS, one)
            for one in await self._all(_RELATIONS)
            if names & {one.value["from"], one.value["to"]}
        ]
        await self._remove(gone)
        return _done("Entities deleted successfully")

    async def delete_observations(self, asked: Deletions) -> Any:
        """Take observations away; who is not there has none."""
        there = _by_name(await self._all(_ENTITIES))
        for one in asked.deletions:
            if one.entityName in there:
                await self._observe(
                    there[one.entityName].key,
                    lambda standing, one=one: [text for text in standing if text not in one.observations],
                )
        return _done("Observations deleted successfully")

    async def delete_relations(self, asked: Gone) -> Any:
        """Take relations away."""
        named = [_plain(one) for one in asked.relations]
        found = await self._all(_RELATIONS)
        await self._remove([(_RELATIONS, one) for one in found if _bare(one.value) in named])
        return _done("Relations deleted successfully")

    async def read_graph(self, _: Nothing) -> Any:
        """Return everything."""
        return await self._shown(lambda _: True, everything=True)

    async def search_nodes(self, asked: Query) -> Any:
        """Return the entities in which a text stands, in any case, and their relations."""
        wanted = asked.query.lower()
        return await self._shown(
            lambda one: any(
                wanted in text.lower() for text in (one["name"], one["entityType"], *one["observations"])
            )
        )

    async def open_nodes(self, asked: Opening) -> Any:
        """Return the entities of these names, and their relations."""
        return await self._shown(lambda one: one["name"] in asked.names)

    async def _shown(self, holds: Callable[[Mapping[str, Any]], bool], *, everything: bool = False) -> Any:
        entities = [_bare(one.value) for one in await self._all(_ENTITIES) if holds(one.value)]
        names = {one["name"] for one in entities}
        relations = [_bare(one.value) for one in await self._all(_RELATIONS)]
        shown = [one for one in relations if everything or names & {one["from"], one["to"]}]
        graph = {"entities": entities, "relations": shown}
        return graph, graph

    async def _all(self, path: Sequence[str]) -> list[Any]:
        """Return documents in the order in which they were made."""
        found: list[Any] = []
        while len(found) % _PAGE == 0:
            page = await self._memory.documents.list(
                path, space=self._space, user=self._user, order="key", limit=_PAGE, offset=len(found)
            )
            if not page:
                break
            found += page
        return sorted(found, key=lambda one: (one.created_at, one.metadata.get("place", 0)))

    async def _add(self, path: Sequence[str], new: Sequence[Mapping[str, Any]]) -> None:
        seen = Counter[str]()
        made: list[dict[str, Any]] = []
        for place, one in enumerate(new):
            digest = _digest(one)
            made.append({"do": "put", **self._put(path, f"{digest}-{seen[digest]}", one, place=place)})
            seen[digest] += 1
        await self._batch(made)

    async def _remove(self, gone: Iterable[tuple[Sequence[str], Any]]) -> None:
        await self._batch({"do": "delete", "path": path, "key": one.key} for path, one in gone)

    async def _batch(self, operations: Iterable[Mapping[str, Any]]) -> None:
        every = list(operations)
        for start in range(0, len(every), _PAGE):
            await self._memory.documents.batch(every[start : start + _PAGE], space=self._space)

    async def _observe(self, key: str, change: Callable[[list[str]], list[str]]) -> list[str]:
        """Change the observations of an entity, whoever changes them at once; return those before."""
        while True:
            try:
                one = await self._memory.documents.get(_ENTITIES, key, space=self._space)
                before = one.value["observations"]
                value = {**_bare(one.value), "observations": change(before)}
                put = self._put(_ENTITIES, key, value, place=one.metadata.get("place", 0))
                await self._memory.documents.put(**put, space=self._space, expected_version=one.version)
            except Conflict:
                continue
            except NotFound as error:
                raise Missing("Entity was deleted meanwhile") from error
            return before

    def _put(self, path: Sequence[str], key: str, value: Mapping[str, Any], *, place: int) -> dict[str, Any]:
        return {
            "path": path,
            "key": key,
            "value": {**value, _SENTENCES: _sentences(value)},
            "metadata": {"place": place},
            "user": self._user,
            "index": [f"{_SENTENCES}[*]"],
            "verbatim": True,
        }


def _plain(one: Shape) -> dict[str, Any]:
    return one.model_dump(by_alias=True)


def _bare(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entity or a relation as it was given, its fields in the order of the reference server."""
    order = ("name", "entityType", "observations", "from", "to", "relationType")
    return {name: value[name] for name in order if name in value}


def _by_name(entities: Sequence[Any]) -> dict[str, Any]:
    return {one.value["name"]: one for one in reversed(entities)}


def _digest(value: Mapping[str, Any]) -> str:
    """Return the beginning of a key; of what is in one call twice the reference server keeps both."""
    named = value.get("name", [value.get("from"), value.get("to"), value.get("relationType")])
    return sha256(json.dumps(named).encode()).hexdigest()[:40]


def _sentences(value: Mapping[str, Any]) -> list[str]:
    if "name" in value:
        return [f"{value['name']} ({value['entityType']})"] + [
            f"{value['name']}: {text}" for text in value["observations"]
        ]
    return [f"{value['from']} {value['relationType']} {value['to']}"]


def _done(message: str) -> Any:
    return message, {"success": True, "message": message}
