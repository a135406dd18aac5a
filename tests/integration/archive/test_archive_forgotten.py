"""What was forgotten is in no archive, and an older one does not bring it back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import psycopg
import pytest
from long_form import sized

from quipu import AsyncMemory
from quipu.errors import Conflict

pytestmark = pytest.mark.anyio

SPACE, OTHER = "work", "again"
WORD = "quaggaflint"


@pytest.fixture
def fill() -> Callable[[AsyncMemory, str], Awaitable[None]]:
    return told


async def told(memory: AsyncMemory, _: str) -> None:
    """Una and Bo, each in a session of their own and both in a third; Una says the word everywhere."""
    lives = f"I live in {WORD}, and I will send the {WORD} report tomorrow."
    await memory.observe([{"content": lives, "id": "u1"}], space=SPACE, session="of una", user="una")
    await memory.observe(
        [{"content": "I live in Oslo.", "id": "b1"}], space=SPACE, session="of bo", user="bo"
    )
    both = [
        {"content": f"Meet me in {WORD}.", "id": "u2", "user": "una"},
        {"content": "I will be there on Friday.", "id": "b2", "user": "bo"},
    ]
    await memory.observe(both, space=SPACE, session="of both")
    await memory.ledger.set("home", WORD, space=SPACE, user="una")
    await memory.ledger.set("home", "Oslo", space=SPACE, user="bo")
    await memory.longterm.add(f"Lives in {WORD}.", space=SPACE, user="una")
    await memory.longterm.add("Lives in Oslo.", space=SPACE, user="bo")
    await memory.documents.put("notes", "home", {"of": WORD}, space=SPACE, user="una")
    await memory.work(concurrency=2)


def holds(folder: Path, word: str = WORD) -> list[str]:
    """The files with a word in them."""
    return sorted(
        path.name for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()
    )


def rows_with(url: str, space: str, word: str = WORD) -> list[str]:
    """The tables with a row of the space that has a word in it, but for the index that is made of them."""
    with psycopg.connect(url) as conn:
        found = conn.execute("select id from core.spaces where name = %s", [space]).fetchone()
        assert found is not None
        tables = conn.execute(
            "select attrelid::regclass::text from pg_attribute a join pg_class c on c.oid = attrelid"
            " where attname = 'space_id' and relkind = 'r' order by 1"
        ).fetchall()
        return [
            table
            for (table,) in tables
            if conn.execute(
                f"select exists (select from {table} t where space_id = %s and t::text like %s)".encode(),
                [found[0], f"%{word}%"],
            ).fetchone()
            == (True,)
        ]


async def test_what_was_forgotten_before_is_not_in_an_archive(full: AsyncMemory, tmp_path: Path) -> None:
    await full.archives.export(tmp_path / "before", space=SPACE)
    assert len(holds(tmp_path / "before")) > 5
    await full.forget(space=SPACE, user="una", confirm=True)
    await full.archives.export(tmp_path / "after", space=SPACE)
    assert holds(tmp_path / "after") == []
    assert holds(tmp_path / "after", "una") == []
    assert "receipts.ndjson" in {path.name for path in (tmp_path / "after").iterdir()}


async def test_a_person_who_was_forgotten_does_not_come_back(
    full: AsyncMemory, full_url: str, tmp_path: Path
) -> None:
    await full.archives.export(tmp_path / "before", space=SPACE)
    await full.forget(space=SPACE, user="una", confirm=True)
    done = await full.archives.load(tmp_path / "before", space=OTHER)
    assert done.withheld["messages"] == 2
    assert rows_with(full_url, OTHER) == []
    assert rows_with(full_url, OTHER, "una") == []
    assert "core.messages" in rows_with(full_url, OTHER, "Oslo")
    found = await full.recall("Where does Bo live?", space=OTHER)
    assert "Oslo" in found[0].text
    assert not [hit for hit in found if WORD in hit.text]


async def test_a_session_and_a_message_that_were_forgotten_do_not_come_back(
    full: AsyncMemory, tmp_path: Path
) -> None:
    await full.archives.export(tmp_path / "before.tar", space=SPACE)
    await full.forget(space=SPACE, session="of una", confirm=True)
    await full.forget(space=SPACE, session="of both", message="u2", confirm=True)
    await full.archives.load(tmp_path / "before.tar", space=OTHER)
    assert {one.name for one in await full.sessions(space=OTHER)} == {"of bo", "of both"}
    assert [one.id for one in await full.messages("of both", space=OTHER)] == ["b2"]


async def test_it_comes_back_where_that_is_said(full: AsyncMemory, tmp_path: Path) -> None:
    await full.archives.export(tmp_path / "before", space=SPACE)
    await full.forget(space=SPACE, user="una", confirm=True)
    done = await full.archives.load(tmp_path / "before", space=OTHER, erased_too=True)
    assert done.withheld == {}
    await full.archives.export(tmp_path / "again", space=OTHER)
    assert holds(tmp_path / "again") == holds(tmp_path / "before")


async def test_a_space_that_was_forgotten_whole_does_not_come_back(full: AsyncMemory, tmp_path: Path) -> None:
    await full.archives.export(tmp_path / "before", space=SPACE)
    await full.forget(space=SPACE, confirm=True)
    for space in (SPACE, OTHER):
        with pytest.raises(Conflict, match="was forgotten"):
            await full.archives.load(tmp_path / "before", space=space)
    assert not {SPACE, OTHER} & {one.name for one in await full.spaces()}


async def test_a_memory_that_was_erased_alone_has_the_archive_refused(
    full: AsyncMemory, tmp_path: Path
) -> None:
    await full.archives.export(tmp_path / "before", space=SPACE)
    (one,) = await full.longterm.list(space=SPACE, user="bo", limit=1)
    await full.longterm.erase(one.id, space=SPACE, confirm=True)
    with pytest.raises(Conflict, match="was erased since"):
        await full.archives.load(tmp_path / "before", space=OTHER)
    await full.archives.export(tmp_path / "after", space=SPACE)
    assert (await full.archives.load(tmp_path / "after", space=OTHER)).done


async def test_what_was_erased_everywhere_has_the_archive_refused(full: AsyncMemory, tmp_path: Path) -> None:
    await full.archives.export(tmp_path / "before", space=SPACE)
    await full.forget(space=SPACE, user="una", everywhere=True, confirm=True)
    with pytest.raises(Conflict, match="was erased since"):
        await full.archives.load(tmp_path / "before", space=OTHER)


async def test_an_archive_is_noted_and_found_by_a_check(full: AsyncMemory, tmp_path: Path) -> None:
    done = await full.archives.export(tmp_path / "before.tar", space=SPACE)
    erased = await full.forget(space=SPACE, user="una", confirm=True)
    assert erased.receipt is not None
    checked = await full.check_erasure(erased.receipt, [WORD], space=SPACE, exports=[tmp_path])
    assert [one for one in checked.places if one.found and "before.tar" in str(one)]
    assert done.id in str(checked)


@pytest.mark.long
async def test_an_archive_shows_one_moment_while_others_write(memory: AsyncMemory, tmp_path: Path) -> None:
    """A session counts its messages, so an archive of two moments would miscount."""
    for n in range(40):
        await memory.observe([{"content": f"word {n}"}], space=SPACE, session="s0")
    stop = anyio.Event()

    async def write(n: int) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            name = f"w{n}-{number}"
            await memory.observe([{"content": name, "id": name}], space=SPACE, session=f"s{n}", user="una")

    async with anyio.create_task_group() as tasks:
        for n in range(4):
            tasks.start_soon(write, n)
        for n in range(sized(2, long=5)):
            await memory.archives.export(tmp_path / f"{n}.tar", space=SPACE)
        stop.set()
    for n in range(sized(2, long=5)):
        await memory.archives.load(tmp_path / f"{n}.tar", space=f"copy-{n}")
        for one in await memory.sessions(space=f"copy-{n}"):
            said = await memory.messages(one.name, space=f"copy-{n}")
            assert len(said) == one.messages


async def test_an_archive_holds_nothing_of_another_space(full: AsyncMemory, tmp_path: Path) -> None:
    await full.observe([{"content": "The boat is blue."}], space=OTHER, session="of una", user="una")
    await full.archives.export(tmp_path / "other", space=OTHER)
    assert holds(tmp_path / "other") == []
    assert holds(tmp_path / "other", "Oslo") == []
