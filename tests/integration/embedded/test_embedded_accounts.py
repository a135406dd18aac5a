"""Who runs the server, and who is let in: an ordinary user's own account, and the one that root lends it."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

import psycopg
import pytest

from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.doctor import examine
from quipu.kernel.db.embedded import binaries, lifecycle
from quipu.kernel.db.embedded.place import MACHINE_DIRECTORY, find_place, forgotten, make_place
from quipu.kernel.db.embedded.process import Account

from .conftest import Helper

if sys.platform == "win32" or os.geteuid() != 0:
    pytest.skip("changing accounts takes root", allow_module_level=True)
else:
    import pwd

StartHelper = Callable[..., Helper]
STRANGER = (54_321, 54_321)


def ordinary_user() -> tuple[int, int]:
    """An account of this machine that is neither root nor the one that serves root."""
    program = binaries.packaged_program() or Path(sys.prefix)
    if not all(parent.stat().st_mode & stat.S_IXOTH for parent in program.resolve().parents):
        pytest.skip("other users cannot pass the directory in which this environment lies")
    entry = pwd.getpwnam("games")
    return entry.pw_uid, entry.pw_gid


def visitor(conninfo: str) -> Callable[[Connection], None]:
    """A process that tries to connect, and says how it went."""

    def work(wire: Connection) -> None:
        try:
            psycopg.connect(conninfo).close()
        except psycopg.OperationalError as error:
            wire.send(str(error))
        else:
            wire.send("connected")

    return work


def without_requirepeer(conninfo: str) -> str:
    parts = psycopg.conninfo.conninfo_to_dict(conninfo)
    return psycopg.conninfo.make_conninfo("", **{k: v for k, v in parts.items() if k != "requirepeer"})


def owner(pid: int) -> int:
    return Path(f"/proc/{pid}").stat().st_uid


def groups(pid: int) -> list[str]:
    """The supplementary groups of a process."""
    return Path(f"/proc/{pid}/status").read_text().partition("Groups:")[2].splitlines()[0].split()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_roots_server_runs_as_a_powerless_account(settings: Settings) -> None:
    async with await embedded.start(settings) as server:
        assert owner(server.pid) == find_place(settings).account.uid != 0
        assert groups(server.pid) == []


async def test_the_account_can_be_chosen(new_settings: Settings) -> None:
    chosen = replace(new_settings, pg_user="nobody")
    async with await embedded.start(chosen) as server:
        assert owner(server.pid) == pwd.getpwnam("nobody").pw_uid
        found = {finding.name: finding for finding in await examine(chosen)}
        assert found["account"].state == "warn"
    async with await embedded.start(new_settings) as server:
        assert owner(server.pid) == pwd.getpwnam("nobody").pw_uid, "the data keeps its account"


async def test_other_users_of_the_machine_do_not_reach_the_server(
    settings: Settings, helper: StartHelper
) -> None:
    async with await embedded.start(settings) as server:
        conninfo = without_requirepeer(server.conninfo())
        said = helper(visitor(conninfo), account=STRANGER).hear()
        assert "Permission denied" in said


async def test_the_account_that_serves_is_itself_let_in_as_no_role(
    settings: Settings, helper: StartHelper
) -> None:
    account = find_place(settings).account
    async with await embedded.start(settings) as server:
        conninfo = without_requirepeer(server.conninfo())
        said = helper(visitor(conninfo), account=(account.uid, account.gid)).hear()
        assert "Peer authentication failed" in said


async def test_a_server_of_somebody_else_behind_our_socket_is_refused_by_the_client(
    settings: Settings,
) -> None:
    async with await embedded.start(settings) as server:
        with pytest.raises(psycopg.OperationalError, match="requirepeer"):
            psycopg.connect(server.conninfo(), requirepeer="games").close()


@pytest.fixture
def closed_home() -> Iterator[Path]:
    """A home below a directory that is closed to everyone but root, as ``/root`` is."""
    closed = Path(tempfile.mkdtemp(prefix="quipu-test-"))
    yield closed / "home"
    state = (closed / "home" / "postgres").resolve()
    shutil.rmtree(closed)
    assert MACHINE_DIRECTORY in state.parents
    shutil.rmtree(state)


async def test_a_home_that_the_account_cannot_reach_gets_its_data_elsewhere_and_stays_closed(
    closed_home: Path,
) -> None:
    settings = Settings(home=closed_home, shared_buffers_mb=16)
    async with await embedded.start(settings) as server:
        with psycopg.connect(server.conninfo()) as connection:
            connection.execute("create table kept as select 42 as answer")
    assert mode(closed_home.parent) == 0o700
    assert find_place(settings).state != closed_home / "postgres"
    assert MACHINE_DIRECTORY in find_place(settings).data.parents
    async with await embedded.start(settings) as server:
        with psycopg.connect(server.conninfo()) as connection:
            assert connection.execute("select answer from kept").fetchone() == (42,)
    found = {finding.name: finding for finding in await examine(settings)}
    assert found["directory"].state == "warn"
    assert str(find_place(settings).data) in found["directory"].detail
    assert embedded.status(settings).state == "stopped"


async def test_a_database_whose_home_is_gone_is_counted_by_the_doctor(
    closed_home: Path, open_dir: Path
) -> None:
    place = make_place(Settings(home=closed_home))
    looking = Settings(home=open_dir / "home")
    assert place.state not in forgotten()
    (closed_home / "postgres").rename(closed_home / "away")
    assert place.state in forgotten()
    found = {finding.name: finding for finding in await examine(looking)}
    assert found["forgotten"].state == "warn"
    (closed_home / "away").rename(closed_home / "postgres")


async def test_a_home_that_was_closed_afterwards_is_explained(settings: Settings) -> None:
    settings.home.chmod(0o700)
    found = {finding.name: finding for finding in await examine(settings)}
    assert found["directory"].state == "fail"
    assert f"chmod o+x {settings.home}" in found["directory"].hint
    settings.home.chmod(0o711)


def ordinary_life(home: Path, cache: Path) -> Callable[[Connection], None]:
    """What an ordinary user does: unpack, make, start, ask, and leave a database of their own."""

    def work(wire: Connection) -> None:
        os.environ.update(HOME=str(home), XDG_CACHE_HOME=str(cache))
        settings = Settings(home=home / ".quipu", shared_buffers_mb=16)
        share = lifecycle.join(make_place(settings), settings)
        with psycopg.connect(share.door.conninfo("quipu")) as connection:
            row = connection.execute("select current_user::text").fetchone()
        wire.send((row, embedded.status(settings)))
        lifecycle.leave(share)
        wire.send(embedded.status(settings).state)

    return work


def test_an_ordinary_user_runs_the_server_as_themselves(open_dir: Path, helper: StartHelper) -> None:
    user = ordinary_user()
    for directory in (home := open_dir / "home", cache := open_dir / "cache"):
        directory.mkdir(mode=0o700)
        os.chown(directory, *user)
    row, seen = helper(ordinary_life(home, cache), account=user).hear(seconds=120)
    assert row == ("quipu_admin",)
    assert seen.state == "running"
    assert seen.binaries.is_relative_to(cache)
    assert (home / ".quipu" / "postgres").stat().st_uid == user[0]
    assert mode(home / ".quipu" / "postgres") == 0o700


def unpacker(cache: Path) -> Callable[[Connection], None]:
    def work(wire: Connection) -> None:
        os.environ["XDG_CACHE_HOME"] = str(cache)
        wire.send(binaries.unpacked(Account(name="games", uid=os.geteuid(), gid=os.getegid())))

    return work


def test_two_processes_that_unpack_at_once_get_the_same_whole_programs(
    open_dir: Path, helper: StartHelper
) -> None:
    cache = open_dir / "cache"
    leftover = cache / "quipu" / "programs" / "unpacking-of-a-killed-process"
    leftover.mkdir(parents=True)
    for directory in (cache, cache / "quipu", cache / "quipu" / "programs", leftover):
        os.chown(directory, *ordinary_user())
    helpers = [helper(unpacker(cache), account=ordinary_user()) for _ in range(2)]
    first, second = (each.hear(seconds=120) for each in helpers)
    assert first == second
    assert (first / "postgres").exists()
    assert (first.parent / "share" / "extension" / "vector.control").exists()
    assert {path.name for path in (cache / "quipu" / "programs").iterdir()} == {
        first.parent.name,
        "unpack.lock",
    }
