"""Lists of documents go on behind a row; passages are listed, and lead back to their document."""

from __future__ import annotations

from typing import Any

import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound

pytestmark = pytest.mark.anyio
SPACE = "ana"


@pytest.mark.parametrize("order", ["updated", "key"])
async def test_a_list_goes_on_behind_a_document(memory: AsyncMemory, order: Any) -> None:
    for number in range(25):
        await memory.documents.put(f"n/{number % 3}", f"k{number:02}", number, space=SPACE)
    whole = await memory.documents.list(space=SPACE, order=order)
    read = list(await memory.documents.list("n", space=SPACE, order=order, limit=10))
    while more := await memory.documents.list("n", space=SPACE, order=order, limit=10, after=read[-1].id):
        read += more
    assert read == list(whole)
    await memory.documents.delete(read[3].path, read[3].key, space=SPACE)
    with pytest.raises(BadInput, match="it is gone"):
        await memory.documents.list(space=SPACE, order=order, after=read[3].id)
    for wrong in ("x", "", "\0"):
        with pytest.raises(BadInput):
            await memory.documents.list(space=SPACE, after=wrong)
    with pytest.raises(BadInput, match="it is gone"):
        await memory.documents.list(space="other", after=read[0].id)


async def test_passages_are_shown_in_order_and_lead_back_to_their_document(memory: AsyncMemory) -> None:
    put = await memory.documents.put(
        ["a/b", "c"],
        "k/1.md",
        {"t": "Quartz"},
        space=SPACE,
        body="# Sea\n\nThe kelp is red.\n\n# Land\n\nDry.",
    )
    passages = await memory.documents.passages(["a/b", "c"], "k/1.md", space=SPACE)
    assert [(one.field, one.heading, one.line) for one in passages] == [
        ("$", None, None),
        ("", "Sea", 1),
        ("", "Land", 5),
    ]
    following = await memory.documents.passages(["a/b", "c"], "k/1.md", space=SPACE, limit=1, offset=2)
    assert list(following) == [passages[2]]
    assert await memory.documents.passages(["a/b", "c"], "k/1.md", space=SPACE, offset=3) == []
    (hit, *_) = await memory.recall("Which colour has the kelp?", space=SPACE)
    assert await memory.documents.cited(hit.id, space=SPACE) == put
    for wrong in ("x", "1.5", "9" * 19, ""):
        with pytest.raises(BadInput):
            await memory.documents.cited(wrong, space=SPACE)
    with pytest.raises(NotFound):
        await memory.documents.cited(hit.id, space="other")
    await memory.documents.put("a", "unindexed", "x", space=SPACE, index=False)
    assert await memory.documents.passages("a", "unindexed", space=SPACE) == []
    with pytest.raises(NotFound):
        await memory.documents.passages("a", "none", space=SPACE)
    with pytest.raises(NotFound):
        await memory.documents.passages("a", "none", space="nowhere")
