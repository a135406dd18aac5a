"""Many operations on documents at once, and vectors of one's own."""

from __future__ import annotations

from typing import Any

import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput

pytestmark = pytest.mark.anyio
SPACE = "ana"


async def test_a_batch_reads_first_and_answers_in_place(memory: AsyncMemory) -> None:
    await memory.documents.put("n", "a", {"of": "a"}, space=SPACE)
    operations: list[dict[str, Any]] = [
        {"do": "put", "path": "n", "key": "b", "value": {"of": "b"}},
        {"do": "get", "path": "n", "key": "a"},
        {"do": "get", "path": "n", "key": "b"},
        {"do": "list", "path": "n", "filter": {"value.of": "a"}},
        {"do": "list_paths"},
        {"do": "delete", "path": "n", "key": "a"},
        {"do": "delete", "path": "n", "key": "c"},
        {"do": "search", "question": "b"},
        {"do": "put", "path": "n", "key": "d", "value": 1},
        {"do": "put", "path": "n", "key": "d", "value": 2},
    ]
    put, a, b, listed, paths, gone, missing, found, _, last = await memory.documents.batch(
        operations, space=SPACE
    )
    assert put.document is not None
    assert put.document.value == {"of": "b"}
    assert a.document is not None
    assert b.document is None
    assert listed.documents is not None
    assert [one.document.key for one in listed.documents] == ["a"]
    assert paths.paths is not None
    assert [one.path for one in paths.paths] == [["n"]]
    assert (gone.removed, missing.removed) == (True, False)
    assert found.documents is not None
    assert last.document is not None
    assert last.document.value == 2
    assert [one.key for one in await memory.documents.list(space=SPACE, order="key")] == ["b", "d"]


async def test_a_batch_with_a_fault_does_nothing(memory: AsyncMemory) -> None:
    good = {"do": "put", "path": "n", "key": "a", "value": 1}
    for wrong, named in (
        ({"do": "paint"}, r"operations\[1\]"),
        ({"do": "put", "path": "n", "key": "b"}, r"operations\[1\]\.value"),
        ({"do": "put", "path": "n", "key": "b", "value": float("nan")}, r"operations\[1\]\.value"),
        ({"do": "get", "path": "n", "key": "b", "color": 1}, r"operations\[1\]"),
        ({"do": "list", "filter": {"a": {"like": 1}}}, r"operations\[1\]\.filter"),
        ("put", r"operations\[1\]"),
    ):
        with pytest.raises(BadInput, match=named):
            await memory.documents.batch([good, wrong], space=SPACE)
    assert await memory.documents.list(space=SPACE) == []


async def test_vectors_of_ones_own_rank_alone(memory: AsyncMemory) -> None:
    put = memory.documents.put
    await put("n", "east", {"t": 1}, space=SPACE, vectors=[[1.0, 0.0], [0.9, 0.1]], index=False)
    await put("n", "north", {"t": 2}, space=SPACE, vectors=[[0.0, 2.0]], index=False)
    await put("n", "none", {"t": 3}, space=SPACE, index=False)
    await put("n", "deep", {"t": 4}, space=SPACE, vectors=[[1.0, 0.0, 0.0]], index=False)
    search = memory.documents.search
    found = await search(space=SPACE, vector=[0.0, 1.0])
    assert [(one.document.key, round(one.score or 0, 3)) for one in found] == [("north", 1.0), ("east", 0.11)]
    found = await search(
        space=SPACE, vector=[0.0, 1.0], metric="inner_product", filter={"value.t": {"gt": 1}}
    )
    assert [(one.document.key, one.score) for one in found] == [("north", 2.0)]
    found = await search(space=SPACE, vector=[0.0, 1.0], metric="l2", limit=1)
    assert [(one.document.key, one.score) for one in found] == [("north", -1.0)]
    await put("n", "north", {"t": 2}, space=SPACE, vectors=[], index=False)
    assert [one.document.key for one in await search(space=SPACE, vector=[0.0, 1.0])] == ["east"]
    with pytest.raises(BadInput, match="finite"):
        await search(space=SPACE, vector=[float("nan")])
