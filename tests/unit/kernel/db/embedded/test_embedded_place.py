"""Where things lie, who may pass, and what the doctor reads from numbers."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.kernel.config import Settings
from quipu.kernel.db.embedded.disk import Room, rooms
from quipu.kernel.db.embedded.faults import read_version
from quipu.kernel.db.embedded.place import MACHINE_DIRECTORY, ClusterPlace, first_closed, make_directories
from quipu.kernel.db.embedded.process import Account

ANA = Account(name="ana", uid=1000, gid=1000)
NOBODY = Account(name="nobody", uid=65_534, gid=65_534, borrowed=True)


def at(state: str | Path, account: Account = ANA) -> ClusterPlace:
    return ClusterPlace(home=Path("/h"), state=Path(state), account=account)


@given(st.text(st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="/"), min_size=1))
def test_a_socket_path_is_never_too_long_nor_taken_apart(name: str) -> None:
    directory = at(Path("/") / name / "postgres").socket_dir
    assert len(os.fsencode(directory / ".s.PGSQL.5432")) <= 103
    assert "," not in str(directory)


def test_a_socket_lies_beside_the_data_where_it_can() -> None:
    assert at("/h/postgres").socket_dir == Path("/h/postgres/run")


def test_the_sockets_of_two_long_homes_do_not_meet() -> None:
    long = "/" + "x" * 200
    assert at(f"{long}/a").socket_dir != at(f"{long}/b").socket_dir
    assert at(long, NOBODY).socket_dir.parent == MACHINE_DIRECTORY


@pytest.mark.parametrize(
    ("mode", "account", "passes"),
    [
        (0o700, ANA, False),
        (0o701, ANA, True),
        (0o711, ANA, True),
        (0o755, ANA, True),
        (0o744, ANA, False),
        (0o700, Account(name="me", uid=os.geteuid(), gid=1), True),
        (0o071, Account(name="me", uid=os.geteuid(), gid=1), False),
        (0o710, Account(name="mine", uid=4242, gid=os.getegid()), True),
        (0o701, Account(name="mine", uid=4242, gid=os.getegid()), False),
    ],
)
def test_who_may_pass_through_a_directory_is_read_from_its_mode(
    mode: int, account: Account, passes: bool
) -> None:
    directory = Path(tempfile.mkdtemp())  # pytest's own directories are closed above it
    try:
        directory.chmod(mode)
        os.chown(directory, os.geteuid(), os.getegid())
        assert first_closed(directory / "not there yet", account) == (None if passes else directory)
    finally:
        directory.rmdir()


def test_directories_are_made_with_their_mode_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        make_directories(tmp_path / "a" / "b", 0o711)
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "a", tmp_path / "a" / "b")} == {0o711}


def test_a_directory_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o750)
    before = (tmp_path / "a").stat().st_mode
    make_directories(tmp_path / "a", 0o711)
    assert (tmp_path / "a").stat().st_mode == before


@pytest.mark.parametrize(
    ("version", "state"),
    [
        ("18.1", "warn"),
        ("18.4", "ok"),
        ("17.9", "warn"),
        ("15.20", "ok"),
        ("18", "warn"),
        ("19beta1", "ok"),
        ("?", "ok"),
    ],
)
def test_a_version_without_the_security_fixes_is_named(version: str, state: str) -> None:
    found = read_version(version)
    assert found.state == state
    assert bool(found.hint) == (state == "warn")


@pytest.mark.parametrize(
    ("free", "state"), [(0, "fail"), (50_000_000, "fail"), (5 * 10**8, "warn"), (10**10, "ok")]
)
def test_a_disk_is_judged_by_what_is_free(free: int, state: str) -> None:
    room = Room("data", Path("/h"), free, wanted_bytes=10**9, full_bytes=10**8, why="It stops.")
    assert room.state == state


def test_the_larger_the_database_the_earlier_a_disk_is_warned_of(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    account = Account(name="x", uid=os.geteuid(), gid=os.getegid())
    place = ClusterPlace(home=tmp_path, state=tmp_path / "postgres", account=account)
    free = shutil.disk_usage(tmp_path).free
    of_data = [next(iter(rooms(place, settings, size_bytes=size))) for size in (0, 100 * free)]
    assert [room.wanted_bytes > free for room in of_data][1]
    assert (of_data[1].state, of_data[0].wanted_bytes) == ("warn", 10**9)
