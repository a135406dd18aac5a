"""The server process: its pid file, whether it lives, starting it, stopping it.

Whether any process of a server lives is asked of ``server.lock``, which all of them inherit: a pid can be
taken by a stranger after a reboot, belong to a zombie, or to another container; a lock cannot.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from quipu.errors import ServerError
from quipu.kernel.db.embedded.binaries import Binaries
from quipu.kernel.db.embedded.door import SOCKET_PORT, Answer, Door, knock
from quipu.kernel.db.embedded.faults import start_failure
from quipu.kernel.db.embedded.lock import FileLock, is_held
from quipu.kernel.db.embedded.place import Place
from quipu.kernel.db.embedded.process import spawn

START_SECONDS = 300  # replaying the log after a crash takes long on a slow disk
STOP_SECONDS = 60
_POLL_SECONDS = 0.01
_STALE = "postmaster.pid.stale"


@dataclass(frozen=True, slots=True)
class PidFile:
    """What the first lines of postmaster.pid say."""

    pid: int
    port: int
    socket_dir: str


def read_pid_file(data: Path) -> PidFile | None:
    """The pid file, or None if it is absent or torn."""
    try:
        lines = (data / "postmaster.pid").read_text("utf-8", "replace").splitlines()
        return PidFile(pid=abs(int(lines[0])), port=int(lines[3]), socket_dir=lines[4].strip())
    except (FileNotFoundError, IndexError, ValueError):
        return None


def door_of(place: Place) -> Door:
    """The door of the running server, as its pid file says; of the one that would be started otherwise."""
    found = read_pid_file(place.data)
    if found is None:
        return Door(host=str(place.socket_dir), port=SOCKET_PORT)
    if found.socket_dir:
        return Door(host=found.socket_dir, port=found.port)
    return Door(host="127.0.0.1", port=found.port, password_file=place.password_file)


def lives(place: Place) -> bool:
    """Whether any process of a server that we started is alive, answering or not."""
    return is_held(place.server_lock)


def launch(place: Place, binaries: Binaries) -> None:
    """Start the server and return when it answers. The caller holds ``start.lock`` and knows that none answers.

    Raises DiskFull or ServerError with the server's own last words.
    """
    lock = _take_server_lock(place)
    try:
        _set_aside_stale_pid_file(place.data)
        said_before = _size(place.log_file)
        _spawn(place, binaries, lock)
    finally:
        lock.close()  # ours only: the server holds its own
    _await_answer(place, said_before)


def shut_down(place: Place) -> None:
    """Stop the server as PostgreSQL does it "fast": sessions end, all is written. Returns when all is gone."""
    found = read_pid_file(place.data)
    if found is None or not lives(place):
        return
    for sign, seconds in ((signal.SIGINT, STOP_SECONDS), (signal.SIGQUIT, STOP_SECONDS)):
        _signal(found.pid, sign, place)
        if _wait_until_gone(place, seconds):
            return
    raise ServerError(
        f"The server with process id {found.pid} does not end.",
        hint=f"Look at {place.log_file}; end the process by hand if it hangs. The data is safe either way.",
    )


def is_postmaster(pid: int, data: Path) -> bool:
    """Whether this living process serves this directory: PostgreSQL works in its data directory."""
    working_directory = Path(f"/proc/{pid}/cwd")
    if working_directory.is_symlink():
        try:
            return working_directory.samefile(data)
        except OSError:
            return False  # a zombie has none, and a stranger's is closed to us
    asked = ["ps", "-o", "stat=,comm=", "-p", str(pid)]
    state, _, command = subprocess.run(asked, check=False, capture_output=True, text=True).stdout.partition(" ")
    return "Z" not in state and Path(command.strip()).name.startswith("postgres")


def _take_server_lock(place: Place) -> FileLock:
    lock = FileLock(place.server_lock)
    until = time.monotonic() + STOP_SECONDS
    while not lock.try_exclusive():
        if knock(door_of(place)) in (Answer.READY, Answer.FULL) or time.monotonic() > until:
            lock.close()
            raise ServerError(
                f"Processes of a server on {place.data} are alive, and none of them answers.",
                hint="They may be ending a long statement. Wait, or end them with `quipu db stop --force`.",
            )
        time.sleep(_POLL_SECONDS)
    return lock


def _spawn(place: Place, binaries: Binaries, lock: FileLock) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    log = os.open(place.log_file, flags, 0o600)
    try:
        os.set_inheritable(lock.fileno(), True)
        spawn(
            [binaries.tool("postgres"), "-D", place.data, "-c", f"config_file={place.config_file}"],
            account=place.account,
            env=binaries.environment(place.data),
            log_fd=log,
            keep_fd=lock.fileno(),
        )
    finally:
        os.close(log)


def _await_answer(place: Place, said_before: int) -> None:
    until = time.monotonic() + START_SECONDS
    while knock(door_of(place)) is not Answer.READY:
        if not lives(place):
            said = place.log_file.read_bytes()[said_before:].decode("utf-8", "replace")
            raise start_failure(said, data=place.data, log=place.log_file)
        if time.monotonic() > until:
            raise ServerError(
                f"PostgreSQL has been starting on {place.data} for {START_SECONDS} seconds.",
                hint=f"It may be recovering after a crash; see {place.log_file}, then try again.",
            )
        time.sleep(_POLL_SECONDS)


def _set_aside_stale_pid_file(data: Path) -> None:
    """Rename a pid file whose pid now is a zombie's or a stranger's: PostgreSQL itself would refuse to start.

    The caller holds ``server.lock``, so no server of ours lives. One that somebody started by hand is known by
    its working directory, and left alone.
    """
    found = read_pid_file(data)
    if found is not None and _is_alive(found.pid) and not is_postmaster(found.pid, data):
        (data / "postmaster.pid").replace(data / _STALE)


def _is_alive(pid: int) -> bool:
    """Whether PostgreSQL would see a process of its own account under this id."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _signal(pid: int, sign: int, place: Place) -> None:
    if not is_postmaster(pid, place.data):
        raise ServerError(
            f"Process {pid} is not the server of {place.data}, so it was not stopped.",
            hint=f"Its pid file is out of date. See {place.log_file} and `quipu doctor`.",
        )
    try:
        os.kill(pid, sign)
    except ProcessLookupError:
        return  # it ended by itself


def _wait_until_gone(place: Place, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while lives(place):
        if time.monotonic() > until:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
