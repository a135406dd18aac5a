"""LangGraph's store over documents: what agents that used its stores rely on."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterator
from typing import Any, cast

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

from quipu import AsyncMemory, Memory
from quipu.compat.langgraph import AsyncStore, Store
from quipu.errors import BadInput, QuipuError
from quipu.kernel.config import Settings


@pytest.fixture
def memory(settings: Settings) -> Iterator[Memory]:
    with Memory(settings=settings) as memory:
        yield memory


@pytest.fixture
def store(memory: Memory) -> Store:
    return Store(memory, space="desk")


def embed(texts: list[str]) -> list[list[float]]:
    """Counts of the letters a, b and c."""
    return [[float(text.count(letter)) + 0.01 for letter in "abc"] for text in texts]


def test_an_item_reads_as_it_was_put(store: Store) -> None:
    value = {"a": [1, 2.5, None, {"b": "ä\n"}], "token": "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3}
    store.put(("users", "alice\n"), "k.1", value)
    item = store.get(("users", "alice\n"), "k.1")
    assert item is not None
    assert (item.value, item.namespace, item.key) == (value, ("users", "alice\n"), "k.1")
    store.put(("users", "alice\n"), "k.1", {"a": 2})
    again = store.get(("users", "alice\n"), "k.1")
    assert again is not None
    assert again.updated_at > item.updated_at
    assert again.created_at == item.created_at
    store.delete(("users", "alice\n"), "k.1")
    store.delete(("users", "alice\n"), "k.1")
    assert store.get(("users", "alice\n"), "k.1") is None


def test_numbers_are_compared_as_numbers(store: Store) -> None:
    for n in (9, 10, 100):
        store.put(("n",), str(n), {"n": n, "nested": {"n": n}, "x.y": n}, index=False)
    found = store.search(("n",), filter={"n": {"$gt": 9, "$lte": 100}})
    assert {item.key for item in found} == {"10", "100"}
    assert [item.key for item in store.search(("n",), filter={"nested": {"n": 9}})] == ["9"]
    assert [item.key for item in store.search(("n",), filter={"x.y": 100})] == ["100"]
    assert {item.key for item in store.search(("n",), filter={"n": {"$ne": 9}})} == {"10", "100"}
    with pytest.raises(ValueError, match="Unsupported operator"):
        store.search(("n",), filter={"n": {"$like": 1}})


def test_more_than_a_thousand_items_are_returned(store: Store) -> None:
    for begin in range(0, 1_200, 400):
        store.batch([PutOp(("n",), str(begin + n), {"n": n}, index=False) for n in range(400)])
    assert len(store.search(("n",), limit=5_000)) == 1_200
    assert len(store.search(("n",), limit=1_100, offset=150)) == 1_050


def test_a_query_ranks_all_that_is_indexed_and_fills_up(store: Store) -> None:
    store.put(("d",), "tea", {"text": "Ana drinks green tea."})
    store.put(("d",), "boat", {"text": "The boat is moored in Horta."})
    store.put(("d",), "hidden", {"text": "Ana drinks black tea."}, index=False)
    found = store.search(("d",), query="What does Ana drink?")
    assert [item.key for item in found] == ["tea", "boat", "hidden"]
    assert found[0].score is not None
    assert found[2].score is None
    assert [item.key for item in store.search(("d",), query="tea", limit=2)] == ["tea", "boat"]


def test_the_callers_own_model_ranks(memory: Memory) -> None:
    store = Store(memory, space="own", index={"dims": 3, "embed": embed, "fields": ["t", "more[*]"]})
    store.put(("d",), "a", {"t": "aaa", "more": ["x", "bbb"]})
    store.put(("d",), "c", {"t": "ccc"})
    assert [item.key for item in store.search(("d",), query="c")] == ["c", "a"]
    best = store.search(("d",), query="b")[0]
    assert best.key == "a"
    assert best.score == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("index", "says"),
    [
        ({"distance_type": "dot"}, "index.distance_type: 'dot' is none of cosine, inner_product, l2"),
        ({"distance_type": ["cosine"]}, "index.distance_type"),
        ({"fields": 5}, "index.fields: a path or a list of paths"),
        ({"fields": ["a", None]}, "index.fields"),
        ({"dims": "many"}, "index.dims"),
        ({"dims": True}, "index.dims"),
        ({"embed": 7}, "index.embed"),
        ("text", "index: it is a str, not a configuration"),
        (["text"], "index: it is a list"),
    ],
)
def test_an_index_that_is_none_is_refused_before_anything_is_opened(index: Any, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        Store("postgresql://nowhere.invalid/none", index=index)


def test_namespaces_match_by_both_ends(store: Store) -> None:
    for namespace in (("a", "b", "c"), ("a", "x", "c"), ("b", "c"), ("a", "b")):
        store.put(namespace, "k", {"v": 1}, index=False)
    assert store.list_namespaces(prefix=("a", "*", "c")) == [("a", "b", "c"), ("a", "x", "c")]
    assert store.list_namespaces(suffix=("c",), max_depth=2) == [("a", "b"), ("a", "x"), ("b", "c")]
    several = (MatchCondition("prefix", ("a",)), MatchCondition("prefix", ("a", "b")))
    (found,) = store.batch([ListNamespacesOp(match_conditions=several, max_depth=2, limit=10, offset=0)])
    assert found == [("a", "b")]
    with pytest.raises(InvalidNamespaceError):
        store.batch([GetOp(("a.b",), "k")])


def test_a_time_to_live_begins_anew_when_an_item_is_read(memory: Memory) -> None:
    store = Store(memory, space="ttl", ttl={"default_ttl": 5.0, "refresh_on_read": True})
    store.put(("t",), "k", {"v": 1})

    def expires() -> Any:
        return memory.documents.get(["t"], "k", space="ttl").expires_at

    first = expires()
    time.sleep(0.01)
    store.get(("t",), "k", refresh_ttl=False)
    assert expires() == first
    store.get(("t",), "k")
    second = expires()
    assert second > first
    time.sleep(0.01)
    store.search(("t",))
    assert expires() > second
    store.put(("t",), "k", {"v": 2}, ttl=None)
    assert expires() is None


def test_reads_of_a_batch_see_what_stood_before(store: Store) -> None:
    store.put(("t",), "a", {"v": 1})
    results = store.batch(
        [PutOp(("t",), "a", {"v": 2}), GetOp(("t",), "a"), SearchOp(("t",)), PutOp(("t",), "b", None)]
    )
    assert results[0] is None
    assert results[1].value == {"v": 1}  # pyright: ignore[reportOptionalMemberAccess,reportAttributeAccessIssue]
    assert store.batch([]) == []


@pytest.mark.anyio
async def test_an_async_memory_serves_the_async_face(settings: Settings) -> None:
    async with AsyncMemory(settings=settings) as memory:
        store = AsyncStore(memory, space="desk")
        await store.setup()
        await store.aput(("t",), "a", {"text": "green tea"})
        item = await store.aget(("t",), "a")
        assert item is not None
        assert [one.key for one in await store.asearch(("t",), query="tea")] == ["a"]
        assert (await memory.recall("tea", space="desk"))[0].kind == "document"
        with pytest.raises(QuipuError, match="AsyncMemory"):
            Store(memory, space="desk").get(("t",), "a")


@pytest.mark.anyio
async def test_an_async_store_blocks_other_threads_alone(settings: Settings) -> None:
    async with AsyncMemory(settings=settings) as memory:
        store = AsyncStore(memory, space="desk")
        for blocking in (
            lambda: store.get(("t",), "a"),
            lambda: store.put(("t",), "a", {"n": 1}),
            lambda: store.batch([]),
        ):
            with pytest.raises(asyncio.InvalidStateError):
                blocking()
        await asyncio.to_thread(store.put, ("t",), "a", {"n": 1})
        item = await asyncio.to_thread(store.get, ("t",), "a")
        assert item is not None
        assert item.value == {"n": 1}
        await store.start_ttl_sweeper()
        assert await store.sweep_ttl() == 0
        assert await store.stop_ttl_sweeper()


@pytest.mark.anyio
async def test_what_is_awaited_at_the_same_moment_is_one_transaction(settings: Settings) -> None:
    async with AsyncMemory(settings=settings) as memory:
        store = AsyncStore(memory, space="desk", index=False)
        puts = [store.aput(("t", str(n % 7)), f"k{n}", {"n": n}) for n in range(1_500)]
        await asyncio.gather(*puts, *(store.aget(("t", "0"), "k0") for _ in range(50)))
        written = await memory.documents.list("t", space="desk", order="key", limit=1_000)
        rest = await memory.documents.list("t", space="desk", order="key", limit=1_000, offset=1_000)
        assert len(written) + len(rest) == 1_500
        assert len({one.updated_at for one in [*written, *rest]}) == 2  # of 1,000 at most


def test_a_batch_may_have_any_number_of_operations(store: Store) -> None:
    puts = [PutOp(("t",), f"k{n}", {"n": n}, index=False) for n in range(1_200)]
    store.batch([*puts, GetOp(("t",), "k0"), SearchOp(("t",), limit=1_300)])
    found = store.batch([GetOp(("t",), "k1199"), SearchOp(("t",), limit=1_300)])
    assert found[0] is not None
    assert len(cast(list[Any], found[1])) == 1_200


def test_a_filter_may_compare_with_infinity(store: Store) -> None:
    store.put(("t",), "a", {"price": 10})
    assert len(store.search(("t",), filter={"price": {"$lt": math.inf}})) == 1
    assert store.search(("t",), filter={"price": {"$lt": -math.inf}}) == []
