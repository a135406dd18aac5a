"""Routes of Anthropic's Memory Stores, as ``client.beta.memory_stores`` of its package calls them.

``application`` is what `quipu serve --compat memory-stores` mounts at ``/compat/memory-stores``.

A memory is a document whose key is its id. Its path is metadata, so a memory that gets another one keeps its
history. One that is deleted says so in its last version, and expires with all that it said.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from anyio import Lock
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router

from quipu.compat.memory_stores import shapes
from quipu.compat.memory_stores.shapes import Answer, Place
from quipu.errors import AccessRefused, BadInput, Conflict, KeyRefused, NotFound, Outdated, QuipuError

if TYPE_CHECKING:
    from quipu import AsyncMemory

Level = Literal["read", "write", "admin"]
Enter = Callable[[Request, Level], Awaitable[str]]
"""Returns the space of whoever makes a request, or raises if they may not do what needs the level."""

Call = Callable[[Request], Awaitable[Answer]]
Change = Callable[[Answer], Answer]
_STORES: Final = "memory-stores/stores"
_KEPT_SECONDS: Final = 90 * 86_400
_ROWS: Final = 1_000
_HISTORIES: Final = 100
_WRITERS: Final = ("api_key_id", "service_account_id", "session_id")
_ERRORS: Final[Mapping[type[QuipuError], tuple[int, str]]] = {
    KeyRefused: (401, "authentication_error"),
    AccessRefused: (403, "permission_error"),
    NotFound: (404, "not_found_error"),
    Outdated: (409, "memory_precondition_failed_error"),
    Conflict: (409, "memory_path_conflict_error"),
    BadInput: (400, "invalid_request_error"),
}


def application(memory: AsyncMemory, enter: Enter) -> Router:
    """Build the routes over a memory; errors that are not the caller's go to the application around them."""
    calls = _Routes(memory, enter)
    stores = "/v1/memory_stores"
    store = f"{stores}/{{store}}"
    memories, versions = f"{store}/memories", f"{store}/memory_versions"
    table: list[tuple[str, str, Call]] = [
        ("POST", stores, calls.create_store),
        ("GET", stores, calls.list_stores),
        ("GET", store, calls.retrieve_store),
        ("POST", store, calls.update_store),
        ("DELETE", store, calls.delete_store),
        ("POST", f"{store}/archive", calls.archive_store),
        ("POST", memories, calls.create),
        ("GET", memories, calls.list),
        ("GET", f"{memories}/{{id}}", calls.retrieve),
        ("POST", f"{memories}/{{id}}", calls.update),
        ("DELETE", f"{memories}/{{id}}", calls.delete),
        ("GET", versions, calls.list_versions),
        ("GET", f"{versions}/{{id}}", calls.retrieve_version),
        ("POST", f"{versions}/{{id}}/redact", calls.redact),
    ]
    return Router([Route(path, _endpoint(call), methods=[method]) for method, path, call in table])


def _endpoint(call: Call) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that answers with what a call returns, or with the error as the peer words it."""

    async def endpoint(request: Request) -> Response:
        try:
            return JSONResponse(await call(request))
        except tuple(_ERRORS) as error:
            status, kind = next(named for of, named in _ERRORS.items() if isinstance(error, of))
            shown = {"type": "error", "error": {"type": kind, "message": str(error)}}
            return JSONResponse(shown, status, headers={"x-should-retry": "false"})

    return endpoint


class _Routes:
    """A method for each route."""

    def __init__(self, memory: AsyncMemory, enter: Enter) -> None:
        self._documents = memory.documents
        self._enter = enter
        self._naming = Lock()

    async def create_store(self, request: Request) -> Answer:
        """Create a store."""
        space, body = await self._enter(request, "write"), await _object(request)
        first = {"id": shapes.new_id("memstore"), "created_at": shapes.now(), "archived_at": None}
        value = shapes.described({**first, "description": "", "metadata": {}}, {"name": "", **body})
        return shapes.shown_store(await self._put_store(value, space=space, expected_version=0))

    async def list_stores(self, request: Request) -> Answer:
        """List stores, the oldest first."""
        space, asked = await self._enter(request, "read"), request.query_params
        times = {word: shapes.moment(asked, f"created_at[{word}]") for word in ("gte", "lte")}
        made = {word: time.isoformat() for word, time in times.items() if time}
        where: dict[str, Any] = {"value.id": {"gt": asked.get("page", "")}}
        where |= {"value.created_at": made} if made else {}
        where |= {} if asked.get("include_archived") == "true" else {"value.archived_at": None}
        limit = shapes.limit(asked, full=False)
        found = await self._documents.list(_STORES, space=space, filter=where, order="key", limit=limit + 1)
        return shapes.page([shapes.shown_store(one) for one in found], limit, itemgetter("id"))

    async def retrieve_store(self, request: Request) -> Answer:
        """Return a store."""
        return shapes.shown_store(await self._store(request, await self._enter(request, "read")))

    async def update_store(self, request: Request) -> Answer:
        """Change a store, and return it."""
        space, body = await self._enter(request, "write"), await _object(request)
        return await self._change_store(request, space, lambda old: shapes.described(old, body), is_open=True)

    async def archive_store(self, request: Request) -> Answer:
        """Archive a store, and return it; its memories can be read and deleted from then on."""
        space = await self._enter(request, "write")
        return await self._change_store(
            request,
            space,
            lambda old: {**old, "archived_at": old["archived_at"] or shapes.now()},
            is_open=False,
        )

    async def delete_store(self, request: Request) -> Answer:
        """Erase a store with all its memories and their versions, for good."""
        space = await self._enter(request, "admin")
        id_ = (await self._store(request, space)).key
        await self._documents.erase(shapes.folder(id_), space=space, confirm=True)
        await self._documents.erase(_STORES, id_, space=space, confirm=True)
        return {"id": id_, "type": "memory_store_deleted"}

    async def create(self, request: Request) -> Answer:
        """Create a memory."""
        space, body = await self._enter(request, "write"), await _object(request)
        full = shapes.is_full(request.query_params, otherwise="basic")
        store = await self._store(request, space, is_open=True)
        path, content = (
            shapes.memory_path(body.get("path")),
            shapes.checked_content(body.get("content") or ""),
        )
        return shapes.shown_memory(
            await self._write(store.key, shapes.new_id("mem"), path, content, space=space), full=full
        )

    async def list(self, request: Request) -> Answer:
        """List memories in the order of their creation; with a depth those of a folder, by path."""
        space, asked = await self._enter(request, "read"), request.query_params
        full, store = shapes.is_full(asked, otherwise="basic"), (await self._store(request, space)).key
        limit, after = shapes.limit(asked, full=full), asked.get("page", "")
        prefix, depth = asked.get("path_prefix", "/"), asked.get("depth", "0")
        if not prefix.startswith("/") or not prefix.endswith("/"):
            raise BadInput("it begins and ends with a slash.", field="path_prefix")
        if not depth.isdecimal():
            raise BadInput("a number is needed.", field="depth")
        where = {"path": {"starts": prefix}}
        if int(depth) == 0:
            found = await self._live(store, where, space=space, after=after, rows=limit + 1)
            return shapes.page(
                [shapes.shown_memory(one, full=full) for one in found], limit, lambda one: one["id"]
            )
        items: dict[str, Answer] = {}
        found = await self._live(store, where, space=space)
        while found:
            for one in found:
                path = shapes.level(one.metadata["path"], prefix, int(depth))
                items[path] = (
                    {"type": "memory_prefix", "path": path}
                    if path.endswith("/")
                    else shapes.shown_memory(one, full=full)
                )
            found = await self._live(store, where, space=space, after=found[-1].key)
        rest = [items[path] for path in sorted(items) if path > after]
        return shapes.page(rest[: limit + 1], limit, lambda one: one["path"])

    async def retrieve(self, request: Request) -> Answer:
        """Return a memory."""
        space = await self._enter(request, "read")
        full = shapes.is_full(request.query_params, otherwise="full")
        return shapes.shown_memory(await self._memory(request, space), full=full)

    async def update(self, request: Request) -> Answer:
        """Change a memory or its path, and return it."""
        space, body = await self._enter(request, "write"), await _object(request)
        full = shapes.is_full(request.query_params, otherwise="basic")
        store = await self._store(request, space, is_open=True)
        expected = shapes.expected_digest(body.get("precondition"))
        content = None if body.get("content") is None else shapes.checked_content(body["content"])
        path = None if body.get("path") is None else shapes.memory_path(body["path"])
        while True:
            old = await self._memory(request, space)
            if expected not in (None, old.sha256):
                raise Outdated("its content is another by now.", field="precondition")
            said = old.body if content is None else content
            to = old.metadata["path"] if path is None else path
            if (said, to) == (old.body, old.metadata["path"]):
                return shapes.shown_memory(old, full=full)
            try:
                new = await self._write(store.key, old.key, to, said, space=space, old=old)
            except Outdated:
                continue
            return shapes.shown_memory(new, full=full)

    async def delete(self, request: Request) -> Answer:
        """Delete a memory; its versions stay for 90 days."""
        space = await self._enter(request, "write")
        await self._store(request, space)
        old = await self._memory(request, space)
        await self._documents.put(
            shapes.folder(request.path_params["store"]),
            old.key,
            body="",
            space=space,
            metadata={**old.metadata, "deleted": True},
            index=False,
            ttl_seconds=_KEPT_SECONDS,
            verbatim=True,
            expected_sha256=request.query_params.get("expected_content_sha256"),
        )
        return {"id": old.key, "type": "memory_deleted"}

    async def list_versions(self, request: Request) -> Answer:
        """List versions, the latest first."""
        space, asked = await self._enter(request, "read"), request.query_params
        full, store = shapes.is_full(asked, otherwise="basic"), (await self._store(request, space)).key
        limit, wanted = shapes.limit(asked, full=full), asked.get("operation")
        since, until = shapes.moment(asked, "created_at[gte]"), shapes.moment(asked, "created_at[lte]")
        before = shapes.cursor(asked)
        if any(asked.get(name) for name in _WRITERS):
            return shapes.page([], limit, lambda one: one["id"])
        found: list[Answer] = []
        async with aclosing(self._versions(store, asked.get("memory_id"), space=space)) as versions:
            async for place, one in versions:
                shown = shapes.shown_version(one, full=full)
                if (
                    (before is None or place < before)
                    and wanted in (None, shown["operation"])
                    and (since is None or one.written_at >= since)
                    and (until is None or one.written_at <= until)
                ):
                    found.append(shown)
                if len(found) > limit:
                    break
        return shapes.page(found, limit, lambda one: f"{one['created_at']},{one['id']}")

    async def retrieve_version(self, request: Request) -> Answer:
        """Return a version."""
        space = await self._enter(request, "read")
        full, store = (
            shapes.is_full(request.query_params, otherwise="full"),
            (await self._store(request, space)).key,
        )
        memory, number = shapes.version_of(request.path_params["id"])
        for one in await self._history(store, memory, space=space):
            if one.version == number:
                return shapes.shown_version(one, full=full)
        raise NotFound("There is no such memory version.")

    async def redact(self, request: Request) -> Answer:
        """Take the content of a version out for good; that of a memory as it stands cannot be."""
        space = await self._enter(request, "admin")
        store = (await self._store(request, space)).key
        memory, number = shapes.version_of(request.path_params["id"])
        one = await self._documents.redact(shapes.folder(store), memory, number, space=space, confirm=True)
        return shapes.shown_version(one, full=True)

    async def _store(self, request: Request, space: str, *, is_open: bool = False) -> Any:
        """Return the document of a store; to write in, one that is not archived."""
        try:
            store = await self._documents.get(_STORES, request.path_params["store"], space=space)
        except (BadInput, NotFound) as error:
            raise NotFound("There is no such memory store.") from error
        if is_open and store.value["archived_at"]:
            raise BadInput("the memory store is archived.", field="memory_store_id")
        return store

    async def _change_store(self, request: Request, space: str, change: Change, *, is_open: bool) -> Answer:
        """Change a store; where somebody else did meanwhile, change what that is now."""
        while True:
            old = await self._store(request, space, is_open=is_open)
            value = change(old.value)
            if value == old.value:
                return shapes.shown_store(old)
            try:
                return shapes.shown_store(
                    await self._put_store(value, space=space, expected_version=old.version)
                )
            except Outdated:
                continue

    async def _put_store(self, value: Answer, *, space: str, expected_version: int) -> Any:
        return await self._documents.put(
            _STORES,
            value["id"],
            value,
            space=space,
            index=False,
            verbatim=True,
            expected_version=expected_version,
        )

    async def _memory(self, request: Request, space: str) -> Any:
        """Return the document of a memory."""
        store, id_ = request.path_params["store"], request.path_params["id"]
        try:
            found = await self._documents.get(shapes.folder(store), id_, space=space)
        except (BadInput, NotFound) as error:
            raise NotFound("There is no such memory.") from error
        if found.metadata.get("deleted"):
            raise NotFound("There is no such memory.")
        return found

    async def _write(
        self, store: str, id_: str, path: str, content: str, *, space: str, old: Any = None
    ) -> Any:
        """Write a memory, unless another one has its path; those who name memories wait for each other."""
        async with self._naming:
            for one in await self._live(store, {"path": path}, space=space, rows=2):
                if one.key != id_:
                    raise Conflict(f"a memory is there already: {one.key}.", field="path")
            return await self._documents.put(
                shapes.folder(store),
                id_,
                body=content,
                space=space,
                metadata={"id": id_, "path": path},
                verbatim=True,
                expected_version=0 if old is None else old.version,
            )

    async def _live(
        self, store: str, where: Mapping[str, Any], *, space: str, after: str = "", rows: int = _ROWS
    ) -> Sequence[Any]:
        """Return memories that are not deleted, in the order of their creation."""
        wanted = {**where, "id": {"gt": after}, "deleted": {"exists": False}}
        return await self._documents.list(
            shapes.folder(store), space=space, filter=wanted, order="key", limit=rows
        )

    async def _versions(
        self, store: str, memory: str | None, *, space: str
    ) -> AsyncGenerator[tuple[Place, Any]]:
        """Yield versions with their places, the latest first: of one memory, or of all in a store.

        What changed last has the latest version, so the histories are read as they are needed.
        """
        waiting: list[tuple[Place, Any]] = []
        if memory is not None:
            waiting = [(shapes.place(one), one) for one in await self._history(store, memory, space=space)]
        offset, rows = 0, () if memory else await self._page(store, 0, space=space)
        while rows:
            for document in rows:
                while waiting and waiting[-1][0][0] > document.updated_at:
                    yield waiting.pop()
                history = await self._history(store, document.key, space=space)
                waiting = sorted(
                    [*waiting, *((shapes.place(one), one) for one in history)], key=itemgetter(0)
                )
            offset += len(rows)
            rows = await self._page(store, offset, space=space)
        for one in sorted(waiting, key=itemgetter(0), reverse=True):
            yield one

    async def _page(self, store: str, offset: int, *, space: str) -> Sequence[Any]:
        """Return memories, also deleted ones, the latest change first."""
        return await self._documents.list(shapes.folder(store), space=space, limit=_HISTORIES, offset=offset)

    async def _history(self, store: str, memory: str, *, space: str) -> list[Any]:
        """Return all versions of a memory."""
        found: list[Any] = []
        try:
            while len(found) % _ROWS == 0:
                page = await self._documents.history(
                    shapes.folder(store), memory, space=space, limit=_ROWS, offset=len(found)
                )
                if not page:
                    break
                found += page
        except (BadInput, NotFound):
            return []
        return found


async def _object(request: Request) -> Answer:
    try:
        body = await request.json()
    except ValueError as error:
        raise BadInput("it is no JSON.", field="body") from error
    if not isinstance(body, dict):
        raise BadInput("an object is needed.", field="body")
    return cast(Answer, body)
