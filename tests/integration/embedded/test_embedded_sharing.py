"""Several processes, one server: whoever comes first starts it, whoever goes last stops it, whoever dies is
not waited for."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

import psycopg

from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.embedded import lifecycle
from quipu.kernel.db.embedded.lifecycle import Share
from quipu.kernel.db.embedded.lock import read_pid_file
from quipu.kernel.db.embedded.place import find_place, make_place
from quipu.kernel.db.embedded.postmaster import lives

from .conftest import Helper

StartHelper = Callable[[Callable[[Connection], None]], Helper]


def server_pid(share: Share) -> int:
    """The server's process id, after a statement has shown that it answers."""
    with psycopg.connect(share.door.conninfo("quipu")) as connection:
        connection.execute("select 1")
    found = read_pid_file(share.place.data)
    assert found is not None
    return found.pid


def user(settings: Settings) -> Callable[[Connection], None]:
    """A process that joins, says the server's id, and leaves when it is told to."""

    def work(wire: Connection) -> None:
        share = lifecycle.join(make_place(settings), settings)
        wire.send(server_pid(share))
        wire.recv()
        lifecycle.leave(share)

    return work


def passer_by(settings: Settings, *, seed: int, rounds: int) -> Callable[[Connection], None]:
    """A process that joins and leaves, again and again, each time for a moment."""

    def work(wire: Connection) -> None:
        chance = random.Random(seed)
        for _ in range(rounds):
            share = lifecycle.join(make_place(settings), settings)
            server_pid(share)
            time.sleep(chance.random() * 0.02)
            lifecycle.leave(share)
            time.sleep(chance.random() * 0.05)
        wire.send("done")

    return work


def test_processes_that_start_at_once_make_one_database_and_one_server(
    new_settings: Settings, helper: StartHelper
) -> None:
    helpers = [helper(user(new_settings)) for _ in range(5)]
    assert len({each.hear() for each in helpers}) == 1
    for each in helpers:
        each.tell("leave")
    for each in helpers:
        each.end()
    assert embedded.status(new_settings).state == "stopped"


def test_the_last_to_leave_and_a_newcomer_do_not_miss_each_other(
    settings: Settings, helper: StartHelper
) -> None:
    helpers = [helper(passer_by(settings, seed=seed, rounds=8)) for seed in range(4)]
    assert [each.hear(seconds=120) for each in helpers] == ["done"] * 4
    for each in helpers:
        each.end()
    assert embedded.status(settings).state == "stopped"


def test_a_killed_client_neither_takes_the_server_along_nor_keeps_it_up(
    settings: Settings, helper: StartHelper
) -> None:
    killed, other = helper(user(settings)), helper(user(settings))
    pid = killed.hear()
    assert other.hear() == pid
    killed.process.kill()
    killed.process.join()
    assert embedded.status(settings).pid == pid
    other.tell("leave")
    other.end()
    assert embedded.status(settings).state == "stopped"


def test_a_server_whose_only_client_was_killed_is_joined_by_the_next_and_stopped_by_it(
    settings: Settings, helper: StartHelper
) -> None:
    killed = helper(user(settings))
    pid = killed.hear()
    killed.process.kill()
    killed.process.join()
    assert lives(find_place(settings))
    share = lifecycle.join(make_place(settings), settings)
    assert server_pid(share) == pid
    lifecycle.leave(share)
    assert embedded.status(settings).state == "stopped"


def exit_code_of_fork(work: Callable[[], object]) -> int:
    """Do the work in a forked child and wait for it."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


async def test_a_forked_child_that_ends_does_not_stop_its_parents_server(settings: Settings) -> None:
    async with await embedded.start(settings) as server:
        assert exit_code_of_fork(server._leave) == 0  # what the end of the interpreter does in a child
        with psycopg.connect(server.conninfo()) as connection:
            connection.execute("select 1")
