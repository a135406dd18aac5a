"""What is of a person goes; their names in the rest are told, and taken out when that is asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import one_person
import pytest
from everywhere import found
from one_person import NAME, PERSON, SPACE, STRINGS

from quipu import AsyncMemory
from quipu.errors import BadInput
from quipu.kernel.config import Settings
from quipu.receipts import verify

pytestmark = pytest.mark.anyio

NUMBER = "0049-30-7791234"
# Words that stand in what is not hers, without her name: an assistant's reply, a session of a coding agent.
OF_OTHERS = {"ostrava77", "quelltopf", "rothesayx", "sassnitzy", NUMBER}


@pytest.fixture
async def told(memory: AsyncMemory, tmp_path: Path) -> AsyncMemory:
    await one_person.fill(memory, tmp_path / "agent")
    await memory.work()
    await memory.lessons.extract(space=SPACE)
    await memory.episodes.condense(space=SPACE)
    return memory


def words(settings: Settings) -> dict[str, set[str]]:
    """Where each of the words and names stands."""
    assert settings.database_url is not None
    places: dict[str, set[str]] = {}
    for place, text in found(settings.database_url, [*STRINGS, PERSON, NAME]):
        places.setdefault(text, set()).add(place)
    return places


async def settle(memory: AsyncMemory) -> None:
    await memory.work()
    await memory.episodes.condense(space=SPACE)
    await memory.recall("festival", space=SPACE)


async def test_names_in_the_rest_are_told_and_stay(told: AsyncMemory, settings: Settings) -> None:
    preview = await told.forget(space=SPACE, user=PERSON)
    done = await told.forget(space=SPACE, user=PERSON, confirm=True)
    assert (done.counts, done.left) == (preview.counts, preview.left)
    places = {one.place for one in done.left}
    assert {
        "core.messages.content",
        "transcripts.memories.fact",
        "memory.visitors.name",
        "memory.visitors.data",
    } <= places
    assert all(one.count and "everywhere" in one.how for one in done.left)
    await settle(told)
    after = words(settings)
    of_tables = {"nakskovia", "oberstdorf", "pitlochry", "quedlinbg"}
    assert after.keys() - {PERSON, NAME} <= OF_OTHERS | of_tables


async def test_everywhere_takes_them_out_and_the_rest_follows(told: AsyncMemory, settings: Settings) -> None:
    before = words(settings)
    shown = await told.forget(space=SPACE, user=PERSON, names=[NUMBER], everywhere=True)
    assert words(settings) == before
    done = await told.forget(space=SPACE, user=PERSON, names=[NUMBER], everywhere=True, confirm=True)
    assert (done.counts, done.left) == (shown.counts, [])
    for _ in range(2):
        after = words(settings)
        assert after.keys() <= OF_OTHERS - {NUMBER}
        assert after.keys().isdisjoint({PERSON, NAME})
        await settle(told)
    hits = await told.recall("I will call about the festival", space=SPACE)
    assert any("[erased]" in hit.text for hit in hits)
    rows = await told.tables.query("select name, town from visitors", space=SPACE)
    assert rows.count == 1
    receipts = await told.receipts.list()
    assert verify(receipts).holds
    assert [one.document["type"] for one in receipts] == ["erasure", "remains"]
    assert not any(text in str(receipts) for text in (PERSON, NAME, "visitors", SPACE, *STRINGS))
    again = await told.forget(space=SPACE, user=PERSON, names=[NUMBER], everywhere=True)
    assert not any(again.counts.values())


async def test_a_snapshot_does_not_bring_back_what_went_everywhere(told: AsyncMemory) -> None:
    snapshot = await told.snapshots.create(space=SPACE)
    done = await told.forget(space=SPACE, user=PERSON, everywhere=True, confirm=True)
    assert done.remains is not None
    assert [one["sha256"] for one in done.remains["snapshots"]] == [snapshot.sha256]
    restored = await told.snapshots.restore(snapshot.name, space=SPACE, confirm=True)
    assert restored.erased == 2
    left = await told.forget(space=SPACE, user=PERSON)
    assert [one for one in left.left if one.place.startswith("memory")] == []


async def test_a_check_looks_again(told: AsyncMemory, tmp_path: Path) -> None:
    snapshot = await told.snapshots.create(space=SPACE)
    done = await told.forget(space=SPACE, user=PERSON, confirm=True)
    receipt = str(done.receipt)
    export = tmp_path / "export.txt"
    export.write_text("what zanderfeld was")
    found_now = await told.check_erasure(receipt, ["zanderfeld", NAME], space=SPACE, exports=[export])
    seen = {one.place: one.found for one in found_now.places}
    assert seen[f"export {export}"] == 1
    assert seen[f"snapshot {snapshot.name} (SHA-256 {snapshot.sha256})"] == 1
    assert seen["memory.visitors.name"] == 1
    assert not found_now.clean
    with pytest.raises(BadInput, match="strings"):
        await told.check_erasure(receipt, [""], space=SPACE)


async def test_what_a_table_refuses_is_told(told: AsyncMemory, settings: Settings) -> None:
    await told.tables.create_table(
        "notes",
        "create table notes (id serial primary key, body text check (body not like '%erased%'))",
        description="Notes.",
        embed_fields=[],
        space=SPACE,
    )
    await told.tables.insert("notes", {"body": f"Met {NAME} today."}, space=SPACE)
    done = await told.forget(space=SPACE, user=PERSON, everywhere=True, confirm=True)
    assert {one.place for one in done.left} == {"memory.notes", "memory.notes.body"}
    assert any("refused" in one.how for one in done.left)


async def test_everywhere_names_somebody(memory: AsyncMemory) -> None:
    await memory.observe([{"content": "Hello."}], space=SPACE, session="s")
    for given in ({"session": "s"}, {}):
        with pytest.raises(BadInput):
            await memory.forget(space=SPACE, everywhere=True, **given)  # type: ignore[arg-type]


async def test_a_name_that_others_carry_is_nobodys_alone(memory: AsyncMemory) -> None:
    for user in ("ana-1", "ana-2"):
        await memory.observe(
            [{"content": f"I am {user}.", "role": "user", "speaker": "Ana Lima", "user": user}],
            space=SPACE,
            session="s",
        )
    await memory.observe([{"content": "Hello Ana Lima.", "role": "assistant"}], space=SPACE, session="s")
    assert list((await memory.forget(space=SPACE, user="ana-1")).left) == []


async def test_the_file_of_a_server_is_searched_as_bytes(server_settings: Settings, tmp_path: Path) -> None:
    settings = replace(server_settings, database_url=None)
    async with AsyncMemory(settings=settings) as memory:
        said = [{"content": "It is the word quixotelle.", "user": PERSON}]
        await memory.observe(said, space="bytes", session="s")
        done = await memory.forget(space="bytes", user=PERSON, confirm=True)
        checked = await memory.check_erasure(str(done.receipt), ["quixotelle"], space="bytes")
        places = {one.place: one.found for one in checked.places}
        assert {"write-ahead log", "data files", "archived log"} <= places.keys()
        assert places["write-ahead log"] == 1
        with pytest.raises(BadInput):
            await memory.check_erasure(str(done.receipt), ["q"], space="bytes")
