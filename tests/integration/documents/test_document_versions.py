"""Earlier versions of documents: told apart, written again, taken out for good."""

from __future__ import annotations

import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict, NotFound, Outdated

pytestmark = pytest.mark.anyio

SPACE = "desk"


async def test_versions_of_documents_that_stood_at_one_place_are_told_apart(memory: AsyncMemory) -> None:
    documents = memory.documents
    await documents.put("notes", "a", {"v": "old"}, space=SPACE)
    await documents.put("notes", "a", {"v": "old 2"}, space=SPACE)
    await documents.delete("notes", "a", space=SPACE)
    await documents.put("notes", "a", {"v": "new"}, space=SPACE)
    await documents.put("notes", "a", {"v": "new 2"}, space=SPACE)
    history = await documents.history("notes", "a", space=SPACE)
    assert [(one.version, one.value["v"]) for one in history] == [
        (2, "new 2"), (1, "new"), (2, "old 2"), (1, "old"),
    ]  # fmt: skip
    old = history[-1].document

    with pytest.raises(BadInput, match="document"):
        await documents.redact("notes", "a", 1, space=SPACE, confirm=True)
    done = await documents.redact("notes", "a", 1, document=old, space=SPACE, confirm=True)
    assert (done.document, done.redacted, done.value) == (old, True, None)
    assert (await documents.revert("notes", "a", to=1, space=SPACE)).value == {"v": "new"}
    with pytest.raises(Conflict):
        await documents.revert("notes", "a", to=2, document=old, space=SPACE)
    await documents.delete("notes", "a", space=SPACE)
    assert (await documents.revert("notes", "a", to=2, document=old, space=SPACE)).value == {"v": "old 2"}
    with pytest.raises(NotFound):
        await documents.revert("notes", "a", to=1, document="nobody's", space=SPACE)


async def test_a_document_that_was_renamed_is_reverted_where_it_stands(memory: AsyncMemory) -> None:
    documents = memory.documents
    await documents.put("notes", "a", {"v": 1}, space=SPACE)
    await documents.rename("notes", "a", to="archive", space=SPACE)
    with pytest.raises(Conflict, match="another place"):
        await documents.revert("notes", "a", to=1, space=SPACE)
    await documents.put("archive", "a", {"v": 2}, space=SPACE)
    assert (await documents.revert("archive", "a", to=1, space=SPACE)).value == {"v": 1}
    assert (await documents.redact("notes", "a", 1, space=SPACE, confirm=True)).redacted


async def test_what_is_redacted_is_gone_for_good(memory: AsyncMemory) -> None:
    await memory.documents.put("notes", "a", space=SPACE, body="the secret word is xylophone")
    await memory.documents.put("notes", "a", space=SPACE, body="nothing here")
    shown = await memory.documents.redact("notes", "a", 1, space=SPACE)
    assert not shown.redacted
    done = await memory.documents.redact("notes", "a", 1, space=SPACE, confirm=True)
    assert (done.redacted, done.body, done.sha256) == (True, None, shown.sha256)
    with pytest.raises(BadInput, match="taken out"):
        await memory.documents.revert("notes", "a", to=1, space=SPACE)
    with pytest.raises(BadInput, match="stands"):
        await memory.documents.redact("notes", "a", 2, space=SPACE, confirm=True)


async def test_puts_of_a_batch_may_expect_a_version_and_are_all_done_or_none(memory: AsyncMemory) -> None:
    documents = memory.documents
    await documents.put("notes", "a", {"v": 1}, space=SPACE)

    def batch(a: int, b: int) -> list[dict[str, object]]:
        return [
            {"do": "put", "path": "notes", "key": "a", "value": {"v": 2}, "expected_version": a},
            {"do": "put", "path": "notes", "key": "b", "value": {"v": 2}, "expected_version": b},
        ]

    for a, b, error in ((2, 0, Outdated), (1, 1, NotFound), (0, 0, Outdated)):
        with pytest.raises(error, match=r"'[ab]'"):
            await documents.batch(batch(a, b), space=SPACE)
        assert [one.value for one in await documents.list("notes", space=SPACE)] == [{"v": 1}]
    written = await documents.batch(batch(1, 0), space=SPACE)
    assert [one.document and one.document.version for one in written] == [2, 1]
