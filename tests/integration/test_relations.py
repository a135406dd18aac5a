"""Links between statements: kept, taken back, gone with their messages, and of one space and person alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import psycopg
import pytest
from everywhere import found

from quipu import AsyncMemory, acting_for
from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Database
from quipu.record import relations
from quipu.record.relations import Link, Relation

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 6, 1, tzinfo=UTC)
JANUARY, MAY = "2026-01-05T10:00:00Z", "2026-05-04T10:00:00Z"
SAID = [
    {"id": "old", "content": "I live in Hamburg.", "time": JANUARY},
    {"id": "new", "content": "I moved to Lisbon.", "time": MAY},
]
MANY = """
with said as (
    insert into core.messages (space_id, id, external_id, role, user_name, happened_at, recorded_at, content)
    select s.id, -n, n::text, 'user', 'ana', now(), now(), 'x' from core.spaces s, generate_series(1, 4000) n
    returning space_id, id
)
insert into core.relations (space_id, newer, older, made_by)
select space_id, id, id + 1, 'rule' from said where id < -1
"""


async def number(database: Database, id_: str, session: str | None = None, *, space: str = "ana") -> int:
    async with database.snapshot_read(space) as tx:
        assert tx is not None
        ((found, _),) = await relations.named(tx, id_, session)
    return found


async def add(
    database: Database, *links: Link, made_by: relations.MadeBy = "rule", space: str = "ana"
) -> int:
    async with database.write(space) as tx:
        return await relations.add(tx, links, now=NOW, made_by=made_by)


async def remove(database: Database, newer: int, older: int) -> bool:
    async with database.write("ana") as tx:
        return await relations.remove(tx, newer, older, now=NOW)


async def of(database: Database, *ids: int, removed: bool = False, space: str = "ana") -> Sequence[Relation]:
    async with database.snapshot_read(space) as tx:
        assert tx is not None
        links = await relations.of(tx, ids, removed=removed)
    assert all(links.values())
    return list({(one.newer, one.older): one for every in links.values() for one in every}.values())


@pytest.fixture
async def both(memory: AsyncMemory, database: Database) -> tuple[int, int]:
    """The numbers of the newer and the older statement."""
    await memory.observe(SAID, space="ana", session="s")
    return await number(database, "new"), await number(database, "old")


async def test_a_link_is_found_from_both_of_its_messages(database: Database, both: tuple[int, int]) -> None:
    newer, older = both
    assert await add(database, Link(newer, older, "moved", 0.75)) == 1
    link = Relation(newer, older, "supersedes", "moved", "rule", 0.75, NOW)
    async with database.snapshot_read("ana") as tx:
        assert tx is not None
        assert await relations.of(tx, [newer]) == {newer: [link]}
        assert await relations.of(tx, [older]) == {older: [link]}
        assert await relations.of(tx, [newer, older, 7]) == {newer: [link], older: [link]}
        assert await relations.of(tx, []) == {}


async def test_adding_again_changes_nothing_and_many_are_added_at_once(
    memory: AsyncMemory, database: Database, both: tuple[int, int]
) -> None:
    newer, older = both
    await memory.observe([{"id": "third", "content": "Now in Rome.", "time": "2026-05-09"}], space="ana")
    third = await number(database, "third")
    wanted = [Link(newer, older, "moved", 0.5), Link(third, newer, "now"), Link(newer, older, "moved", 0.9)]
    assert await add(database, *wanted) == 2
    assert await add(database, *wanted) == 0
    assert await add(database) == 0
    strengths = {(one.newer, one.older): one.strength for one in await of(database, newer, third)}
    assert strengths == {(newer, older): pytest.approx(0.9), (third, newer): 1.0}


async def test_what_cannot_replace_is_left_out(database: Database, both: tuple[int, int]) -> None:
    newer, older = both
    for link in (Link(older, newer), Link(newer, newer), Link(newer, 12345), Link(12345, older)):
        assert await add(database, link) == 0
    assert await of(database, newer, older) == []


async def test_of_two_that_were_said_at_once_only_one_can_replace_the_other(
    memory: AsyncMemory, database: Database
) -> None:
    await memory.observe([{**one, "time": MAY} for one in SAID], space="ana", session="s")
    newer, older = await number(database, "new"), await number(database, "old")
    assert await add(database, Link(newer, older)) == 1
    assert await add(database, Link(older, newer)) == 0


async def test_a_removed_link_is_not_made_again_by_a_rule_but_by_a_person(
    database: Database, both: tuple[int, int]
) -> None:
    await add(database, Link(*both, "moved"))
    assert await remove(database, *both)
    assert not await remove(database, *both)
    assert await of(database, *both) == []
    (kept,) = await of(database, *both, removed=True)
    assert (kept.removed_at, kept.removed_by, kept.reason) == (NOW, "person", "moved")
    assert await add(database, Link(*both, "moved again")) == 0
    assert await of(database, *both) == []
    assert await add(database, Link(*both), made_by="person") == 1
    (back,) = await of(database, *both)
    assert (back.made_by, back.reason, back.removed_at, back.removed_by) == ("person", "moved", None, None)
    assert await add(database, Link(*both, "a rule")) == 0
    assert await of(database, *both) == [back]


async def test_chains_are_followed(memory: AsyncMemory, database: Database, both: tuple[int, int]) -> None:
    newer, older = both
    await memory.observe([{"id": "third", "content": "Now in Rome.", "time": "2026-05-09"}], space="ana")
    third = await number(database, "third")
    await add(database, Link(newer, older), Link(third, newer))
    async with database.snapshot_read("ana") as tx:
        assert tx is not None
        assert await relations.replaces(tx, third, older)
        assert not await relations.replaces(tx, older, third)
    await remove(database, newer, older)
    async with database.snapshot_read("ana") as tx:
        assert tx is not None
        assert not await relations.replaces(tx, third, older)


@pytest.mark.parametrize("gone", ["new", "old"])
async def test_forgetting_either_message_takes_the_link_and_nothing_of_it_is_left(
    memory: AsyncMemory, database: Database, url: str, both: tuple[int, int], gone: str
) -> None:
    await add(database, Link(*both, "kedgeree"))
    preview = await memory.forget(space="ana", message=gone)
    assert preview.counts == {"messages": 1, "relations": 1} | {
        name: count for name, count in preview.counts.items() if name not in ("messages", "relations")
    }
    assert found(url, ["kedgeree"]) == {("core.relations.reason", "kedgeree")}
    done = await memory.forget(space="ana", message=gone, confirm=True)
    assert done.counts == preview.counts
    assert found(url, ["kedgeree"]) == set()
    assert await of(database, *both, removed=True) == []


async def test_a_removed_link_goes_with_its_message_as_well(
    memory: AsyncMemory, database: Database, url: str, both: tuple[int, int]
) -> None:
    await add(database, Link(*both, "kedgeree"))
    await remove(database, *both)
    await memory.forget(space="ana", session="s", confirm=True)
    assert found(url, ["kedgeree"]) == set()


async def test_a_name_that_is_forgotten_everywhere_is_taken_out_of_reasons(
    memory: AsyncMemory, database: Database, url: str, both: tuple[int, int]
) -> None:
    await add(database, Link(*both, "Theodora " * 22), made_by="person")
    await memory.observe([{"content": "Hello.", "user": "Theodora", "speaker": "Theodora"}], space="ana")
    await memory.forget(space="ana", user="Theodora", everywhere=True, confirm=True)
    assert found(url, ["Theodora"]) == set()
    (link,) = await of(database, *both)
    assert link.reason is not None
    assert link.reason.count("[erased]") == 22


async def test_a_forgotten_space_leaves_no_links(
    memory: AsyncMemory, database: Database, url: str, both: tuple[int, int]
) -> None:
    await add(database, Link(*both, "kedgeree"))
    await memory.forget(space="ana", confirm=True)
    assert found(url, ["kedgeree"]) == set()


async def test_another_space_neither_sees_nor_links_nor_removes(
    memory: AsyncMemory, database: Database, both: tuple[int, int]
) -> None:
    await add(database, Link(*both, "moved"))
    await memory.observe(SAID[:1], space="bob", session="s")
    mine = await number(database, "old", space="bob")
    assert await of(database, *both, mine, removed=True, space="bob") == []
    assert await add(database, Link(both[0], mine), Link(*both), space="bob") == 0
    async with database.snapshot_read("ana") as ana:
        assert ana is not None
    async with database.write("bob") as tx:
        forged = replace(tx, space=replace(tx.space, id=ana.space.id))
        for one in (tx, forged):
            assert not await relations.remove(one, *both, now=NOW)
            assert await relations.of(one, both, removed=True) == {}
            assert await relations.count(one, both) == 0
            assert not await relations.replaces(one, *both)
            assert await relations.add(one, [Link(*both)], now=NOW) == 0
    assert len(await of(database, *both)) == 1


async def test_a_person_sees_and_makes_links_of_their_own_messages_only(
    memory: AsyncMemory, database: Database
) -> None:
    for user in ("ana", "eve"):
        said = [{**one, "id": f"{one['id']} {user}", "user": user} for one in SAID]
        await memory.observe(said, space="home", session=f"of {user}")
    numbers = {
        f"{which} {user}": await number(database, f"{which} {user}", space="home")
        for user in ("ana", "eve")
        for which in ("new", "old")
    }
    hers = Link(numbers["new eve"], numbers["old eve"], "moved")
    mixed = Link(numbers["new ana"], numbers["old eve"], "moved")
    await add(database, hers, mixed, space="home")
    with acting_for("ana"):
        assert await of(database, *numbers.values(), removed=True, space="home") == []
        async with database.write("home") as tx:
            for one in (hers, mixed):
                assert not await relations.remove(tx, one.newer, one.older, now=NOW)
        assert await add(database, hers, mixed, made_by="person", space="home") == 0
        own = Link(numbers["new ana"], numbers["old ana"], "moved")
        assert await add(database, own, made_by="person", space="home") == 1
        (seen,) = await of(database, *numbers.values(), space="home")
        assert (seen.newer, seen.older) == (own.newer, own.older)
    assert len(await of(database, *numbers.values(), space="home")) == 3


@pytest.mark.parametrize("analyzed", [False, True])
@pytest.mark.parametrize("person", [None, "ana"])
async def test_links_are_read_by_their_indexes(
    database: Database, url: str, person: str | None, *, analyzed: bool
) -> None:
    """Of a space with many links, as the application and as one person, before statistics and after."""
    async with database.write("ana"):
        pass
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(MANY)
        if analyzed:
            conn.execute("analyze core.relations, core.messages")
    query = queries.load("quipu.record")["relations_of"]
    with acting_for(person):
        async with database.snapshot_read("ana") as tx:
            assert tx is not None
            rows = await tx.rows(f"explain analyze {query}", ids=Int8s(range(-300, -100)), removed=False)
            assert len(await relations.of(tx, range(-300, -100))) == 200
    plan = "\n".join(line for (line,) in rows)
    assert not re.search(r"Seq Scan on (relations|messages)", plan)
    by = re.findall(r"relations_(pkey|older)\b.*\n.*Index Cond: (.*)\n", plan)
    assert sorted(index for index, _ in by) == ["older", "pkey"]
    assert all((f"{'newer' if index == 'pkey' else 'older'} = i.id" in held) for index, held in by), plan
