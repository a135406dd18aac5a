"""Routes of mem0's platform, as mem0's ``MemoryClient(host=…)`` calls them: v1, v2 and v3.

``application`` is what `quipu serve --compat mem0` mounts at ``/compat/mem0``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route, Router

from quipu.compat.mem0.filters import IDS
from quipu.compat.mem0.memory import AsyncMemory
from quipu.compat.mem0.payload import APP_ID
from quipu.errors import BadInput, NotFound

if TYPE_CHECKING:
    from quipu import AsyncMemory as QuipuAsyncMemory

Level = Literal["read", "write", "admin"]
Enter = Callable[[Request, Level], Awaitable[str]]
"""Returns the space of whoever makes a request, or raises if they may not do what needs the level."""

_ALL: Final = 1_000_000
_TYPES: Final = {"user": "user_id", "agent": "agent_id", "run": "run_id", "app": APP_ID}
_ADD: Final = (*IDS, APP_ID, "metadata", "expiration_date", "infer")
_SEARCH: Final = ("filters", "top_k", "threshold", "show_expired", "limit", "explain")
_UPDATE: Final = ("text", "metadata", "expiration_date")


def application(memory: QuipuAsyncMemory, enter: Enter) -> Router:
    """Build the routes over a memory; errors go to the application around them."""
    calls = _Routes(memory, enter)
    return Router(
        [
            Route("/v1/ping/", calls.ping),
            Route("/v3/memories/add/", calls.add, methods=["POST"]),
            Route("/v3/memories/search/", calls.search, methods=["POST"]),
            Route("/v3/memories/", calls.get_all, methods=["POST"]),
            Route("/v1/memories/", calls.add, methods=["POST"]),
            Route("/v1/memories/", calls.delete_all, methods=["DELETE"]),
            Route("/v1/memories/{id}/history/", calls.history),
            Route("/v1/memories/{id}/", calls.get),
            Route("/v1/memories/{id}/", calls.update, methods=["PUT"]),
            Route("/v1/memories/{id}/", calls.delete, methods=["DELETE"]),
            Route("/v1/batch/", calls.update_many, methods=["PUT"]),
            Route("/v1/batch/", calls.delete_many, methods=["DELETE"]),
            Route("/v1/entities/", calls.entities),
            Route("/v2/entities/{kind}/{name}/", calls.delete_entity, methods=["DELETE"]),
        ]
    )


class _Routes:
    """A method for each route."""

    def __init__(self, memory: QuipuAsyncMemory, enter: Enter) -> None:
        self._memory = memory
        self._enter = enter

    async def ping(self, request: Request) -> JSONResponse:
        """Tell a client that its key opens a space."""
        space = await self._enter(request, "read")
        return JSONResponse({"status": "ok", "org_id": "quipu", "project_id": space, "user_email": None})

    async def add(self, request: Request) -> JSONResponse:
        """Add memories."""
        mem0, body = await self._of(request, "write"), await _object(request)
        return JSONResponse(await mem0.add(body.get("messages"), **_some(body, _ADD)))

    async def search(self, request: Request) -> JSONResponse:
        """Search memories."""
        mem0, body = await self._of(request, "read"), await _object(request)
        found = await mem0.search(body.get("query"), **_some(body, _SEARCH))
        return JSONResponse({"results": [_hosted(one) for one in found["results"]]})

    async def get_all(self, request: Request) -> JSONResponse:
        """List memories, a page at a time."""
        mem0, body = await self._of(request, "read"), await _object(request)
        page, size = _number(request, "page", 1), _number(request, "page_size", 100)
        asked = _some(body, ("filters", "show_expired"))
        every = (await mem0.get_all(**asked, top_k=_ALL))["results"]
        shown = [_hosted(one) for one in every[(page - 1) * size : page * size]]
        after = page + 1 if page * size < len(every) else None
        answer = {
            "count": len(every),
            "next": _page(request, after),
            "previous": _page(request, page - 1 or None),
            "results": shown,
        }
        return JSONResponse(answer)

    async def get(self, request: Request) -> JSONResponse:
        """Return a memory."""
        return JSONResponse(await _there(await self._of(request, "read"), request.path_params["id"]))

    async def update(self, request: Request) -> JSONResponse:
        """Change a memory, and return it."""
        mem0, body, at = await self._of(request, "write"), await _object(request), request.path_params["id"]
        await _there(mem0, at)
        await mem0.update(at, **_some(body, _UPDATE))
        return JSONResponse(await _there(mem0, at))

    async def delete(self, request: Request) -> JSONResponse:
        """Delete a memory."""
        mem0, at = await self._of(request, "write"), request.path_params["id"]
        await _there(mem0, at)
        return JSONResponse(await mem0.delete(at))

    async def delete_all(self, request: Request) -> JSONResponse:
        """Delete all memories that have ids."""
        mem0 = await self._of(request, "write")
        return JSONResponse(await mem0.delete_all(**_some(request.query_params, (*IDS, APP_ID))))

    async def history(self, request: Request) -> JSONResponse:
        """Return the changes of a memory."""
        mem0, at = await self._of(request, "read"), request.path_params["id"]
        rows = await mem0.history(at)
        if not rows:
            raise _missing(at)
        return JSONResponse(rows)

    async def update_many(self, request: Request) -> JSONResponse:
        """Change memories."""
        mem0, many = await self._of(request, "write"), await _many(request)
        for one in many:
            await _there(mem0, one["memory_id"])
        for one in many:
            await mem0.update(one["memory_id"], **_some(one, _UPDATE))
        return JSONResponse({"message": f"Successfully updated {len(many)} memories"})

    async def delete_many(self, request: Request) -> JSONResponse:
        """Delete memories."""
        mem0, many = await self._of(request, "write"), await _many(request)
        for one in many:
            await _there(mem0, one["memory_id"])
        for one in many:
            await mem0.delete(one["memory_id"])
        return JSONResponse({"message": f"Successfully deleted {len(many)} memories"})

    async def entities(self, request: Request) -> JSONResponse:
        """Return the users, agents, runs and applications that have memories, with their numbers."""
        mem0 = await self._of(request, "read")
        found: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for kind, id_ in _TYPES.items():
            listed = await mem0.get_all(filters={id_: {"ne": ""}}, top_k=_ALL, show_expired=True)
            for one in map(_hosted, listed["results"]):
                found.setdefault((kind, one[id_]), []).append(one)
        results = [_entity(kind, name, memories) for (kind, name), memories in sorted(found.items())]
        return JSONResponse({"count": len(results), "next": None, "previous": None, "results": results})

    async def delete_entity(self, request: Request) -> JSONResponse:
        """Delete the memories of somebody."""
        mem0 = await self._of(request, "write")
        kind, name = request.path_params["kind"], request.path_params["name"]
        if kind not in _TYPES:
            raise NotFound(f"There are no entities of the type {kind!r}.")
        await mem0.delete_all(**{_TYPES[kind]: name})
        return JSONResponse({"message": "Entity deleted successfully!"})

    async def _of(self, request: Request, level: Level) -> AsyncMemory:
        return AsyncMemory(self._memory, space=await self._enter(request, level), hosted=True)


async def _there(mem0: AsyncMemory, memory_id: str) -> dict[str, Any]:
    found = await mem0.get(memory_id)
    if found is None:
        raise _missing(memory_id)
    return _hosted(found)


def _missing(memory_id: str) -> NotFound:
    return NotFound(f"Memory with id {memory_id} not found.")


def _hosted(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a memory as the platform shows it: with the id of the application beside the others."""
    about = dict(item["metadata"] or {})
    app = {APP_ID: about.pop(APP_ID)} if APP_ID in about else {}
    return {**item, "metadata": about or None, **app}


def _entity(kind: str, name: str, memories: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "id": f"{kind}:{name}",
        "name": name,
        "type": kind,
        "total_memories": len(memories),
        "created_at": min(one["created_at"] for one in memories),
        "updated_at": max(one["updated_at"] for one in memories),
    }


def _some(given: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: given[name] for name in names if name in given}


async def _object(request: Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except ValueError as error:
        raise BadInput("it is no JSON.", field="body") from error
    if not isinstance(body, dict):
        raise BadInput("an object is needed.", field="body")
    return cast(dict[str, Any], body)


async def _many(request: Request) -> list[dict[str, Any]]:
    many = (await _object(request)).get("memories")
    if not isinstance(many, list) or not all(
        isinstance(one, dict) and isinstance(cast(dict[str, Any], one).get("memory_id"), str)
        for one in cast(list[Any], many)
    ):
        raise BadInput("a list of objects with `memory_id` is needed.", field="memories")
    return cast(list[dict[str, Any]], many)


def _number(request: Request, name: str, otherwise: int) -> int:
    given = request.query_params.get(name, str(otherwise))
    if not given.isdecimal() or not 1 <= int(given) <= _ALL:
        raise BadInput("a number from 1 on is needed.", field=name)
    return int(given)


def _page(request: Request, page: int | None) -> str | None:
    return None if page is None else str(request.url.include_query_params(page=page))
