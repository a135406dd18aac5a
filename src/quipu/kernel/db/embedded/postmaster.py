"""The server process: whether it lives, finding it, starting it, stopping it.

Whether any process of a server lives is asked of ``server.lock``, which all of them inherit: a process id can
be a stranger's after a reboot, a zombie's, or of another container; a lock cannot.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from quipu.errors import DatabaseError, DatabaseUnavailable, ServerError
from quipu.kernel.db.embedded import windows
from quipu.kernel.db.embedded.binaries import Binaries
from quipu.kernel.db.embedded.door import LOOPBACK, SOCKET_PORT, ConnectionAttempt, Door, knock
from quipu.kernel.db.embedded.faults import start_failure, starts_at_second_try
from quipu.kernel.db.embedded.lock import (
    POLL_SECONDS,
    FileLock,
    clear_stale,
    is_held_alone,
    is_postmaster,
    read_pid_file,
    wait_until,
)
from quipu.kernel.db.embedded.place import ClusterPlace
from quipu.kernel.db.embedded.process import spawn

START_SECONDS = 300  # replaying the log after a crash takes long on a slow disk
STOP_SECONDS = 60
_PROBE_SECONDS = 5


def lives(place: ClusterPlace) -> bool:
    """Return True if any process of a server that we started is alive, answering or not."""
    if sys.platform == "win32":
        return windows.lives(place)
    return is_held_alone(place.server_lock)


def door_of(place: ClusterPlace) -> Door:
    """Return the address of the running server from its pid file; else that of the one to be started."""
    entry = read_pid_file(place.data)
    if place.loopback:
        return Door(host=LOOPBACK, port=entry.port if entry else 1, password_file=place.password_file)
    socket_dir = (entry.socket_dir if entry else "") or str(place.socket_dir)
    return Door(host=socket_dir, port=SOCKET_PORT, served_by=place.account.name)


def find_running(place: ClusterPlace, *, mute_seconds: float = STOP_SECONDS) -> Door | None:
    """Return the address of the server if it answers, None if there is none; wait while it starts or stops.

    Raises ServerError if what answers is not ours, DatabaseUnavailable if it lives but does not answer for
    ``mute_seconds`` after letting us in.
    """
    began = time.monotonic()
    while True:
        door = door_of(place)
        answer = knock(door)
        if answer in (ConnectionAttempt.READY, ConnectionAttempt.FULL):
            return door
        if answer is ConnectionAttempt.REFUSED:
            raise ServerError(
                f"A server answers at {door.host}, and it is not ours or does not know us.",
                hint="`quipu doctor` shows whose it is. Set QUIPU_HOME to another directory, or stop it.",
            )
        if answer in (ConnectionAttempt.SILENT, ConnectionAttempt.MUTE) and not lives(place):
            return None
        if answer is ConnectionAttempt.SILENT and _has_lost_its_socket(place):
            raise _unreachable(place)
        if answer is ConnectionAttempt.MUTE and time.monotonic() - began > mute_seconds:
            raise _mute(place)
        if time.monotonic() - began > (START_SECONDS if answer is ConnectionAttempt.BUSY else STOP_SECONDS):
            raise _hangs(place)
        time.sleep(POLL_SECONDS)


def _has_lost_its_socket(place: ClusterPlace) -> bool:
    """Return True if it lets clients in by a socket that is not there: somebody removed the file."""
    entry = read_pid_file(place.data)
    if entry is None or not entry.ready or not entry.socket_dir:
        return False
    return not Path(entry.socket_dir, f".s.PGSQL.{entry.port}").exists()


def refuse_mute(place: ClusterPlace, *, seconds: float) -> None:
    """Raise if the server lets us in and stays silent for so many seconds.

    Raises:
        DatabaseUnavailable: so it is.
    """
    began = time.monotonic()
    while is_mute(place):
        if time.monotonic() - began > seconds:
            raise _mute(place)


def is_mute(place: ClusterPlace) -> bool:
    """Return True if the server lets us in and stays silent for some seconds, like a suspended process."""
    return knock(door_of(place)) is ConnectionAttempt.MUTE


def ask_to_end(place: ClusterPlace) -> None:
    """Have the server stop the "fast" way; it is not waited for."""
    entry = read_pid_file(place.data)
    if entry is not None and is_postmaster(entry.pid, place.data):
        _signal(entry.pid, signal.SIGINT)


def launch(place: ClusterPlace, binaries: Binaries, *, most_memory_mb: int = 0) -> Door:
    """Start the server and return its door when it answers; ``most_memory_mb`` is for each of its processes.

    The caller holds ``start.lock`` and knows that none runs. Raises DiskFull or ServerError with the server's
    own last words.
    """
    said_before = place.log_file.stat().st_size if place.log_file.exists() else 0
    try:
        return _start(place, binaries, most_memory_mb)
    except ServerError:
        if not starts_at_second_try(_said(place, said_before)):
            raise
        return _start(place, binaries, most_memory_mb)


def _start(place: ClusterPlace, binaries: Binaries, most_memory_mb: int) -> Door:
    lock = FileLock(place.server_lock)
    try:
        if not wait_until(_PROBE_SECONDS, lock.try_exclusive):
            raise _hangs(place)
        clear_stale(place.data, place.socket_dir)
        said_before = place.log_file.stat().st_size if place.log_file.exists() else 0
        _spawn(place, binaries, lock, most_memory_mb)
    finally:
        lock.close()  # ours only: the server holds its own
    return _await_answer(place, said_before)


def shut_down(place: ClusterPlace) -> None:
    """Stop the server the "fast" way: sessions end, all is written. Returns when its last process is gone.

    Where the first process was killed, the others end by themselves, which is waited for.
    """
    if not lives(place):
        return
    if sys.platform == "win32":
        windows.stop(place)
        return
    for sign in (signal.SIGINT, signal.SIGQUIT):  # fast; then at once, with recovery at the next start
        entry = read_pid_file(place.data)
        if entry is not None and is_postmaster(entry.pid, place.data):
            _signal(entry.pid, sign)
        if wait_until(STOP_SECONDS, lambda: not lives(place)):
            return
    raise _hangs(place)


def _spawn(place: ClusterPlace, binaries: Binaries, lock: FileLock, most_memory_mb: int) -> None:
    if sys.platform == "win32":
        windows.start(place, binaries)
        return
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    log = os.open(place.log_file, flags, 0o600)
    try:
        spawn(
            [binaries.tool("postgres"), "-D", place.data, "-c", f"config_file={place.config_file}"],
            account=place.account,
            env=binaries.environment(place.data),
            log_fd=log,
            keep_fd=lock.fileno(),
            most_memory_mb=most_memory_mb,
        )
    finally:
        os.close(log)


def failed(place: ClusterPlace, *, said_before: int = 0) -> DatabaseError:
    """Return the error for a server that ended, from what it wrote to its log after so many bytes."""
    return start_failure(_said(place, said_before), data=place.data, log=place.log_file)


def _said(place: ClusterPlace, said_before: int) -> str:
    return place.log_file.read_bytes()[said_before:].decode("utf-8", "replace")


def _await_answer(place: ClusterPlace, said_before: int) -> Door:
    began = time.monotonic()
    while (answer := knock(door := door_of(place))) is not ConnectionAttempt.READY:
        if not lives(place):
            raise failed(place, said_before=said_before)
        if answer is ConnectionAttempt.REFUSED and time.monotonic() - began > _PROBE_SECONDS:
            shut_down(place)
            raise failed(place, said_before=said_before)
        if time.monotonic() - began > START_SECONDS:
            raise _hangs(place)
        time.sleep(POLL_SECONDS)
    return door


def _signal(pid: int, sign: int) -> None:
    try:
        os.kill(pid, sign)
    except ProcessLookupError:
        return  # it ended by itself


def _mute(place: ClusterPlace) -> DatabaseUnavailable:
    entry = read_pid_file(place.data)
    who = f" (process id {entry.pid})" if entry else ""
    return DatabaseUnavailable(
        f"The server of {place.data} is alive{who}, but it does not answer.",
        hint="If its processes were stopped, let them go on (kill -CONT); what was acknowledged is there.",
    )


def _unreachable(place: ClusterPlace) -> DatabaseUnavailable:
    return DatabaseUnavailable(
        f"The server of {place.data} is alive, but its socket was removed from {door_of(place).host}.",
        hint="`quipu db stop` ends it, for other programs as well; the next call starts it again. "
        "What was acknowledged is there.",
    )


def _hangs(place: ClusterPlace) -> ServerError:
    entry = read_pid_file(place.data)
    who = f" (process id {entry.pid})" if entry else ""
    return ServerError(
        f"A server of {place.data} is alive{who}, but it does not answer or end.",
        hint=f"It may be recovering or ending a long statement: see {place.log_file} and try again. "
        "If it hangs, end its processes by their ids; what was acknowledged is on the disk.",
    )
