"""Documents through the public room: written, read, listed, searched, moved, brought back and erased."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict, NotFound, Outdated, TooLarge
from quipu.kernel.config import Settings
from quipu.testing import FrozenClock

pytestmark = pytest.mark.anyio
SPACE = "ana"


async def test_a_document_reads_as_it_was_written(memory: AsyncMemory) -> None:
    value = {"b": [1, 2.5, None, True, "ä\n\U0001f600"], "a": {"": {}}, "x": []}
    put = await memory.documents.put(
        ["notes", "a/b"], "k.md", value, space=SPACE, body="Text\r\n", metadata={"topic": "t"}, user="ana"
    )
    got = await memory.documents.get(["notes", "a/b"], "k.md", space=SPACE)
    assert got == put
    assert (got.value, got.body, got.metadata, got.user) == (value, "Text\r\n", {"topic": "t"}, "ana")
    assert got.version == 1


async def test_the_digest_of_a_text_is_that_of_its_bytes(memory: AsyncMemory) -> None:
    put = await memory.documents.put("notes", "a", space=SPACE, body="Grüße")
    assert put.sha256 == sha256("Grüße".encode()).hexdigest()


async def test_writing_the_same_again_makes_no_version(memory: AsyncMemory) -> None:
    await memory.documents.put("notes", "a", {"n": 1}, space=SPACE)
    again = await memory.documents.put("notes", "a", {"n": 1.0}, space=SPACE)
    assert again.version == 1
    changed = await memory.documents.put("notes", "a", {"n": 2}, space=SPACE, actor="planner")
    assert (changed.version, changed.created_at) == (2, again.created_at)
    history = await memory.documents.history("notes", "a", space=SPACE)
    assert [(one.version, one.value, one.ended_by) for one in history] == [
        (2, {"n": 2}, None),
        (1, {"n": 1}, "change"),
    ]
    assert history[0].written_by == "planner"


async def test_a_version_that_is_expected_must_stand(memory: AsyncMemory) -> None:
    put = memory.documents.put
    first = await put("notes", "a", {"n": 1}, space=SPACE, expected_version=0)
    with pytest.raises(Outdated):
        await put("notes", "a", {"n": 2}, space=SPACE, expected_version=0)
    await put("notes", "a", {"n": 2}, space=SPACE, expected_version=1)
    with pytest.raises(Outdated):
        await put("notes", "a", {"n": 3}, space=SPACE, expected_version=1)
    with pytest.raises(Outdated):
        await put("notes", "a", {"n": 3}, space=SPACE, expected_sha256=first.sha256)
    with pytest.raises(NotFound):
        await put("notes", "b", {"n": 3}, space=SPACE, expected_version=1)
    assert (await memory.documents.get("notes", "a", space=SPACE)).value == {"n": 2}


async def test_one_of_many_writers_wins(memory: AsyncMemory) -> None:
    async def write(number: int) -> bool:
        try:
            await memory.documents.put("notes", "a", {"n": number}, space=SPACE, expected_version=0)
        except Outdated:
            return False
        return True

    await memory.documents.put("notes", "other", {}, space=SPACE)
    assert sum(await asyncio.gather(*map(write, range(8)))) == 1


async def test_what_is_deleted_is_gone_and_comes_back(memory: AsyncMemory) -> None:
    await memory.documents.put("notes", "boat", space=SPACE, body="The boat is moored in Horta.")
    assert await memory.recall("Where is the boat moored?", space=SPACE)
    gone = await memory.documents.delete("notes", "boat", space=SPACE)
    assert gone.body == "The boat is moored in Horta."
    assert await memory.recall("Where is the boat moored?", space=SPACE) == []
    assert await memory.documents.list(space=SPACE) == []
    with pytest.raises(NotFound):
        await memory.documents.get("notes", "boat", space=SPACE)
    with pytest.raises(NotFound):
        await memory.documents.delete("notes", "boat", space=SPACE)
    back = await memory.documents.revert("notes", "boat", to=1, space=SPACE)
    assert (back.id, back.body, back.version) == (gone.id, gone.body, 2)
    assert [one.ended_by for one in await memory.documents.history("notes", "boat", space=SPACE)] == [
        None,
        "delete",
    ]
    (hit, *_) = await memory.recall("Where is the boat moored?", space=SPACE)
    assert (hit.kind, hit.source.message) == ("document", "notes/boat:1")


async def test_an_earlier_version_is_written_again(memory: AsyncMemory) -> None:
    await memory.documents.put("notes", "a", space=SPACE, body="red boat")
    await memory.documents.put("notes", "a", space=SPACE, body="blue car")
    back = await memory.documents.revert("notes", "a", to=1, space=SPACE)
    assert (back.body, back.version) == ("red boat", 3)
    assert [one.passage for one in await memory.documents.search("boat", space=SPACE)] == ["red boat"]
    with pytest.raises(NotFound):
        await memory.documents.revert("notes", "a", to=9, space=SPACE)


async def test_documents_move_with_their_history(memory: AsyncMemory) -> None:
    for key in ("a", "b"):
        await memory.documents.put("notes/work", key, space=SPACE, body=f"{key} is about boats")
    await memory.documents.put("notes/work/deep", "c", space=SPACE, body="deep")
    await memory.documents.put("notes/workshop", "d", space=SPACE, body="not below")
    assert await memory.documents.rename("notes/work", to="archive", space=SPACE) == 3
    assert [one.path for one in await memory.documents.list_paths(space=SPACE)] == [
        ["archive"],
        ["archive", "deep"],
        ["notes", "workshop"],
    ]
    history = await memory.documents.history("archive", "a", space=SPACE)
    assert [(list(one.path), one.ended_by) for one in history] == [
        (["archive"], None),
        (["notes", "work"], "rename"),
    ]
    assert await memory.documents.rename("archive", "a", to="archive", to_key="z", space=SPACE) == 1
    with pytest.raises(Conflict, match="stands there"):
        await memory.documents.rename("archive", "z", to="archive", to_key="b", space=SPACE)
    with pytest.raises(NotFound):
        await memory.documents.rename("nowhere", to="archive", space=SPACE)
    for wrong in ("", ["n"] * 1000):
        with pytest.raises(BadInput) as refused:
            await memory.documents.rename("archive", to=wrong, space=SPACE)
        assert refused.value.field == "to"


async def test_lists_keep_to_a_path_and_a_filter(memory: AsyncMemory) -> None:
    for number in range(6):
        await memory.documents.put(
            ["n", f"p{number % 2}"],
            f"k{number}",
            {"n": number},
            space=SPACE,
            metadata={"even": number % 2 == 0},
        )
    lists = memory.documents.list
    assert [one.key for one in await lists(space=SPACE, order="key")] == ["k0", "k2", "k4", "k1", "k3", "k5"]
    assert [one.key for one in await lists(space=SPACE, limit=2, offset=1)] == ["k4", "k3"]
    assert [one.key for one in await lists("n/p1", space=SPACE)] == ["k5", "k3", "k1"]
    some = await lists(space=SPACE, filter={"even": True, "value.n": {"gt": 1}}, order="key")
    assert [one.key for one in some] == ["k2", "k4"]
    either = await lists(space=SPACE, filter={"or": [{"even": False}, {"value.n": 0}]}, order="key")
    assert [one.key for one in either] == ["k0", "k1", "k3", "k5"]


async def test_a_filter_counts_inside_a_search(memory: AsyncMemory) -> None:
    for number in range(40):
        await memory.documents.put(
            "boats", f"k{number}", space=SPACE, body=f"Boat number {number} is red.", metadata={"n": number}
        )
    found = await memory.documents.search("a red boat", space=SPACE, filter={"n": 39}, limit=3)
    assert [one.document.key for one in found] == ["k39"]
    assert len(await memory.documents.search("a red boat", space=SPACE, limit=30)) == 30
    rest = await memory.documents.search("a red boat", space=SPACE, limit=30, offset=30)
    assert len(rest) == 10


async def test_recall_takes_the_filter_of_documents(memory: AsyncMemory) -> None:
    await memory.documents.put("n", "a", {"t": "The boat is red."}, space=SPACE, metadata={"of": "ana"})
    await memory.documents.put("n", "b", {"t": "The boat is blue.", "rank": 2}, space=SPACE)
    await memory.observe([{"content": "The boat is green."}], space=SPACE)
    for filter, colors in (
        ({"of": "ana"}, ["red"]),
        ({"value.rank": {"gt": 1}}, ["blue"]),
        ({"of": "bo"}, []),
    ):
        hits = await memory.recall("What color has the boat?", space=SPACE, filter=filter)
        assert [hit.text.split()[-1].strip(".") for hit in hits] != [] or not colors
        assert all(any(color in hit.text for color in colors) for hit in hits)
    assert (await memory.recall("boat", space=SPACE, filter={"of": "ana"}))[0].metadata == {"of": "ana"}


async def test_only_what_is_wanted_is_found_by_meaning(memory: AsyncMemory) -> None:
    value = {"title": "Whales", "tags": [{"name": "ocean"}, {"name": "mammals"}], "price": "volcano"}
    await memory.documents.put("n", "all", value, space=SPACE)
    await memory.documents.put("n", "none", value, space=SPACE, index=False)
    await memory.documents.put("n", "some", value, space=SPACE, index=["title", "tags[*].name"])
    assert {one.document.key for one in await memory.documents.search("whales", space=SPACE)} == {
        "all",
        "some",
    }
    (hit, *_) = [
        one for one in await memory.documents.search("ocean", space=SPACE) if one.document.key == "some"
    ]
    assert (hit.field, hit.passage) == ("tags[*].name", "ocean")
    volcano = await memory.documents.search("volcano", space=SPACE)
    assert volcano[0].document.key == "all"
    await memory.documents.put("n", "all", value, space=SPACE, index=False)
    assert {one.document.key for one in await memory.documents.search("whales", space=SPACE)} == {"some"}


async def test_passages_know_heading_and_line(memory: AsyncMemory) -> None:
    body = "# Ports\n\nIntro.\n\n## Horta\n\nThe marina has 300 berths.\n\n```\n# no heading\n```\n"
    await memory.documents.put("docs", "ports.md", space=SPACE, body=body)
    (hit, *_) = await memory.documents.search("How many berths has the marina?", space=SPACE)
    assert (hit.heading, hit.line) == ("Ports > Horta", 5)
    assert hit.passage is not None
    assert hit.passage.startswith("## Horta")


async def test_a_changed_document_is_found_by_its_new_words_alone(memory: AsyncMemory) -> None:
    long = "\n\n".join(f"Paragraph {n} speaks of topic number {n} at some length." * 8 for n in range(8))
    await memory.documents.put("docs", "a", space=SPACE, body=long)
    await memory.documents.index(space=SPACE)
    await memory.documents.put("docs", "a", space=SPACE, body=f"A zeppelin appears.\n\n{long}")
    (hit, *_) = await memory.documents.search("zeppelin", space=SPACE)
    assert hit.passage is not None
    assert "zeppelin" in hit.passage
    await memory.documents.put("docs", "a", space=SPACE, body="Only a tandem now.")
    found = await memory.documents.search("zeppelin paragraph topic", space=SPACE)
    assert [one.passage for one in found] in ([], ["Only a tandem now."])


async def test_a_secret_is_cut_out_unless_it_is_wanted_and_never_found(memory: AsyncMemory) -> None:
    key = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    cut = await memory.documents.put("n", "a", {"token": key}, space=SPACE, body=f"The key is {key}.")
    assert cut.redacted == 2
    assert key not in str(await memory.documents.get("n", "a", space=SPACE))
    await memory.documents.put("n", "b", {"token": key}, space=SPACE, body=f"A key is {key}.", verbatim=True)
    as_sent: Any = 1  # what is true where a bool is meant
    await memory.documents.put("n", "c", space=SPACE, body=f"Another key is {key}.", verbatim=as_sent)
    kept = await memory.documents.get("n", "b", space=SPACE)
    assert (kept.value, kept.body, kept.redacted) == ({"token": key}, f"A key is {key}.", 0)
    hits = await memory.recall("What is the key?", space=SPACE)
    assert hits
    assert all(key not in hit.text for hit in hits)


async def test_what_expires_is_gone_at_once(settings: Settings) -> None:
    clock = FrozenClock(datetime(2026, 5, 1, tzinfo=UTC))
    async with AsyncMemory(settings=settings, clock=clock) as memory:
        put = await memory.documents.put("n", "a", space=SPACE, body="A red boat.", ttl_seconds=60)
        assert put.expires_at == clock.now() + timedelta(seconds=60)
        assert await memory.recall("boat", space=SPACE)
        clock.advance(timedelta(seconds=50))
        assert (await memory.documents.touch("n", "a", space=SPACE)).expires_at == clock.now() + timedelta(
            seconds=60
        )
        clock.advance(timedelta(seconds=61))
        assert await memory.recall("boat", space=SPACE) == []
        assert await memory.documents.list(space=SPACE) == []
        assert await memory.documents.list_paths(space=SPACE) == []
        assert await memory.documents.search("boat", space=SPACE) == []
        with pytest.raises(NotFound):
            await memory.documents.get("n", "a", space=SPACE)
        again = await memory.documents.put("n", "a", space=SPACE, body="A blue boat.", expected_version=0)
        assert (again.version, again.created_at) == (1, clock.now())
        assert len(await memory.documents.history("n", "a", space=SPACE)) == 1


async def test_paths_are_listed_by_their_ends_and_depth(memory: AsyncMemory) -> None:
    for path in ("a/b/c", "a/b/d/e", "a/f/i", "a/b/f", "a/c/f", "b/a/f", "users/123", "users/123/settings"):
        await memory.documents.put(path, "k", {}, space=SPACE)

    async def paths(*prefix: Any, **conditions: Any) -> list[Any]:
        return [one.path for one in await memory.documents.list_paths(*prefix, **conditions)]

    assert await paths("a/b", space=SPACE) == [["a", "b", "c"], ["a", "b", "d", "e"], ["a", "b", "f"]]
    assert await paths(suffix="f", space=SPACE) == [["a", "b", "f"], ["a", "c", "f"], ["b", "a", "f"]]
    assert await paths("a", suffix="f", space=SPACE) == [["a", "b", "f"], ["a", "c", "f"]]
    assert await paths("a/*/f", space=SPACE) == [["a", "b", "f"], ["a", "c", "f"]]
    assert await paths("a", depth=2, space=SPACE) == [["a", "b"], ["a", "c"], ["a", "f"]]
    assert await paths(["users", "*", "settings"], space=SPACE) == [["users", "123", "settings"]]


async def test_documents_are_erased_with_a_receipt(memory: AsyncMemory) -> None:
    for key in ("a", "b"):
        await memory.documents.put("n/x", key, space=SPACE, body=f"boat {key}")
    await memory.documents.put("n/x", "a", space=SPACE, body="boat changed")
    await memory.documents.delete("n/x", "b", space=SPACE)
    shown = await memory.documents.erase("n", space=SPACE)
    assert (shown.receipt, dict(shown.counts)) == (None, {"documents": 1, "document_versions": 2})
    done = await memory.documents.erase("n", space=SPACE, confirm=True)
    assert done.receipt
    with pytest.raises(NotFound):
        await memory.documents.history("n/x", "b", space=SPACE)
    assert await memory.recall("boat", space=SPACE) == []


async def test_a_persons_documents_go_with_them(memory: AsyncMemory) -> None:
    await memory.documents.put("n", "a", space=SPACE, body="Ana's boat", user="ana")
    await memory.documents.put("n", "a", space=SPACE, body="Ana's red boat", user="ana")
    await memory.documents.put("n", "b", space=SPACE, body="Bo's boat", user="bo")
    done = await memory.forget(space=SPACE, user="ana", confirm=True)
    assert done.counts["documents"] == 1
    assert [one.key for one in await memory.documents.list(space=SPACE)] == ["b"]


async def test_a_space_sees_only_its_own(memory: AsyncMemory) -> None:
    await memory.documents.put("n", "a", {"of": "ana"}, space="ana")
    await memory.documents.put("n", "a", {"of": "bo"}, space="bo")
    assert (await memory.documents.get("n", "a", space="ana")).value == {"of": "ana"}
    with pytest.raises(NotFound):
        await memory.documents.get("n", "a", space="cy")
    await memory.documents.erase("n", space="ana", confirm=True)
    assert (await memory.documents.get("n", "a", space="bo")).value == {"of": "bo"}


def _circle() -> dict[str, Any]:
    made: dict[str, Any] = {}
    made["self"] = made
    return made


def _deep(value: Any = None) -> Any:
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("path", "key", "given", "named"),
    [
        ([], "k", {"value": 1}, "path"),
        ("", "k", {"value": 1}, "path"),
        (["a", ""], "k", {"value": 1}, "path"),
        (["a\x1fb"], "k", {"value": 1}, "path"),
        (["n"] * 1000, "k", {"value": 1}, "path"),
        (["n" * 500] * 5, "k", {"value": 1}, "path"),
        ("n", "", {"value": 1}, "key"),
        ("n", "a\0b", {"value": 1}, "key"),
        ("n", "k", {}, "value"),
        ("n", "k", {"value": float("nan")}, "value"),
        ("n", "k", {"value": {"x": float("inf")}}, "value"),
        ("n", "k", {"value": "a\0b"}, "value"),
        ("n", "k", {"value": "\ud800"}, "value"),
        ("n", "k", {"value": _circle()}, "value"),
        ("n", "k", {"value": _deep()}, "value"),
        ("n", "k", {"value": {(1, 2): 3}}, "value"),
        ("n", "k", {"value": {"a": [{1: 2}]}}, "value"),
        ("n", "k", {"value": {None: 2}, "index": False}, "value"),
        ("n", "k", {"value": object()}, "value"),
        ("n", "k", {"body": "a\0b"}, "body"),
        ("n", "k", {"body": 3}, "body"),
        ("n", "k", {"value": 1, "metadata": [1]}, "metadata"),
        ("n", "k", {"value": 1, "metadata": {"x": "y" * 100_000}}, "metadata"),
        ("n", "k", {"value": 1, "index": ["a..b"]}, "index"),
        ("n", "k", {"value": 1, "index": "title"}, "index"),
        ("n", "k", {"value": 1, "ttl_seconds": 0}, "ttl_seconds"),
        ("n", "k", {"value": 1, "ttl_seconds": float("nan")}, "ttl_seconds"),
        ("n", "k", {"value": 1, "expected_version": -1}, "expected_version"),
    ],
)
async def test_bad_input_is_named_and_nothing_is_written(
    unchanged: AsyncMemory, path: Any, key: Any, given: dict[str, Any], named: str
) -> None:
    with pytest.raises(BadInput) as refused:
        await unchanged.documents.put(path, key, space="bad", **given)
    assert refused.value.field == named
    assert await unchanged.documents.list(space="bad") == []


async def test_large_bodies_are_taken_up_to_the_limit(memory: AsyncMemory) -> None:
    five = "A line of text that is long enough. " * (5 * 2**20 // 36)
    put = await memory.documents.put("big", "five", space=SPACE, body=five, index=False)
    assert put.sha256 == sha256(five.encode()).hexdigest()
    assert (await memory.documents.get("big", "five", space=SPACE)).body == five
    with pytest.raises(TooLarge, match=r"17\.0 MB"):
        await memory.documents.put("big", "seventeen", space=SPACE, body="x" * (17 * 2**20))
