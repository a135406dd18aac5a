"""Starting, sharing and leaving the embedded server.

Everything that decides happens under ``start.lock``, so a newcomer and the last one to leave cannot
miss each other, and two newcomers start one server.
"""

from __future__ import annotations

import os
import weakref
from importlib.resources import files
from types import TracebackType
from typing import Self

import anyio
import psycopg
from anyio import CancelScope, to_thread

from quipu.errors import DatabaseUnavailable, ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded import cluster, configuration, postmaster
from quipu.kernel.db.embedded.account import own_account
from quipu.kernel.db.embedded.binaries import choose_binaries
from quipu.kernel.db.embedded.door import SOCKET_PORT, Answer, Door, knock
from quipu.kernel.db.embedded.lock import FileLock, alone
from quipu.kernel.db.embedded.place import Place, make_place

_TURN_SECONDS = 600
_PURPOSE = "to start or stop the server"


class EmbeddedServer:
    """A running server and our share in it. The last one that lets go stops the server."""

    def __init__(self, place: Place, door: Door, share: FileLock) -> None:
        self._door = door
        self._place = place
        # Also runs at the end of the interpreter, for those who never close.
        self._leave = weakref.finalize(self, _leave, place, share, os.getpid())

    def conninfo(self, dbname: str = "quipu") -> str:
        """A libpq connection string of the role ``quipu_admin`` (superuser)."""
        return self._door.conninfo(dbname)

    @property
    def pid(self) -> int:
        """The process id of the server; raises ServerError if it has gone."""
        found = postmaster.read_pid_file(self._place.data)
        if found is None:
            raise ServerError("The embedded server is not running.", hint="Start it again; `quipu doctor` says more.")
        return found.pid

    async def aclose(self) -> None:
        """Let go of the server; stops it if nobody else uses it. A second call does nothing."""
        with CancelScope(shield=True):
            await to_thread.run_sync(self._leave)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


async def start(settings: Settings) -> EmbeddedServer:
    """The server of ``settings.home``: joined if it runs, started if not, made if there is none yet.

    Raises ServerError (with the way out in ``hint``), DiskFull or ConfigError. No data is ever deleted.
    """
    return await to_thread.run_sync(_join_or_start, settings)


async def keep(settings: Settings) -> None:
    """Start the server and let it stay when its last client leaves, until ``stop``."""
    await to_thread.run_sync(_keep, settings)


async def stop(settings: Settings, *, force: bool = False) -> bool:
    """Stop the server; False if none ran. Raises ServerError if others use it and ``force`` is not set."""
    return await to_thread.run_sync(lambda: _stop(settings, force=force))


def _join_or_start(settings: Settings) -> EmbeddedServer:
    place = make_place(settings)
    with alone(place.start_lock, wait_seconds=_TURN_SECONDS, purpose=_PURPOSE):
        share = FileLock(place.clients_lock)
        try:
            if not share.try_shared():
                raise ServerError(f"{place.clients_lock} is held alone by a process that is not ours.")
            door = _running(place) or _bring_up(place, settings)
            _ensure_database(door)
        except BaseException:
            share.close()
            raise
        return EmbeddedServer(place, door, share)


def _running(place: Place) -> Door | None:
    """The door of a server that answers. One that is starting or stopping is waited for by ``launch``."""
    door = postmaster.door_of(place)
    answer = knock(door)
    if answer is Answer.REFUSED:
        raise ServerError(
            f"A server answers at {door.host}, and it does not know us.",
            hint="Somebody else's server uses this directory, or pg_hba.conf was changed. See `quipu doctor`.",
        )
    return door if answer in (Answer.READY, Answer.FULL) else None


def _bring_up(place: Place, settings: Settings) -> Door:
    major = cluster.data_major(place)
    binaries = choose_binaries(settings, place.account, data_major=major)
    if major is None:
        cluster.create_cluster(place, binaries)
    _write_configuration(place, settings, binaries.major)
    postmaster.launch(place, binaries)
    return postmaster.door_of(place)


def _write_configuration(place: Place, settings: Settings, major: int) -> None:
    texts = {
        place.config_file: configuration.postgresql_conf(
            major=major,
            shared_buffers_mb=settings.shared_buffers_mb,
            socket_dir=place.socket_dir,
            port=SOCKET_PORT,
            hba_file=place.hba_file,
            ident_file=place.ident_file,
        ),
        place.hba_file: configuration.hba_conf(on_socket=True),
        place.ident_file: configuration.ident_conf(own_account().name),
    }
    for path, text in texts.items():
        path.write_text(text, "utf-8")
        path.chmod(0o644 if place.account.borrowed else 0o600)


def _ensure_database(door: Door) -> None:
    try:
        with psycopg.connect(door.conninfo("postgres"), autocommit=True) as connection:
            row = connection.execute(_sql("database_exists")).fetchone()
            if row is None or not row[0]:
                connection.execute(_sql("create_database"))
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable(
            f"The embedded server does not take our connection: {error}.",
            hint="If all connections are taken, close some; otherwise see `quipu doctor`.",
        ) from error


def _sql(name: str) -> bytes:
    return (files("quipu.kernel.db.embedded") / "sql" / f"{name}.sql").read_bytes()


def _leave(place: Place, share: FileLock, owner_pid: int) -> None:
    """Give our share back; stop the server if it was the last and the server is not to stay."""
    try:
        if os.getpid() != owner_pid:
            return  # a forked child: the share is its parent's
        with alone(place.start_lock, wait_seconds=_TURN_SECONDS, purpose=_PURPOSE):
            if share.try_exclusive() and not place.stays_marker.exists():
                postmaster.shut_down(place)
    finally:
        share.close()


def _keep(settings: Settings) -> None:
    server = _join_or_start(settings)
    place = make_place(settings)
    place.stays_marker.touch(mode=0o600)
    server._leave()


def _stop(settings: Settings, *, force: bool) -> bool:
    place = make_place(settings)
    with alone(place.start_lock, wait_seconds=_TURN_SECONDS, purpose=_PURPOSE):
        place.stays_marker.unlink(missing_ok=True)
        if not postmaster.lives(place):
            return False
        share = FileLock(place.clients_lock)
        try:
            if not share.try_exclusive() and not force:
                raise ServerError("Other processes use the server.", hint="End them first, or stop it with --force.")
            postmaster.shut_down(place)
        finally:
            share.close()
    return True
