"""Memory Stores as Anthropic's own client calls them, against the routes that are served."""

from __future__ import annotations

import asyncio
import unicodedata
from hashlib import sha256
from typing import Any

import anthropic
import httpx2
import pytest
from fastapi import FastAPI

from quipu import AsyncMemory
from quipu.interfaces.server import MOUNTS, create_app, peer

pytestmark = pytest.mark.anyio
BASE = "http://localhost/compat/memory-stores"


@pytest.fixture(scope="module")
def app(memory: AsyncMemory) -> FastAPI:
    """A server that stands in for Anthropic's Memory Stores too."""
    return create_app(memory=memory, mounts=[*MOUNTS, peer("memory-stores")])


class Opened:
    """The client of the peer with keys of one space."""

    def __init__(self, app: FastAPI, memory: AsyncMemory, space: str) -> None:
        self._app, self._memory, self._space = app, memory, space

    async def __call__(self, level: Any = "admin") -> Any:
        issued = await self._memory.keys.create(
            f"{level} of {self._space}", space=self._space, level=level, requests_per_minute=1_000_000
        )
        return self.with_token(issued.token)

    def with_token(self, token: str) -> Any:
        transport = httpx2.ASGITransport(app=self._app)
        client = anthropic.AsyncAnthropic(
            auth_token=token,
            base_url=BASE,
            max_retries=0,
            http_client=httpx2.AsyncClient(transport=transport),
        )
        return client.beta.memory_stores


@pytest.fixture
def opened(app: FastAPI, memory: AsyncMemory, request: pytest.FixtureRequest) -> Opened:
    """Makes clients for a space that the test has to itself."""
    return Opened(app, memory, request.node.name[:60])


@pytest.fixture
async def stores(opened: Opened) -> Any:
    """The client with a key that may do everything."""
    return await opened()


async def every(pages: Any) -> list[Any]:
    return [one async for one in pages]


async def test_a_store_goes_the_whole_way(stores: Any) -> None:
    made = await stores.create(name="Desk", description="Notes.", metadata={"user": "ana", "b": "1"})
    assert made.id.startswith("memstore_")
    assert (made.type, made.archived_at, made.metadata) == ("memory_store", None, {"user": "ana", "b": "1"})
    assert await stores.retrieve(made.id) == made
    changed = await stores.update(made.id, name="Table", metadata={"b": None, "c": "2"})
    assert (changed.name, changed.description) == ("Table", "Notes.")
    assert changed.metadata == {"user": "ana", "c": "2"}
    assert changed.updated_at > made.updated_at
    assert changed.created_at == made.created_at
    assert (await stores.update(made.id, description="")).description == ""
    archived = await stores.archive(made.id)
    assert archived.archived_at is not None
    assert await stores.archive(made.id) == archived
    with pytest.raises(anthropic.BadRequestError, match="archived"):
        await stores.update(made.id, name="x")
    with pytest.raises(anthropic.BadRequestError, match="archived"):
        await stores.memories.create(made.id, path="/a", content="")
    assert await every(stores.list()) == []
    assert await every(stores.list(include_archived=True)) == [archived]
    assert (await stores.delete(made.id)).type == "memory_store_deleted"
    with pytest.raises(anthropic.NotFoundError):
        await stores.retrieve(made.id)


async def test_stores_are_listed_in_pages_and_by_their_time(stores: Any) -> None:
    made = [await stores.create(name=f"store {number}") for number in range(5)]
    first = await stores.list(limit=2)
    assert len(first.data) == 2
    assert await every(stores.list(limit=2)) == made
    later = await every(stores.list(created_at_gte=made[3].created_at))
    assert later == made[3:]
    assert await every(stores.list(created_at_lte=made[1].created_at)) == made[:2]
    assert await every(stores.list(created_at_gte=made[1].created_at, created_at_lte=made[1].created_at)) == [
        made[1]
    ]


async def test_a_memory_keeps_its_content_letter_for_letter(stores: Any) -> None:
    store = (await stores.create(name="Desk")).id
    content = "# Boot\r\n\tpassword: hunter2 sk-ant-api03-" + "a" * 90 + "\nÉ, 舟, 🌊 \u2028"
    made = await stores.memories.create(store, path="/boats/boot é.md", content=content, view="full")
    assert made.content == content
    assert made.content_sha256 == sha256(content.encode()).hexdigest()
    assert made.content_size_bytes == len(content.encode())
    assert (made.path, made.type, made.memory_store_id) == ("/boats/boot é.md", "memory", store)
    read = await stores.memories.retrieve(made.id, memory_store_id=store)
    assert read == made
    basic = await stores.memories.retrieve(made.id, memory_store_id=store, view="basic")
    assert (basic.content, basic.content_sha256) == (None, made.content_sha256)
    empty = await stores.memories.create(store, path="/empty", content="")
    assert (empty.content, empty.content_size_bytes) == (None, 0)
    assert (await stores.memories.retrieve(empty.id, memory_store_id=store)).content == ""


async def test_a_memory_is_changed_renamed_and_deleted_with_its_history(stores: Any) -> None:
    store = (await stores.create(name="Desk")).id
    made = await stores.memories.create(store, path="/a", content="one")
    changed = await stores.memories.update(made.id, memory_store_id=store, content="two")
    assert changed.memory_version_id != made.memory_version_id
    same = await stores.memories.update(made.id, memory_store_id=store, content="two", path="/a")
    assert same == changed
    moved = await stores.memories.update(made.id, memory_store_id=store, path="/b/c", view="full")
    assert (moved.id, moved.path, moved.content) == (made.id, "/b/c", "two")
    other = await stores.memories.create(store, path="/a", content="another")
    gone = await stores.memories.delete(made.id, memory_store_id=store)
    assert (gone.id, gone.type) == (made.id, "memory_deleted")
    for call in (stores.memories.retrieve, stores.memories.delete, stores.memories.update):
        with pytest.raises(anthropic.NotFoundError):
            await call(made.id, memory_store_id=store)
    assert [one.id for one in await every(stores.memories.list(store))] == [other.id]
    await stores.memories.create(store, path="/b/c", content="new")

    versions = await every(stores.memory_versions.list(store, memory_id=made.id, view="full"))
    assert [(one.operation, one.path, one.content) for one in versions] == [
        ("deleted", "/b/c", None),
        ("modified", "/b/c", "two"),
        ("modified", "/a", "two"),
        ("created", "/a", "one"),
    ]
    assert [one.content_size_bytes for one in versions] == [None, 3, 3, 3]
    assert versions[3].id == made.memory_version_id
    assert versions[1].content_sha256 == sha256(b"two").hexdigest()
    assert await stores.memory_versions.retrieve(versions[2].id, memory_store_id=store) == versions[2]


async def test_versions_of_a_store_come_in_order_in_pages_and_by_conditions(stores: Any) -> None:
    store = (await stores.create(name="Desk")).id
    ids = [(await stores.memories.create(store, path=f"/{number}", content="x")).id for number in range(4)]
    for text in ("y", "z"):
        for id_ in ids:
            await stores.memories.update(id_, memory_store_id=store, content=text)
    await stores.memories.delete(ids[1], memory_store_id=store)
    versions = await every(stores.memory_versions.list(store, limit=3))
    assert len({one.id for one in versions}) == len(versions) == 13
    assert versions == sorted(versions, key=lambda one: one.created_at, reverse=True)
    assert versions[0].operation == "deleted"
    created = await every(stores.memory_versions.list(store, operation="created"))
    assert [one.memory_id for one in created] == ids[::-1]
    at = versions[4].created_at
    assert await every(stores.memory_versions.list(store, created_at_gte=at)) == versions[:5]
    assert await every(stores.memory_versions.list(store, created_at_lte=at, memory_id=ids[0])) == [
        one for one in versions[4:] if one.memory_id == ids[0]
    ]
    assert await every(stores.memory_versions.list(store, session_id="sess_x")) == []
    assert await every(stores.memory_versions.list(store, memory_id="mem_nobody")) == []


async def test_a_version_is_redacted_but_for_the_one_that_stands(stores: Any) -> None:
    store = (await stores.create(name="Desk")).id
    made = await stores.memories.create(store, path="/a", content="My key is 4711.")
    with pytest.raises(anthropic.BadRequestError):
        await stores.memory_versions.redact(made.memory_version_id, memory_store_id=store)
    await stores.memories.update(made.id, memory_store_id=store, content="Nothing.")
    redacted = await stores.memory_versions.redact(made.memory_version_id, memory_store_id=store)
    assert redacted.redacted_at is not None
    assert (redacted.content, redacted.path, redacted.content_sha256) == (None, None, None)
    assert redacted.content_size_bytes is None
    assert await stores.memory_versions.retrieve(redacted.id, memory_store_id=store) == redacted
    listed = await every(stores.memory_versions.list(store, view="full"))
    assert [one.content for one in listed] == ["Nothing.", None]
    for unknown in ("memver_x", "memver_mem_00000009", made.memory_version_id[:-1] + "9"):
        with pytest.raises(anthropic.NotFoundError):
            await stores.memory_versions.retrieve(unknown, memory_store_id=store)


async def test_a_precondition_that_does_not_hold_is_a_conflict_and_changes_nothing(stores: Any) -> None:
    store = (await stores.create(name="Desk")).id
    made = await stores.memories.create(store, path="/a", content="one")
    stale: Any = {"type": "content_sha256", "content_sha256": "0" * 64}
    fresh: Any = {"type": "content_sha256", "content_sha256": made.content_sha256}
    with pytest.raises(anthropic.ConflictError) as refused:
        await stores.memories.update(made.id, memory_store_id=store, content="two", precondition=stale)
    body: Any = refused.value.body
    assert body["error"]["type"] == "memory_precondition_failed_error"
    assert refused.value.response.headers["x-should-retry"] == "false"
    with pytest.raises(anthropic.ConflictError):
        await stores.memories.delete(made.id, memory_store_id=store, expected_content_sha256="0" * 64)
    assert (await stores.memories.retrieve(made.id, memory_store_id=store)).content == "one"
    await stores.memories.update(made.id, memory_store_id=store, path="/b", precondition=fresh)
    await stores.memories.delete(made.id, memory_store_id=store, expected_content_sha256=made.content_sha256)
    assert await every(stores.memories.list(store)) == []


async def test_of_many_at_once_one_has_the_path_and_no_change_is_lost(stores: Any) -> None:
    store = (await stores.create(name="Desk")).id
    made = await asyncio.gather(
        *(stores.memories.create(store, path="/a", content=str(number)) for number in range(8)),
        return_exceptions=True,
    )
    (one,) = [one for one in made if not isinstance(one, BaseException)]
    errors: list[Any] = [one for one in made if isinstance(one, anthropic.ConflictError)]
    assert [error.body["error"]["type"] for error in errors] == ["memory_path_conflict_error"] * 7
    other = await stores.memories.create(store, path="/b", content="")
    with pytest.raises(anthropic.ConflictError):
        await stores.memories.update(other.id, memory_store_id=store, path="/a")
    await asyncio.gather(
        stores.memories.update(one.id, memory_store_id=store, content="new"),
        stores.memories.update(one.id, memory_store_id=store, path="/c"),
    )
    read = await stores.memories.retrieve(one.id, memory_store_id=store)
    assert (read.path, read.content) == ("/c", "new")


async def test_lists_go_by_prefix_depth_view_and_page(stores: Any) -> None:
    store = (await stores.create(name="Desk")).id
    paths = ["/notes/b/1", "/notes/a", "/notes-archive/x", "/z", "/notes/b/c/2", "/notes/d/3"]
    for path in paths:
        await stores.memories.create(store, path=path, content=path)
    assert [one.path for one in await every(stores.memories.list(store, limit=2))] == paths
    assert [one.path for one in await every(stores.memories.list(store, path_prefix="/notes/"))] == [
        "/notes/b/1",
        "/notes/a",
        "/notes/b/c/2",
        "/notes/d/3",
    ]
    for limit in (1, 2, 20):
        top = await every(stores.memories.list(store, depth=1, limit=limit))
        assert [(one.type, one.path) for one in top] == [
            ("memory_prefix", "/notes-archive/"),
            ("memory_prefix", "/notes/"),
            ("memory", "/z"),
        ]
    inner = await every(stores.memories.list(store, depth=1, path_prefix="/notes/", view="full"))
    assert [(one.path, getattr(one, "content", None)) for one in inner] == [
        ("/notes/a", "/notes/a"),
        ("/notes/b/", None),
        ("/notes/d/", None),
    ]
    assert (await stores.memories.list(store, limit=1)).data[0].content is None
    for number in range(20):
        await stores.memories.create(store, path=f"/many/{number}", content="x")
    assert len((await stores.memories.list(store, view="full", limit=100)).data) == 20
    assert len((await stores.memories.list(store, limit=100)).data) == 26


@pytest.mark.parametrize(
    "path",
    [
        "",
        "a",
        "/",
        "/a/",
        "/a//b",
        "/a/../b",
        "/./a",
        "/a\nb",
        "/a\u200bb",
        "/a\u2028b",
        "/a\0b",
        unicodedata.normalize("NFD", "/é"),
        "/a" * 21,
        f"/{'é' * 512}",
    ],
)
async def test_a_path_that_is_none_is_refused(stores: Any, path: str) -> None:
    store = (await stores.create(name="Desk")).id
    with pytest.raises(anthropic.BadRequestError):
        await stores.memories.create(store, path=path, content="x")


async def test_what_is_at_the_limit_is_taken_and_what_is_above_refused(stores: Any) -> None:
    store = (await stores.create(name="n" * 255, description="d" * 1_024)).id
    largest = "é" * 51_200
    made = await stores.memories.create(store, path="/a" * 20, content=largest)
    assert made.content_size_bytes == 102_400
    for wrong in (
        stores.memories.create(store, path="/b", content=largest + "x"),
        stores.memories.create(store, path="/b", content="a\0b"),
        stores.memories.create(store, path="/b", content=5),
        stores.memories.update(made.id, memory_store_id=store, content=largest + "x"),
        stores.memories.list(store, limit=0),
        stores.memories.list(store, limit=101),
        stores.memories.list(store, path_prefix="/a"),
        stores.memories.list(store, view="most"),
        stores.memory_versions.list(store, created_at_gte="yesterday"),
        stores.memory_versions.list(store, page="x,y"),
        stores.create(name=""),
        stores.create(name="n" * 256),
        stores.create(name="a\nb"),
        stores.create(name="a", description="d" * 1_025),
        stores.create(name="a", metadata={"k" * 65: "v"}),
        stores.create(name="a", metadata={"k": "v" * 513}),
        stores.create(name="a", metadata={str(number): "v" for number in range(17)}),
        stores.update(store, metadata={str(number): "v" for number in range(17)}),
        stores.memories.update(made.id, memory_store_id=store, precondition={"type": "etag"}),
    ):
        with pytest.raises(anthropic.BadRequestError):
            await wrong
    assert [one.id for one in await every(stores.memories.list(store))] == [made.id]


async def test_the_key_decides_the_space_and_what_may_be_done(opened: Opened, stores: Any) -> None:
    store = (await stores.create(name="Desk")).id
    made = await stores.memories.create(store, path="/a", content="x")
    reader, writer = await opened("read"), await opened("write")
    assert (await reader.memories.retrieve(made.id, memory_store_id=store)).content == "x"
    for refused in (
        reader.create(name="a"),
        reader.memories.update(made.id, memory_store_id=store, content="y"),
        reader.memories.delete(made.id, memory_store_id=store),
        writer.delete(store),
        writer.memory_versions.redact(made.memory_version_id, memory_store_id=store),
    ):
        with pytest.raises(anthropic.PermissionDeniedError):
            await refused
    with pytest.raises(anthropic.AuthenticationError):
        await opened.with_token("quipu_nobody").retrieve(store)


async def test_two_stores_and_two_spaces_know_nothing_of_each_other(
    opened: Opened, stores: Any, app: FastAPI, memory: AsyncMemory
) -> None:
    ana, bob = (await stores.create(name="ana")).id, (await stores.create(name="bob")).id
    made = await stores.memories.create(ana, path="/a", content="x")
    await stores.memories.create(bob, path="/a", content="y")
    with pytest.raises(anthropic.NotFoundError):
        await stores.memories.retrieve(made.id, memory_store_id=bob)
    elsewhere = await Opened(app, memory, "another space")()
    with pytest.raises(anthropic.NotFoundError):
        await elsewhere.memories.retrieve(made.id, memory_store_id=ana)
    assert await every(elsewhere.list()) == []


async def test_recall_finds_a_memory_until_it_is_deleted(
    stores: Any, memory: AsyncMemory, request: pytest.FixtureRequest
) -> None:
    space = request.node.name[:60]
    store = (await stores.create(name="Desk")).id
    made = await stores.memories.create(store, path="/boat.md", content="The boat is moored in Horta.")
    hit = (await memory.recall("Where is the boat moored?", space=space))[0]
    assert (hit.kind, hit.metadata["path"]) == ("document", "/boat.md")
    await stores.memories.delete(made.id, memory_store_id=store)
    assert not await memory.recall("Where is the boat moored?", space=space)
