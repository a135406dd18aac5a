"""A check reads the places that a receipt names, and says of each: there, gone or not reachable."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
import subprocess
import tarfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
import one_person
import psycopg
import pytest
import zstandard
from anyio import to_thread
from made_once import MadeOnce
from one_person import NAME, PERSON, SPACE, STRINGS

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict, NotFound
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.receipts import verify
from quipu.upkeep.backup.bases import take
from quipu.upkeep.erasure.files import files
from quipu.upkeep.erasure.model import Checked, CheckedPlace

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Made:
    """Where a database is that keeps its log, what was copied of it, and the receipt."""

    settings: Settings
    receipt: str
    base: str
    dump: Path
    longterm: Path
    transcripts: Path


@dataclass(frozen=True)
class Erased:
    """A copy of it, open."""

    memory: AsyncMemory
    settings: Settings
    receipt: str
    base: str
    dump: Path
    longterm: Path
    transcripts: Path


def closed_segment(settings: Settings, url: str) -> None:
    """Have the log closed that there is, and wait until it is in the archive."""
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("select pg_logical_emit_message(false, 'x', 'x')")
        (name,) = conn.execute("select pg_walfile_name(pg_switch_wal())").fetchone() or ("",)
        query = "select coalesce(max(last_archived_wal) >= %s, false) from pg_stat_archiver"
        while not (conn.execute(query.encode(), (name,)).fetchone() or (False,))[0]:
            conn.execute("select pg_sleep(0.05)")


@pytest.fixture(scope="session")
def made(made_once: MadeOnce) -> Made:
    """A stopped database in which a person was forgotten; its tests get copies, for making it takes long."""
    return made_once("erased", lambda place: anyio.run(_make, place))


async def _make(place: Path) -> Made:
    home = place / "home"
    home.mkdir(mode=0o711)
    settings = Settings(home=home, embedding_model="hashing", shared_buffers_mb=16, archive=True)
    async with AsyncMemory(settings=settings) as memory:
        await one_person.fill(memory, place / "agent")
        await memory.snapshots.create(space=SPACE)
        dump = (await memory.snapshots.export(place / "tables.sql", space=SPACE)).path
        longterm = (await memory.longterm.export_sqlite(place / "longterm.db", space=SPACE)).path
        transcripts = (await memory.transcripts.export_sqlite(place / "record.db")).path
        taken = await to_thread.run_sync(lambda: take(settings, clock=SystemClock()))
        assert memory._parts is not None
        await to_thread.run_sync(closed_segment, settings, memory._parts.database.url)
        done = await memory.forget(space=SPACE, user=PERSON, everywhere=True, confirm=True)
        assert done.receipt is not None
        return Made(settings, done.receipt, taken.base.name, dump, longterm, transcripts)


@pytest.fixture
async def erased(made: Made, home: Path) -> AsyncIterator[Erased]:
    await to_thread.run_sync(_copy, made.settings.home, home)
    settings = replace(made.settings, home=home)
    async with AsyncMemory(settings=settings) as memory:
        yield Erased(memory, settings, made.receipt, made.base, made.dump, made.longterm, made.transcripts)


def _copy(old: Path, new: Path) -> None:
    """Copy a home with its accounts, and have the copy keep its log in itself."""
    subprocess.run(["cp", "-a", f"{old}/.", new], check=True)
    note = new / "postgres" / "archive"
    note.write_text(note.read_text("utf-8").replace(str(old), str(new)), "utf-8")


def by_place(checked: Checked) -> dict[str, CheckedPlace]:
    return {one.place: one for one in checked.places}


def of(checked: Checked, start: str) -> CheckedPlace:
    (found,) = [one for one in checked.places if one.place.startswith(start)]
    return found


async def test_places_are_there_until_they_are_pruned(erased: Erased, tmp_path: Path) -> None:
    memory, strings = erased.memory, [*STRINGS, NAME]
    told = await memory.check_erasure(erased.receipt, space=SPACE)
    assert (told.clean, told.searched) == (False, False)
    assert all(one.found is None for one in told.places)
    base, archive = f"base backup {erased.base}", "archived log"
    for place in (base, archive, "data files"):
        assert by_place(told)[place].state == "there", place
        assert by_place(told)[place].until
    assert of(told, "snapshot memory_").state == "there"
    assert {one.state for one in told.places if one.place.startswith("export ")} == {"not reachable"}

    found = await memory.check_erasure(erased.receipt, strings, space=SPACE)
    for place in (base, archive):
        assert by_place(found)[place].found, place
    assert of(found, "snapshot memory_").found == 1
    assert found.after is None

    newer = await to_thread.run_sync(lambda: take(erased.settings, clock=SystemClock(), keep=1))
    assert newer.removed == [erased.base]
    for one in await memory.snapshots.list(space=SPACE):
        await memory.snapshots.erase(one.name, space=SPACE, confirm=True)
    pruned = await memory.check_erasure(erased.receipt, space=SPACE)
    assert by_place(pruned)[base].state == "gone"
    assert of(pruned, "snapshot of ").state == "gone"
    found = await memory.check_erasure(erased.receipt, strings, space=SPACE)
    assert by_place(found)[base].found is None


async def test_a_base_that_was_under_way_is_named_and_found_again(erased: Erased) -> None:
    folder = erased.settings.home / "postgres" / "backups" / "base-20260301T090000000000Z"
    folder.mkdir()
    done = await erased.memory.forget(space=SPACE, user="bo", confirm=True)
    assert done.receipt is not None
    place = f"base backup {folder.name}"
    assert by_place(await erased.memory.check_erasure(done.receipt, space=SPACE))[place].state == "there"
    folder.rmdir()
    assert by_place(await erased.memory.check_erasure(done.receipt, space=SPACE))[place].state == "gone"


@pytest.mark.long(only=True)
async def test_bases_that_were_packed_are_searched(erased: Erased, tmp_path: Path) -> None:
    folder = erased.settings.home / "postgres" / "backups" / erased.base
    for name, mode in (("base.tar", "w"), ("base.tar.gz", "w:gz"), ("base.tar.xz", "w:xz")):
        with tarfile.open(tmp_path / name, mode) as archive:  # pyright: ignore[reportArgumentType, reportCallIssue]
            archive.add(folder / "data" / "base", "base")
    plain = tmp_path / "plain"
    shutil.copytree(folder / "data" / "base", plain)
    whole = tmp_path / "base.tar.zst"
    whole.write_bytes(zstandard.compress((tmp_path / "base.tar").read_bytes()))
    nested = tmp_path / "nested.tar"
    with tarfile.open(nested, "w") as archive:
        archive.add(tmp_path / "base.tar.gz", "base.tar.gz")
    names = [plain, *(tmp_path / f"base.tar{end}" for end in ("", ".gz", ".xz", ".zst")), nested]
    found = await erased.memory.check_erasure(erased.receipt, STRINGS, space=SPACE, exports=names)
    places = by_place(found)
    assert {one: bool(places[f"export {one}"].found) for one in names} == dict.fromkeys(names, True)


async def test_exports_are_recognised_under_any_name_and_packed(erased: Erased, tmp_path: Path) -> None:
    named = dict[Path, list[Path]]()
    for written in (erased.dump, erased.longterm, erased.transcripts):
        named[written] = _under_other_names(written, tmp_path)
    strings = [next(one for one in STRINGS if one.encode() in written.read_bytes()) for written in named]
    for form in zip(*named.values(), strict=True):
        found = await erased.memory.check_erasure(erased.receipt, strings, space=SPACE, exports=form)
        for path in form:
            (one,) = [one for one in found.places if one.note == f"it is {path}"]
            assert (one.state, one.found, one.whole) == ("there", 1, True), path
            assert by_place(found)[f"export {path}"].found == 1
    for path in next(zip(*named.values(), strict=True)):
        alone = await erased.memory.check_erasure(erased.receipt, space=SPACE, exports=[path])
        (one,) = [one for one in alone.places if one.note == f"it is {path}"]
        assert one.found is None
        assert len([one for one in alone.places if one.note == "give the file with --export"]) == 2
    missing = tmp_path / "x"
    gone = await erased.memory.check_erasure(erased.receipt, space=SPACE, exports=[missing])
    assert by_place(gone)[f"export {missing}"].state == "gone"


def _under_other_names(written: Path, place: Path) -> list[Path]:
    """Write a file's content as it is, and packed in two ways, under names that tell nothing."""
    content = written.read_bytes()
    forms = {"plain": content, "small": gzip.compress(content), "tight": zstandard.compress(content)}
    for name, packed in forms.items():
        (place / f"{written.name}-{name}").write_bytes(packed)
    return [place / f"{written.name}-{name}" for name in forms]


async def test_what_cannot_be_read_through_is_not_clean(erased: Erased, tmp_path: Path) -> None:
    closed = tmp_path / "database.dump"
    closed.write_bytes(b"PGDMP" + bytes(100))
    damaged = tmp_path / "cut.gz"
    damaged.write_bytes(gzip.compress(bytes(10_000) + b"abc")[:30])
    long = tmp_path / "long.db"
    with sqlite3.connect(long) as conn:
        conn.execute("create table t (body text)")
        conn.execute("insert into t values (?)", ("x" * 4050 + STRINGS[0] * 3,))
    found = await erased.memory.check_erasure(
        erased.receipt, STRINGS, space=SPACE, exports=[closed, damaged, long]
    )
    places = by_place(found)
    assert "pg_restore" in places[f"export {closed}"].note
    assert not places[f"export {closed}"].whole
    assert "damaged" in places[f"export {damaged}"].note
    assert places[f"export {long}"].found == 1


async def test_a_limit_is_told_and_the_search_goes_on_behind_it(erased: Erased) -> None:
    memory, seen = erased.memory, list[int]()
    whole = await memory.check_erasure(erased.receipt, STRINGS, space=SPACE, progress=seen.append)
    assert sum(seen) > 10_000_000
    after, found, rounds = None, dict[str, int](), 0
    while True:
        part = await memory.check_erasure(
            erased.receipt, STRINGS, space=SPACE, after=after, most_bytes=40_000_000
        )
        rounds += 1
        for one in part.places:
            found[one.place] = found.get(one.place, 0) + (one.found or 0)
        if part.after is None:
            break
        stopped = [one for one in part.places if not one.whole]
        assert any("not searched to the end: the limit of 40,000,000 bytes" in one.note for one in stopped)
        assert not part.clean
        assert part.after != after
        after = part.after
    assert rounds > 2
    held = {one.place for one in whole.places if one.found}
    assert held - {"write-ahead log", "data files"} <= {place for place, count in found.items() if count}
    small = await memory.check_erasure(erased.receipt, STRINGS, space=SPACE, most_bytes=10)
    assert any("allow for more" in one.note for one in small.places)
    short = await memory.check_erasure(erased.receipt, STRINGS, space=SPACE, seconds=1e-9)
    assert short.after is not None
    with pytest.raises(BadInput, match="after"):
        await memory.check_erasure(erased.receipt, STRINGS, space=SPACE, after="base backup x|y")


async def test_a_space_that_was_forgotten_whole_is_checked_the_same_way(erased: Erased) -> None:
    memory = erased.memory
    done = await memory.forget(space=SPACE, confirm=True)
    assert done.receipt is not None
    assert done.remains is not None
    assert len(done.remains["exports"]) == 3
    for receipt in (erased.receipt, done.receipt):
        if receipt == done.receipt:
            receipts = await memory.receipts.get(receipt, space=SPACE)
            assert [one.document["type"] for one in receipts] == ["erasure", "remains"]
            found = await memory.check_erasure(receipt, STRINGS, space=SPACE)
            assert by_place(found)[f"base backup {erased.base}"].found
            assert by_place(found)["tables and index of the space"].found == 0
            log = by_place(found)["write-ahead log"]
            assert (log.state, bool(log.until)) == ("there", True)
    assert verify(await memory.receipts.list()).holds
    await memory.observe([{"content": "Hello."}], space=SPACE, session="new")
    again = await memory.check_erasure(done.receipt, space=SPACE)
    assert by_place(again)[f"base backup {erased.base}"].state == "there"
    for space in ("other", "default"):
        with pytest.raises(NotFound):
            await memory.check_erasure(done.receipt, space=space)


async def test_of_a_server_of_ones_own_files_are_not_reachable(erased: Erased) -> None:
    assert erased.memory._parts is not None
    settings = replace(erased.settings, database_url=erased.memory._parts.database.url)
    async with AsyncMemory(settings=settings) as memory:
        found = by_place(await memory.check_erasure(erased.receipt, STRINGS, space=SPACE))
    assert found["data files"].state == "not reachable"
    assert found["archived log, base backups and replicas"].state == "not reachable"
    assert "segments are of before" in found["write-ahead log"].note


async def test_tables_that_are_written_anew_leave_nothing_in_the_data_files(erased: Erased) -> None:
    memory = erased.memory
    done = await memory.forget(
        space=SPACE, user=PERSON, names=[NAME, *STRINGS], everywhere=True, confirm=True
    )
    assert done.receipt is not None
    before = by_place(await memory.check_erasure(done.receipt, STRINGS, space=SPACE))
    assert before["tables and index of the space"].found == 0
    assert before["data files"].found
    assert before["write-ahead log"].found
    asked = await memory.rewrite_freed(done.receipt, space=SPACE)
    assert (asked.done, asked.note) == (False, None)
    assert asked.tables > 20
    assert asked.bytes > 1_000_000
    rewritten = await memory.rewrite_freed(done.receipt, space=SPACE, confirm=True)
    assert (rewritten.clean, rewritten.log_renewed, rewritten.tables) == (True, True, asked.tables)
    after = by_place(await memory.check_erasure(done.receipt, STRINGS, space=SPACE))
    assert (after["data files"].found, after["write-ahead log"].found) == (0, 0)
    assert "rewritten" in after["data files"].note
    data = erased.settings.home / "postgres" / "data"
    held = [path for path in files(data) if _any_of(STRINGS, path.read_bytes())]
    assert held == []
    receipts = await memory.receipts.get(done.receipt, space=SPACE)
    assert [one.document["type"] for one in receipts] == ["erasure", "remains", "rewritten"]
    assert verify(await memory.receipts.list()).holds


def _any_of(strings: Sequence[str], content: bytes) -> bool:
    return any(one.encode() in content for one in strings)


async def test_tables_are_not_written_anew_while_somebody_looks_back(erased: Erased) -> None:
    assert erased.memory._parts is not None
    with psycopg.connect(erased.memory._parts.database.url) as conn:
        conn.execute("set transaction isolation level repeatable read")
        conn.execute("select 1")
        with pytest.raises(Conflict, match="1 transactions are open"):
            await erased.memory.rewrite_freed(erased.receipt, space=SPACE, confirm=True)
