"""Joining, starting, leaving and stopping the embedded server.

Everything that decides happens under ``start.lock``: a newcomer and the last one to leave cannot miss each
other, and two newcomers start one server. All of it blocks; ``server.py`` runs it in a thread.
"""

from __future__ import annotations

import shutil
import socket
import sys
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import psycopg

from quipu.errors import DatabaseUnavailable, ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.connection import answer_seconds
from quipu.kernel.db.embedded import cluster, postmaster, transfer
from quipu.kernel.db.embedded.archive import archive_command, archive_of
from quipu.kernel.db.embedded.binaries import choose_binaries
from quipu.kernel.db.embedded.cluster import most_memory_mb
from quipu.kernel.db.embedded.door import DATABASE, LOOPBACK, SOCKET_PORT, Door, enter
from quipu.kernel.db.embedded.faults import trim
from quipu.kernel.db.embedded.lock import FileLock, alone, is_held_alone, wait_until
from quipu.kernel.db.embedded.place import ClusterPlace, make_private
from quipu.kernel.db.embedded.process import name_of, user_id
from quipu.kernel.db.errors import translate

_TURN_SECONDS = 600
_PROBE_SECONDS = 5
_QUERIES = queries.load("quipu.kernel.db.embedded")


@dataclass(frozen=True, slots=True)
class Share:
    """Our share in a running server: while its lock is held, nobody else stops the server."""

    place: ClusterPlace
    door: Door
    lock: FileLock


def join(place: ClusterPlace, settings: Settings) -> Share:
    """Take a share in the server: join it if it runs, start it if not, make it if there is none yet.

    Raises:
        DatabaseUnavailable: it does not answer, or has no connection left.
        ServerError: it cannot be started.
    """
    seconds = answer_seconds(settings)
    if is_held_alone(place.start_lock):  # by one who may wait for a server that never answers
        postmaster.refuse_mute(place, seconds=seconds)
    with turn(place):
        lock = FileLock(place.clients_lock)
        try:
            if not wait_until(_PROBE_SECONDS, lock.try_shared):
                raise ServerError(
                    f"{place.clients_lock} is held alone by a process that is not Quipu's.",
                    hint="See which process has it open and end it.",
                )
            trim(place.log_file)
            running = postmaster.find_running(place, mute_seconds=seconds)
            door = running or _bring_up(place, settings)
            _ensure_database(door)
            if running is None:
                transfer.update(door, DATABASE)
        except psycopg.Error as error:  # it stopped answering between two questions
            lock.close()
            raise translate(error) from error
        except BaseException:
            lock.close()
            raise
        return Share(place=place, door=door, lock=lock)


def leave(share: Share) -> None:
    """Give a share back. The last one stops the server, unless it is to stay."""
    place = share.place
    try:
        if not place.state.exists():
            return  # the whole directory was removed; its server ends by itself when it notices
        with turn(place):
            if not share.lock.try_exclusive() or place.stays_marker.exists():
                return
            if postmaster.is_mute(place):
                postmaster.ask_to_end(place)  # it does once it goes on, and nobody waits for that
            else:
                put_down(place)
    finally:
        share.lock.close()


def keep(place: ClusterPlace, settings: Settings) -> None:
    """Start the server, and let it stay when its last client leaves."""
    share = join(place, settings)
    try:
        place.stays_marker.touch(mode=0o600)
    finally:
        leave(share)


def stop(place: ClusterPlace, *, force: bool) -> bool:
    """Stop the server; False if none runs. Raises ServerError if others use it and ``force`` is not set."""
    if not place.state.exists():
        return False
    with turn(place):
        lock = FileLock(place.clients_lock)
        try:
            if not lock.try_exclusive() and not force:
                raise ServerError(
                    "Other processes use the server, so it was not stopped.",
                    hint="End them first, or stop it under them: `quipu db stop --force`.",
                )
            place.stays_marker.unlink(missing_ok=True)
            return put_down(place) or _refuse_stranger(place)
        finally:
            lock.close()


@contextmanager
def unused(place: ClusterPlace) -> Generator[None]:
    """Keep others from using or starting the server during the block; it must have been stopped.

    Raises:
        ServerError: somebody uses it again.
    """
    with turn(place):
        lock = FileLock(place.clients_lock)
        try:
            if not lock.try_exclusive() or postmaster.lives(place):
                raise ServerError("Other processes use the server.", hint="End them first.")
            yield
        finally:
            lock.close()


def turn(place: ClusterPlace) -> AbstractContextManager[None]:
    """Decide alone, for the block, whether the server starts or stops."""
    return alone(place.start_lock, wait_seconds=_TURN_SECONDS, purpose="to start or stop the server")


def scratch_of(place: ClusterPlace) -> ClusterPlace:
    """Return the place beside the data in which a restore or an upgrade works."""
    return ClusterPlace(
        home=place.home, state=place.state / cluster.SCRATCH, account=place.account, loopback=place.loopback
    )


@contextmanager
def scratch(place: ClusterPlace) -> Generator[ClusterPlace]:
    """Make an empty working place beside the data for the block. The caller holds ``start.lock``."""
    settle(place)
    made = scratch_of(place)
    made.state.mkdir()
    made.state.chmod(0o711 if place.account.borrowed else 0o700)
    try:
        yield made
    finally:
        shutil.rmtree(made.state, ignore_errors=True)


def put_aside(place: ClusterPlace, made: ClusterPlace, *, at: datetime) -> Path | None:
    """Have the data of ``made`` take the place of those that are there; where these are now, if any.

    Cut off from its first step on, the next start finishes it. The caller holds ``start.lock``, and no server
    runs on either.
    """
    aside = place.state / f"{cluster.ASIDE}{at:%Y%m%dT%H%M%S}Z"
    restored = place.state / cluster.RESTORED
    made.data.rename(restored)
    if place.data.exists():
        place.data.rename(aside)
    restored.rename(place.data)
    return aside if aside.exists() else None


def settle(place: ClusterPlace) -> None:
    """Finish a restore that was cut off once its data were whole, or clear away what it left.

    The caller holds ``start.lock``, and no server runs on the data.
    """
    restored, scratch = place.state / cluster.RESTORED, scratch_of(place)
    if restored.exists():
        if place.data.exists():
            shutil.rmtree(restored)
        else:  # what was there has been put aside
            restored.rename(place.data)
    if scratch.state.exists():
        put_down(scratch)
        shutil.rmtree(scratch.state, ignore_errors=True)


def _bring_up(place: ClusterPlace, settings: Settings) -> Door:
    settle(place)
    major = cluster.data_major(place)
    binaries = choose_binaries(settings, place.account, data_major=major)
    if major is None:
        cluster.create_cluster(place, binaries)
    configure(place, settings, binaries.major, archive=keeping(place, settings))
    return postmaster.launch(place, binaries, most_memory_mb=most_memory_mb(settings))


def keeping(place: ClusterPlace, settings: Settings) -> str | None:
    """Return the command that keeps a segment of the log, if it is kept."""
    wal = archive_of(place, settings)
    return None if wal is None else archive_command(wal)


def put_down(place: ClusterPlace) -> bool:
    """Stop the server; whether one ran. The caller sees to it that nobody uses it."""
    ran = postmaster.lives(place)
    postmaster.shut_down(place)
    if not place.loopback and place.state not in place.socket_dir.parents and place.socket_dir.exists():
        place.socket_dir.rmdir()  # it lies where others look too; it is empty once the server has gone
    return ran


def _refuse_stranger(place: ClusterPlace) -> bool:
    """Return False if nothing answers; raise if a server answers that we did not start."""
    if postmaster.find_running(place) is None:
        return False
    raise ServerError(
        f"The server of {place.data} was started by hand, so it was not stopped.",
        hint="Stop it with its own pg_ctl.",
    )


def configure(place: ClusterPlace, settings: Settings, major: int, *, archive: str | None) -> None:
    """Write the configuration of the next start; ``archive``: as ``postgresql_conf`` takes it."""
    if not place.loopback:
        make_private(place.socket_dir, place.account)
    texts = {
        place.config_file: cluster.postgresql_conf(
            major=major,
            shared_buffers_mb=settings.shared_buffers_mb,
            socket_dir=None if place.loopback else place.socket_dir,
            port=_free_port() if place.loopback else SOCKET_PORT,
            hba_file=place.hba_file,
            ident_file=place.ident_file,
            archive=archive,
        ),
        place.hba_file: cluster.hba_conf(loopback=place.loopback, major=major),
        place.ident_file: cluster.ident_conf(name_of(user_id()) or place.account.name, major=major),
    }
    for path, text in texts.items():
        path.write_text(text, "utf-8")
        if sys.platform != "win32":
            path.chmod(0o644 if place.account.borrowed else 0o600)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def _ensure_database(door: Door) -> None:
    try:
        with enter(door) as connection:
            row = connection.execute(_QUERIES["database_exists"]).fetchone()
            if row is None or not row[0]:
                connection.execute(_QUERIES["create_database"])
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable(
            f"The embedded server does not take our connection: {error}.",
            hint="If all its connections are taken, end some of the programs that use it.",
        ) from error
