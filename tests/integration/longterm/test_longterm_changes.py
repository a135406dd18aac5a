"""Memories by hand: each once, changed with their history, found as long as they are live."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quipu import AsyncMemory, acting_for
from quipu.errors import BadInput, Conflict, NotFound
from quipu.kernel.base.clock import FrozenClock
from quipu.kinds.longterm.longterm import AsyncLongterm
from quipu.kinds.longterm.rules import summary_hash

pytestmark = pytest.mark.anyio


async def test_a_memory_is_kept_with_every_column_and_found_by_recall(
    mind: AsyncMemory, longterm: AsyncLongterm, space: str, clock: FrozenClock
) -> None:
    made = await longterm.add(
        "Has a green boat.", space=space, user="ana", category="favorite_things", session="s1", details="oak"
    )
    assert (made.category, made.importance, made.user, made.source) == (
        "favorite_things",
        "medium",
        "ana",
        "s1",
    )
    assert made.hash == summary_hash("has a GREEN boat. ")
    assert (made.version, made.archived, made.access_count, made.created_at) == (1, False, 0, clock.now())
    (hit,) = await mind.recall("green boat", space=space, kinds=("longterm",))
    assert (hit.text, hit.source.role, hit.source.message) == (
        "Has a green boat.\noak",
        "favorite_things",
        made.id,
    )
    assert (hit.source.session, hit.source.user) == ("s1", "ana")


async def test_an_allergy_that_is_written_by_hand_is_a_constraint_unless_the_caller_says_otherwise(
    longterm: AsyncLongterm, space: str
) -> None:
    named = {"category": "context", "importance": "low"}
    for text, told, kept in (
        ("Is allergic to peanuts.", {}, ("constraint", "high")),
        ("Has an egg allergy.", {"category": "personal_data"}, ("personal_data", "high")),
        ("Is allergic to dust.", named, ("context", "low")),
        ("Likes trains.", {}, ("context", "medium")),
    ):
        made = await longterm.add(text, space=space, **told)
        assert (made.category, made.importance) == kept


async def test_saying_it_again_keeps_one_memory_and_its_importance_only_rises(
    longterm: AsyncLongterm, space: str
) -> None:
    first = await longterm.add("Lives in Lisbon", space=space, user="ana", importance="medium")
    low = await longterm.add(" lives  in LISBON", space=space, user="ana", importance="low")
    assert (low.id, low.importance, low.stated_count, low.version) == (first.id, "medium", 2, 1)
    high = await longterm.add("ｌives in Lisbon", space=space, user="ana", importance="high")
    assert (high.id, high.importance, high.stated_count, high.version) == (first.id, "high", 3, 2)
    (before,) = await longterm.history(first.id, space=space)
    assert (before.act, before.importance, before.version) == ("restate", "medium", 1)
    for_bob = await longterm.add("Lives in Lisbon", space=space, user="bob")
    for_all = await longterm.add("Lives in Lisbon", space=space)
    assert len({first.id, for_bob.id, for_all.id}) == 3


async def test_an_edit_makes_a_version_and_keeps_how_it_read(
    mind: AsyncMemory, longterm: AsyncLongterm, space: str, clock: FrozenClock
) -> None:
    made = await longterm.add("Lives in Berlin", space=space, user="ana", category="identity")
    clock.advance(timedelta(days=1))
    edited = await longterm.edit(
        made.id[:8], space=space, summary="Lives in Lisbon", expected_version=1, reason="moved"
    )
    assert (edited.version, edited.hash) == (2, summary_hash("Lives in Lisbon"))
    (before,) = await longterm.history(made.id, space=space)
    assert (before.version, before.summary, before.changed_by, before.reason) == (
        1,
        "Lives in Berlin",
        "hand",
        "moved",
    )
    found = await mind.recall("Berlin Lisbon", space=space)
    assert [hit.text for hit in found] == ["Lives in Lisbon"]
    again = await longterm.add("Lives in Berlin", space=space, user="ana")
    assert again.id != made.id  # the old hash is free


async def test_a_stale_edit_is_refused_and_shows_both_versions(longterm: AsyncLongterm, space: str) -> None:
    made = await longterm.add("Likes tea", space=space)
    await longterm.edit(made.id, space=space, summary="Likes coffee")
    with pytest.raises(Conflict, match=r"version 1 .*Likes tea.* version 2 .*Likes coffee"):
        await longterm.edit(made.id, space=space, summary="Likes milk", expected_version=1)
    with pytest.raises(Conflict, match="version 1"):
        await longterm.archive(made.id, space=space, expected_version=1)
    assert (await longterm.get(made.id, space=space)).summary == "Likes coffee"


async def test_an_edit_that_changes_nothing_writes_nothing(longterm: AsyncLongterm, space: str) -> None:
    made = await longterm.add("Likes tea", space=space, details="green")
    same = await longterm.edit(made.id, space=space, summary="Likes tea", importance="medium")
    assert same == made
    bare = await longterm.edit(made.id, space=space, details="")
    assert (bare.details, bare.version) == (None, 2)


async def test_an_edit_into_another_memory_names_that(longterm: AsyncLongterm, space: str) -> None:
    tea = await longterm.add("Likes tea", space=space)
    milk = await longterm.add("Likes milk", space=space)
    with pytest.raises(Conflict, match=tea.id):
        await longterm.edit(milk.id, space=space, summary="likes TEA")
    assert await longterm.get(milk.id, space=space) == milk
    assert await longterm.history(milk.id, space=space) == []


async def test_what_is_archived_is_out_of_recall_until_it_is_revived_or_said_again(
    mind: AsyncMemory, longterm: AsyncLongterm, space: str
) -> None:
    made = await longterm.add("Keeps two cats", space=space, category="pets")
    gone = await longterm.archive(made.id, space=space, reason="gave them away")
    assert gone.archived
    assert await mind.recall("cats", space=space) == []
    assert await longterm.list(space=space) == []
    assert await longterm.archive(made.id, space=space) == gone
    with pytest.raises(BadInput, match="archived"):
        await longterm.edit(made.id, space=space, summary="Keeps a cat")
    back = await longterm.unarchive(made.id, space=space)
    assert not back.archived
    assert len(await mind.recall("cats", space=space)) == 1
    await longterm.archive(made.id, space=space)
    said = await longterm.add("keeps two cats", space=space)
    assert (said.id, said.archived, said.stated_count) == (made.id, False, 2)
    assert [one.act for one in await longterm.history(made.id, space=space)] == [
        "revive",
        "archive",
        "revive",
        "archive",
    ]


async def test_an_archived_memory_whose_words_another_took_does_not_come_back(
    longterm: AsyncLongterm, space: str
) -> None:
    made = await longterm.add("Plays chess", space=space)
    await longterm.archive(made.id, space=space)
    other = await longterm.add("Plays go", space=space)
    await longterm.edit(other.id, space=space, summary="Plays chess")
    with pytest.raises(Conflict, match=other.id):
        await longterm.unarchive(made.id, space=space)


async def test_a_memory_goes_back_to_an_earlier_version_and_forth_again(
    longterm: AsyncLongterm, space: str
) -> None:
    made = await longterm.add("One", space=space, category="project")
    await longterm.edit(made.id, space=space, summary="Two", category="context")
    back = await longterm.revert(made.id, space=space, to=1, reason="it was right")
    assert (back.summary, back.category, back.version) == ("One", "project", 3)
    forth = await longterm.revert(made.id, space=space, to=2)
    assert (forth.summary, forth.category, forth.version) == ("Two", "context", 4)
    assert await longterm.revert(made.id, space=space, to=4) == forth
    with pytest.raises(NotFound, match="no version 9"):
        await longterm.revert(made.id, space=space, to=9)


async def test_the_list_is_ordered_and_narrowed(
    longterm: AsyncLongterm, space: str, clock: FrozenClock
) -> None:
    for n, importance in enumerate(("low", "high", "medium")):
        clock.advance(timedelta(days=1))
        user = "ana" if n else "bob"
        await longterm.add(f"Fact {n}: 100 %", space=space, user=user, importance=importance, category="pets")  # type: ignore[arg-type]
    listed = await longterm.list(space=space)
    assert [one.importance for one in listed] == ["high", "medium", "low"]
    assert [one.summary for one in await longterm.list(space=space, limit=1, offset=1)] == ["Fact 2: 100 %"]
    for narrowed, expected in (
        ({"user": "bob"}, ["low"]),
        ({"importance": "medium"}, ["medium"]),
        ({"category": "project"}, []),
        ({"text": "FACT 1"}, ["high"]),
        ({"text": "0 %"}, ["high", "medium", "low"]),
        ({"text": "_"}, []),
        ({"since": "2026-03-16"}, ["medium", "high"][::-1]),
        ({"until": "2026-03-16"}, ["low"]),
        ({"state": "archived"}, []),
    ):
        found = await longterm.list(space=space, **narrowed)  # type: ignore[arg-type]
        assert [one.importance for one in found] == expected, narrowed
    counted = await longterm.counts(space=space, user="ana")
    assert [(one.importance, one.live, one.archived) for one in counted] == [("high", 1, 0), ("medium", 1, 0)]


async def test_many_are_archived_after_a_preview(longterm: AsyncLongterm, space: str) -> None:
    for n in range(3):
        await longterm.add(f"Errand {n}", space=space, user="ana", category="context")
    kept = await longterm.add("Is Ana", space=space, user="ana", category="identity")
    preview = await longterm.archive_many(space=space, category="context", before="2027-01-01")
    assert (len(preview.memories), preview.archived) == (3, False)
    assert len(await longterm.list(space=space)) == 4
    done = await longterm.archive_many(space=space, category="context", confirm=True, reason="done")
    assert [one.archived for one in done.memories] == [True] * 3
    assert [one.id for one in await longterm.list(space=space)] == [kept.id]
    assert {one.reason for one in await longterm.history(done.memories[0].id, space=space)} == {"done"}
    with pytest.raises(BadInput, match="say which"):
        await longterm.archive_many(space=space, confirm=True)


async def test_a_search_finds_the_user_s_own_and_everybody_s(longterm: AsyncLongterm, space: str) -> None:
    for user in ("ana", "bob", None):
        await longterm.add(f"The boat of {user} is green", space=space, user=user, category="project")
    for asked, owners in (("ana", {"ana", None}), (None, {"ana", "bob", None}), ("eve", {None})):
        found = await longterm.search("green boat", space=space, user=asked)
        assert {hit.memory.user for hit in found} == owners
    assert await longterm.search("green boat", space=space, category="pets") == []


async def test_one_person_narrows_and_pages_their_own(longterm: AsyncLongterm, space: str) -> None:
    for number, importance in enumerate(("low", "high", "medium")):
        await longterm.add(f"Own {number}", space=space, user="ana", importance=importance)
    with acting_for("ana"):
        pages = [await longterm.list(space=space, limit=1)]
        while pages[-1]:
            pages.append(await longterm.list(space=space, limit=1, after=pages[-1][-1].id))
        assert [one.summary for page in pages for one in page] == ["Own 1", "Own 2", "Own 0"]
        (high,) = await longterm.list(space=space, importance="high")
        assert high.summary == "Own 1"
