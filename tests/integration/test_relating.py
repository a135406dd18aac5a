"""A person says what replaces what, and takes it back: through Python and the command line."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio
import pytest
from cli_process import CommandLine
from everywhere import found
from long_form import sized

from quipu import AsyncMemory, acting_for
from quipu.errors import BadInput, Conflict, NotFound
from quipu.kernel.db.database import Database
from quipu.record import relations
from quipu.record.relations import Link

pytestmark = pytest.mark.anyio

JANUARY, MAY, JUNE = "2026-01-05T10:00:00Z", "2026-05-04T10:00:00Z", "2026-06-04T10:00:00Z"
OLD = {"id": "m1", "content": "I live in Hamburg.", "time": JANUARY, "speaker": "Ana"}
NEW = {"id": "m2", "content": "I moved to Lisbon.", "time": MAY, "speaker": "Ana"}
NEWEST = {"id": "m3", "content": "I live in Rome now.", "time": JUNE, "speaker": "Ana"}


@pytest.fixture
async def ana(memory: AsyncMemory) -> AsyncMemory:
    """A memory whose space ``ana`` has three statements, in two sessions and alone."""
    await memory.observe([OLD], space="ana", session="winter")
    await memory.observe([NEW], space="ana", session="spring")
    await memory.observe([NEWEST], space="ana")
    return memory


async def test_what_a_person_says_is_shown_at_both_messages(ana: AsyncMemory) -> None:
    link = await ana.relate("m2", "m1", space="ana", reason="  she   moved ")
    assert (link.newer.text, link.older.text) == (NEW["content"], OLD["content"])
    assert (link.newer.source.message, link.newer.source.session) == ("m2", "spring")
    assert (link.older.source.message, link.older.source.session) == ("m1", "winter")
    assert (link.relation, link.reason, link.made_by, link.strength) == (
        "supersedes",
        "she moved",
        "person",
        1.0,
    )
    assert (link.removed_at, link.removed_by) == (None, None)
    for message in ("m1", "m2"):
        assert await ana.relations(message, space="ana") == [link]
    assert await ana.relations("m3", space="ana") == []


async def test_what_is_taken_back_stays_in_the_history_and_can_be_said_again(ana: AsyncMemory) -> None:
    await ana.relate("m2", "m1", space="ana", reason="moved")
    gone = await ana.unrelate("m2", "m1", space="ana")
    assert gone.removed_at is not None
    assert (gone.removed_by, gone.reason) == ("person", "moved")
    assert await ana.relations("m1", space="ana") == [gone]
    with pytest.raises(NotFound, match="does not replace"):
        await ana.unrelate("m2", "m1", space="ana")
    back = await ana.relate("m2", "m1", space="ana")
    assert (back.removed_at, back.reason) == (None, "moved")


async def test_what_a_rule_found_is_taken_back_for_good(ana: AsyncMemory, database: Database) -> None:
    async with database.write("ana") as tx:
        ends = [(await relations.named(tx, id_, None))[0][0] for id_ in ("m2", "m1")]
        await relations.add(tx, [Link(*ends, "moved", 0.5)], now=ana._clock.now())
    (link,) = await ana.relations("m1", space="ana")
    assert (link.made_by, link.strength) == ("rule", 0.5)
    await ana.unrelate("m2", "m1", space="ana")
    async with database.write("ana") as tx:
        assert await relations.add(tx, [Link(*ends, "moved", 0.5)], now=ana._clock.now()) == 0
    (link,) = await ana.relations("m1", space="ana")
    assert link.removed_by == "person"


async def test_what_cannot_be_is_refused_by_field_and_says_the_way_out(ana: AsyncMemory) -> None:
    with pytest.raises(BadInput, match=r"older: .*itself") as same:
        await ana.relate("m1", "m1", space="ana")
    assert same.value.field == "older"
    with pytest.raises(BadInput, match=r"older: .*later.*other way round"):
        await ana.relate("m1", "m2", space="ana")
    with pytest.raises(NotFound, match=r"newer: there is no message 'm9'"):
        await ana.relate("m9", "m1", space="ana")
    with pytest.raises(NotFound, match=r"older: there is no message 'm9'"):
        await ana.unrelate("m2", "m9", space="ana")
    with pytest.raises(NotFound, match="there is no message 'm1' there"):
        await ana.relations("m1", space="ana", session="spring")
    with pytest.raises(NotFound):
        await ana.relations("m1", space="nowhere")
    with pytest.raises(NotFound):
        await ana.relate("m2", "m1", space="nowhere")
    assert "nowhere" not in await ana.space_names()
    for reason in (5, "x" * 201, "the key is AKIA" + "QWERTYUIOPASDFGH"):
        with pytest.raises(BadInput, match="reason"):
            await ana.relate("m2", "m1", space="ana", reason=reason)  # pyright: ignore[reportArgumentType]
    assert await ana.relations("m1", space="ana") == []


async def test_a_circle_is_refused(memory: AsyncMemory) -> None:
    """Only of what was said at one time can a circle be made: else the older one was said later."""
    said = [{"id": f"m{n}", "content": f"Statement {n}.", "time": MAY} for n in range(3)]
    await memory.observe(said, space="ana", session="s")
    await memory.relate("m1", "m0", space="ana")
    await memory.relate("m2", "m1", space="ana")
    with pytest.raises(Conflict, match="older"):
        await memory.relate("m0", "m2", space="ana")
    await memory.unrelate("m2", "m1", space="ana")
    assert (await memory.relate("m0", "m2", space="ana")).newer.source.message == "m0"


async def test_ids_that_several_sessions_have_are_told_apart_by_session(memory: AsyncMemory) -> None:
    for session in ("a", "b"):
        await memory.observe([OLD, NEW], space="ana", session=session)
    with pytest.raises(BadInput, match=r"newer: 2 sessions have .*newer_session") as several:
        await memory.relate("m2", "m1", space="ana")
    assert several.value.field == "newer"
    with pytest.raises(BadInput, match=r"older: 2 sessions have .*older_session"):
        await memory.relate("m2", "m1", space="ana", newer_session="a")
    with pytest.raises(BadInput, match="message: 2 sessions have"):
        await memory.relations("m1", space="ana")
    link = await memory.relate("m2", "m1", space="ana", newer_session="a", older_session="b")
    assert await memory.relations("m1", space="ana", session="b") == [link]
    assert await memory.relations("m1", space="ana", session="a") == []
    await memory.observe([OLD], space="ana")
    alone = await memory.relate("m2", "m1", space="ana", newer_session="a")
    assert alone.older.source.session is None
    assert await memory.relations("m1", space="ana") == [alone]


async def test_a_hit_names_its_message_for_this(ana: AsyncMemory) -> None:
    old, new = [
        next(hit.source for hit in await ana.recall(question, space="ana") if hit.text == text)
        for question, text in (("Hamburg", OLD["content"]), ("Lisbon", NEW["content"]))
    ]
    assert old.message is not None
    assert new.message is not None
    await ana.relate(
        new.message, old.message, space="ana", newer_session=new.session, older_session=old.session
    )
    assert len(await ana.relations(old.message, space="ana", session=old.session)) == 1


async def test_a_person_links_their_own_messages_and_sees_no_others(memory: AsyncMemory) -> None:
    for user in ("ana", "eve"):
        said = [{**one, "id": f"{one['id']} {user}", "user": user} for one in (OLD, NEW)]
        await memory.observe(said, space="home", session=f"of {user}")
    await memory.relate("m2 eve", "m1 eve", space="home", reason="aubergine")
    with acting_for("ana"):
        await memory.relate("m2 ana", "m1 ana", space="home")
        assert len(await memory.relations("m1 ana", space="home")) == 1
        for newer, older in (("m2 eve", "m1 eve"), ("m2 ana", "m1 eve"), ("m2 eve", "m1 ana")):
            with pytest.raises(NotFound):
                await memory.relate(newer, older, space="home")
            with pytest.raises(NotFound):
                await memory.unrelate(newer, older, space="home")
        with pytest.raises(NotFound):
            await memory.relations("m1 eve", space="home")
    (link,) = await memory.relations("m1 eve", space="home")
    assert link.removed_at is None


async def test_the_messages_of_another_space_are_not_there(ana: AsyncMemory, url: str) -> None:
    await ana.observe([{**NEW, "id": "theirs"}], space="bob")
    for newer, older in (("theirs", "m1"), ("m2", "theirs")):
        with pytest.raises(NotFound):
            await ana.relate(newer, older, space="ana")
        with pytest.raises(NotFound):
            await ana.relate(newer, older, space="bob")
    await ana.relate("m2", "m1", space="ana", reason="aubergine")
    await ana.forget(space="ana", message="m1", confirm=True)
    assert found(url, ["aubergine"]) == set()
    assert await ana.relations("m2", space="ana") == []


@pytest.mark.long
async def test_a_message_that_is_forgotten_meanwhile_is_not_linked(memory: AsyncMemory, url: str) -> None:
    for turn in range(sized(4, long=12)):
        old, new = f"old{turn}", f"new{turn}"
        await memory.observe([{**OLD, "id": old}, {**NEW, "id": new}], space="ana", session="s")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(memory.forget, space="ana", message=[old, new][turn % 2], confirm=True))
            with suppress(NotFound):
                await memory.relate(new, old, space="ana", reason="aubergine")
        assert found(url, ["aubergine"]) == set()


def test_the_command_line_relates_shows_and_takes_back(url: str, tmp_path: Path) -> None:
    quipu = CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})
    lines = [json.dumps({**one, "session": "s"}) for one in (OLD, NEW)]
    (tmp_path / "chat.jsonl").write_text("\n".join(lines))
    quipu.text("import", "jsonl", str(tmp_path / "chat.jsonl"))
    assert "replaces nothing" in quipu.text("relations", "m1")
    told = quipu.text("relate", "--newer-session", "s", "--reason", "moved", "m2", "m1")
    assert "I moved to Lisbon." in told
    assert "replaces [m1] in s 2026-01-05: I live in Hamburg." in told
    (shown,) = quipu.json("relations", "m1")["items"]
    assert shown["newer"]["source"]["message"] == "m2"
    assert (shown["reason"], shown["made_by"]) == ("moved", "person")
    assert "person" in quipu.text("relations", "m1", "--session", "s")
    gone = quipu.json("unrelate", "m2", "m1")
    assert gone["removed_by"] == "person"
    assert "removed" in quipu.text("relations", "m1")
    again = quipu.run("unrelate", "m2", "m1")
    assert (again.returncode != 0, "does not replace" in again.stderr) == (True, True)
    wrong = quipu.run("relate", "m1", "m2", "--json")
    assert '"older"' in wrong.stderr
