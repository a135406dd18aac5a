"""A page that something else changed, a disk that fills under writers, a restore that is cut off: each is
said with the way out, and nothing that was acknowledged is lost or written over."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import anyio
import anyio.from_thread
import psycopg
import pytest
from cli_process import CommandLine

from quipu import AsyncMemory, Memory
from quipu.errors import DatabaseError, DataDamaged, DiskFull
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.embedded import lifecycle
from quipu.kernel.db.embedded.cluster import ASIDE, RESTORED
from quipu.kernel.db.embedded.place import find_place, make_place
from quipu.upkeep.health import warn_of_disks

from .test_embedded_faults import fill_up, findings, needs_root, small_disk

pytestmark = pytest.mark.anyio
PAGE = 8192


@pytest.fixture
def home_to_copy(migrated_home: Path) -> Path:
    return migrated_home


async def file_of(settings: Settings, table: str) -> Path:
    """The file that holds a table, once all of it was written."""
    async with await embedded.start(settings) as server:
        with psycopg.connect(server.conninfo(), autocommit=True) as conn:
            conn.execute("checkpoint")
            row = conn.execute("select pg_relation_filepath(%s)", [table]).fetchone()
    assert row is not None
    return find_place(settings).data / row[0]


async def test_a_damaged_page_is_named_with_the_way_out_and_not_written_over(settings: Settings) -> None:
    chosen = replace(settings, embedding_model="hashing", pool_size=2)
    async with AsyncMemory(settings=chosen) as memory:
        for n in range(3):
            await memory.observe([{"id": f"m{n}", "content": f"The boat {n} is red."}], space="sea")
    file = await file_of(settings, "core.messages")
    whole = file.read_bytes()
    damaged = bytearray(whole)
    damaged[PAGE // 2 : PAGE // 2 + 64] = bytes(64 * [0x5A])
    with file.open("r+b") as opened:
        opened.write(damaged)
    async with AsyncMemory(settings=chosen) as memory:
        with pytest.raises(DataDamaged, match="invalid page") as caught:
            await memory.forget(space="sea", message="m1")
        assert "quipu backup restore" in (caught.value.hint or "")
        with pytest.raises(DataDamaged):
            await memory.observe([{"id": "m1", "content": "Over it."}], space="sea")
    assert file.read_bytes() == bytes(damaged)
    with file.open("r+b") as opened:
        opened.write(whole)
    async with AsyncMemory(settings=chosen) as memory:
        assert (await memory.forget(space="sea", message="m1")).counts["messages"] == 1


async def test_pages_have_checksums(settings: Settings) -> None:
    async with await embedded.start(settings) as server:
        with psycopg.connect(server.conninfo(), autocommit=True) as conn:
            assert conn.execute("show data_checksums").fetchone() == ("on",)
        assert (await findings(settings))["durability"].state == "ok"


async def write_until_refused(memory: AsyncMemory, acknowledged: list[int]) -> None:
    """Observe what fills a disk of some 100 MB; which messages were acknowledged."""
    for n in range(5_000):
        await memory.observe([{"id": f"m{n}", "content": f"Ship {n}. " * 500}], space="sea")
        acknowledged.append(n)


@needs_root
async def test_a_disk_that_fills_under_writers_is_said_and_loses_nothing(
    open_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with small_disk(open_dir / "disk", 130) as disk:
        settings = Settings(home=disk / "home", shared_buffers_mb=16, embedding_model="hashing", pool_size=2)
        acknowledged: list[int] = []
        async with AsyncMemory(settings=settings) as memory:
            await memory.observe([{"id": "first", "content": "The boat is red."}], space="sea")
            assert any("free for data" in warning for warning in (await memory.health()).warnings)
            assert (await findings(settings))["disk"].state in ("warn", "fail")
            assert memory._parts is not None
            await warn_of_disks(memory._parts.database, settings)  # as a worker does every ten minutes
            assert "A disk fills" in caplog.text
            assert "free for data" in caplog.text
            fill_up(disk / "ballast")
            with pytest.raises(DatabaseError) as caught:
                await write_until_refused(memory, acknowledged)
            assert isinstance(caught.value, DiskFull) or "room" in (caught.value.hint or ""), caught.value
            assert (await findings(settings))["disk"].state == "fail"
            (disk / "ballast").unlink()
        async with AsyncMemory(settings=settings) as memory:
            await memory.observe([{"id": "last", "content": "There is room again."}], space="sea")
            counts = (await memory.forget(space="sea")).counts
        assert counts["messages"] == len(acknowledged) + 2


def test_a_restore_that_was_cut_off_between_its_renames_is_finished_by_the_next_start(
    settings: Settings,
) -> None:
    place = find_place(settings)
    aside = place.state / f"{ASIDE}20260504T100000Z"
    place.data.rename(place.state / RESTORED)
    shutil.copytree(place.state / RESTORED, aside)
    lifecycle.leave(lifecycle.join(make_place(settings), settings))
    assert place.data.exists()
    assert not (place.state / RESTORED).exists()
    assert aside.exists()


def test_what_a_restore_left_that_was_cut_off_earlier_is_cleared_away(settings: Settings) -> None:
    place = find_place(settings)
    scratch = lifecycle.scratch_of(place)
    scratch.state.mkdir()
    scratch.state.chmod(0o711)
    subprocess.run(["cp", "-a", place.data, scratch.data], check=True)
    subprocess.run(["cp", "-a", place.data, place.state / RESTORED], check=True)
    # Its server lives on: nobody was left to stop it.
    share = lifecycle.join(scratch, settings)
    share.lock.close()
    lifecycle.leave(lifecycle.join(make_place(settings), settings))
    assert not scratch.state.exists()
    assert not (place.state / RESTORED).exists()
    assert place.data.exists()


@pytest.mark.parametrize("damage", ["page", "index", "gone"])
def test_doctor_that_reads_everything_names_damage(settings: Settings, damage: str) -> None:
    quipu = CommandLine(settings.home, {"QUIPU_EMBEDDING_MODEL": "hashing", "QUIPU_HOME": str(settings.home)})
    with Memory(settings=replace(settings, embedding_model="hashing", pool_size=2)) as memory:
        memory.observe([{"id": "m", "content": "The boat is red."}], space="sea")
    relation = "core.messages_pkey" if damage == "index" else "core.messages"
    file = anyio.run(file_of, settings, relation)
    if damage == "gone":
        file.rename(file.with_name("aside"))
    else:
        with file.open("r+b") as opened:
            opened.seek(PAGE // 2)
            opened.write(bytes(64 * [0x5A]))
    with anyio.from_thread.start_blocking_portal() as portal:
        server = portal.call(embedded.start, settings)
        try:
            done = quipu.run("doctor", "--deep", "--json")
        finally:
            portal.call(server.aclose)
    assert done.returncode == 5
    (one,) = [one for one in json.loads(done.stdout)["findings"] if one["state"] == "fail"]
    assert "damaged" in one["detail"]
    assert "quipu backup restore" in one["hint"]
