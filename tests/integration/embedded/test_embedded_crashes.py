"""Killed at any moment, it starts again, and what was acknowledged is there."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import psycopg
import pytest
from kill_rounds import rounds
from patience import PATIENCE_SECONDS

from quipu.errors import DatabaseUnavailable, ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.embedded import lifecycle, postmaster
from quipu.kernel.db.embedded.lifecycle import Share
from quipu.kernel.db.embedded.lock import read_pid_file
from quipu.kernel.db.embedded.place import find_place, make_place

from .conftest import Helper

ROUNDS = -(-rounds("server", short=3, long=30) // 3)  # of each of the three kinds

StartHelper = Callable[[Callable[[Connection], None]], Helper]


def join(settings: Settings) -> Share:
    return lifecycle.join(make_place(settings), settings)


def server_pids(share: Share) -> list[int]:
    """The server's processes, the first one first."""
    found = read_pid_file(share.place.data)
    assert found is not None
    children = Path(f"/proc/{found.pid}/task/{found.pid}/children").read_text().split()
    return [found.pid, *map(int, children)]


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def writer(settings: Settings, table: str) -> Callable[[Connection], None]:
    """A process that commits one number after the other and says each when it is acknowledged."""

    def work(wire: Connection) -> None:
        share = join(settings)
        with psycopg.connect(share.door.conninfo("quipu"), autocommit=True) as connection:
            connection.execute(f"create table if not exists {table} (number int primary key, body text)")
            row = connection.execute(f"select coalesce(max(number), 0) from {table}").fetchone()
            number = row[0] if row else 0
            while True:
                number += 1
                try:
                    connection.execute(f"insert into {table} values (%s, repeat('x', 500))", [number])
                except psycopg.OperationalError:
                    break  # the server was killed: this one was not acknowledged
                wire.send(number)

    return work


def heard(helper: Helper) -> int:
    """The last number that a writer said."""
    last = 0
    while helper.wire.poll(0.2):
        try:
            last = helper.wire.recv()
        except EOFError:
            break
    return last


@pytest.mark.long
@pytest.mark.kills
@pytest.mark.timeout(300 + 30 * ROUNDS)
@pytest.mark.parametrize("victims", ["the first process", "all processes", "our process, then all"])
def test_every_acknowledged_write_survives_kills(
    settings: Settings, helper: StartHelper, victims: str
) -> None:
    chance = random.Random(victims)
    for round_number in range(ROUNDS):
        tables = [f"numbers_{index}" for index in range(2)]
        writers = [helper(writer(settings, table)) for table in tables]
        first = [each.hear() for each in writers]
        time.sleep(chance.random() * 0.3)
        share = join(settings)
        if victims.startswith("our"):
            kill(writers[0].pid)
        for pid in server_pids(share)[: 1 if victims == "the first process" else None]:
            kill(pid)
        acknowledged = [max(one, heard(each)) for one, each in zip(first, writers, strict=True)]
        for each in writers:
            each.process.join(PATIENCE_SECONDS)
        lifecycle.leave(share)
        again = join(settings)
        with psycopg.connect(again.door.conninfo("quipu")) as connection:
            for table, last in zip(tables, acknowledged, strict=True):
                row = connection.execute(f"select count(*), max(number) from {table}").fetchone()
                assert row is not None
                assert row[0] == row[1], f"round {round_number}: a gap in {table}"
                assert row[1] >= last, f"round {round_number}: {table} lost acknowledged rows"
        lifecycle.leave(again)
    assert embedded.status(settings).state == "stopped"


def serving_ids(settings: Settings) -> dict[str, object]:
    """Arguments that make a process of the serving account, as a server's own would be."""
    account = find_place(settings).account
    if not account.borrowed:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def write_pid_file(settings: Settings, pid: int) -> Path:
    """The pid file of a server that was killed, with somebody else's process id in it."""
    place = find_place(settings)
    path = place.data / "postmaster.pid"
    path.write_text(
        f"{pid}\n{place.data}\n{int(time.time()) - 9}\n5432\n{place.socket_dir}\n\n  12345  7\nready   \n"
    )
    os.chown(path, place.account.uid, place.account.gid)
    path.chmod(0o600)
    return path


def test_an_unlogged_table_whose_making_was_undone_by_a_kill_does_not_stop_the_start(
    settings: Settings,
) -> None:
    share = join(settings)
    url = share.door.conninfo("quipu")
    making, other = psycopg.connect(url), psycopg.connect(url, autocommit=True)
    making.execute("create unlogged table fleeting (id int primary key)")
    other.execute("create table boats (name text)")  # its commit takes the log to the disk
    kill(server_pids(share)[0])  # the others notice, undo what they were at and end
    while postmaster.lives(share.place):
        time.sleep(0.01)
    making.close()
    other.close()
    lifecycle.leave(share)
    again = join(settings)
    with psycopg.connect(again.door.conninfo("quipu")) as connection:
        assert connection.execute("select to_regclass('boats'), to_regclass('fleeting')").fetchone() == (
            "boats",
            None,
        )
    lifecycle.leave(again)


def test_a_pid_file_whose_id_is_a_strangers_after_a_reboot_does_not_stop_the_start(
    settings: Settings,
) -> None:
    stranger = subprocess.Popen(["sleep", "3600"], **serving_ids(settings))  # type: ignore[call-overload]
    try:
        path = write_pid_file(settings, stranger.pid)
        share = join(settings)
        assert server_pids(share)[0] != stranger.pid
        lifecycle.leave(share)
        assert stranger.poll() is None
        assert path.with_name("postmaster.pid.stale").exists()
    finally:
        stranger.kill()
        stranger.wait()


def test_a_pid_file_of_a_zombie_does_not_stop_the_start(settings: Settings) -> None:
    zombie = subprocess.Popen(["true"], **serving_ids(settings))  # type: ignore[call-overload]
    try:
        while "Z" not in Path(f"/proc/{zombie.pid}/stat").read_text().rpartition(")")[2]:
            time.sleep(0.01)
        write_pid_file(settings, zombie.pid)
        share = join(settings)
        assert server_pids(share)[0] != zombie.pid
        lifecycle.leave(share)
    finally:
        zombie.wait()


def test_a_torn_pid_file_is_never_taken_for_a_server(settings: Settings) -> None:
    share = join(settings)
    for pid in server_pids(share):
        kill(pid)
    (share.place.data / "postmaster.pid").write_text("12")
    lifecycle.leave(share)
    assert embedded.status(settings).state == "stopped"


def test_a_server_that_somebody_started_by_hand_is_joined_and_never_stopped(settings: Settings) -> None:
    share = join(settings)
    argv = Path(f"/proc/{server_pids(share)[0]}/cmdline").read_bytes().decode().split("\0")[:-1]
    environment = Path(f"/proc/{server_pids(share)[0]}/environ").read_bytes().decode().split("\0")[:-1]
    lifecycle.leave(share)
    by_hand = subprocess.Popen(  # type: ignore[call-overload]
        argv,
        cwd="/",
        env=dict(line.split("=", 1) for line in environment),
        stderr=subprocess.DEVNULL,
        **serving_ids(settings),
    )
    try:
        while embedded.status(settings).state != "running":
            time.sleep(0.05)
        share = join(settings)
        assert server_pids(share)[0] == by_hand.pid
        lifecycle.leave(share)
        with pytest.raises(ServerError, match="by hand"):
            lifecycle.stop(find_place(settings), force=False)
        assert by_hand.poll() is None
    finally:
        by_hand.send_signal(signal.SIGINT)
        by_hand.wait()


def test_a_database_whose_making_was_cut_off_is_made_anew(new_settings: Settings) -> None:
    place = make_place(new_settings)
    half = place.state / "data.new" / "base"
    half.mkdir(parents=True)
    (half / "half").write_text("written")
    share = join(new_settings)
    assert not (place.state / "data.new").exists()
    lifecycle.leave(share)


def test_a_server_that_hangs_is_reported_and_left_alone(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postmaster, "STOP_SECONDS", 1)
    share = join(settings)
    pid = server_pids(share)[0]
    os.kill(pid, signal.SIGSTOP)
    try:
        assert embedded.status(settings).state == "broken"
        with pytest.raises(ServerError, match=f"alive .process id {pid}., but it does not answer"):
            join(settings)
    finally:
        os.kill(pid, signal.SIGCONT)
    lifecycle.leave(share)


def test_a_server_whose_socket_was_removed_is_named_at_once_and_can_be_stopped(settings: Settings) -> None:
    share = join(settings)
    with psycopg.connect(share.door.conninfo("quipu"), autocommit=True) as connection:
        connection.execute("create table before_it (number int)")
    for socket in Path(share.door.host).glob(".s.PGSQL.*"):
        socket.unlink()
    with pytest.raises(DatabaseUnavailable, match="its socket was removed") as caught:
        join(settings)
    assert "quipu db stop" in (caught.value.hint or "")
    postmaster.shut_down(share.place)
    again = join(settings)
    with psycopg.connect(again.door.conninfo("quipu")) as connection:
        assert connection.execute("select count(*) from before_it").fetchone() == (0,)
    lifecycle.leave(again)
