"""The embedded server as the rest of the system sees it: started, kept, stopped, and described."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeVar

import psycopg
from anyio import CancelScope, to_thread
from psycopg.rows import TupleRow

from quipu.errors import ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.embedded import binaries, lifecycle
from quipu.kernel.db.embedded.binaries import Binaries, choose_binaries
from quipu.kernel.db.embedded.cluster import data_major
from quipu.kernel.db.embedded.door import ConnectionAttempt, Door, enter, knock
from quipu.kernel.db.embedded.faults import file_failure, tail
from quipu.kernel.db.embedded.lifecycle import Share
from quipu.kernel.db.embedded.lock import read_pid_file
from quipu.kernel.db.embedded.place import ClusterPlace, find_place, make_place
from quipu.kernel.db.embedded.postmaster import door_of, lives

_T = TypeVar("_T")
State = Literal["running", "stopped", "absent", "foreign", "broken"]
_QUERIES = queries.load("quipu.kernel.db.embedded")


class EmbeddedServer:
    """A running server and our share in it. The last one that lets go stops the server."""

    def __init__(self, share: Share) -> None:
        self._share = share
        # Also runs when the interpreter ends, for those who never close.
        self._leave = weakref.finalize(self, _leave, share, os.getpid())

    def conninfo(self, dbname: str = "quipu") -> str:
        """Return a libpq connection string of the role ``quipu_admin`` (superuser)."""
        return self._share.door.conninfo(dbname)

    @property
    def pid(self) -> int:
        """The process id of the server; raises ServerError if it has gone."""
        entry = read_pid_file(self._share.place.data)
        if entry is None:
            raise ServerError(
                "The embedded server is not running.", hint="Start it again, or see `quipu doctor`."
            )
        return entry.pid

    async def aclose(self) -> None:
        """Let go of the server; stops it if nobody else uses it. A second call does nothing."""
        with CancelScope(shield=True):
            await _in_thread(self._leave)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


async def start(settings: Settings) -> EmbeddedServer:
    """Open the server of ``settings.home``: join it if it runs, start it if not, make it if it is new.

    Raises ServerError (with the way out in ``hint``), DiskFull or ConfigError. No data is ever deleted.
    """
    return await _in_thread(lambda: EmbeddedServer(lifecycle.join(make_place(settings), settings)))


async def keep(settings: Settings) -> None:
    """Start the server, and let it stay when its last client leaves, until ``stop``."""
    await _in_thread(lambda: lifecycle.keep(make_place(settings), settings))


async def stop(settings: Settings, *, force: bool = False) -> bool:
    """Stop the server; False if none ran. Raises ServerError if others use it and ``force`` is not set."""
    return await _in_thread(lambda: lifecycle.stop(find_place(settings), force=force))


async def programs(settings: Settings) -> Binaries:
    """Return the PostgreSQL programs (psql, pg_dump, …) that fit the data of these settings."""
    return await _in_thread(lambda: _programs(settings))


async def _in_thread(work: Callable[[], _T]) -> _T:
    try:
        return await to_thread.run_sync(work)
    except OSError as error:
        raise file_failure(error) from error


def _programs(settings: Settings) -> Binaries:
    place = make_place(settings)
    return choose_binaries(settings, place.account, data_major=data_major(place))


def _leave(share: Share, owner_pid: int) -> None:
    if os.getpid() == owner_pid:  # in a forked child the share is still its parent's
        lifecycle.leave(share)


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """State of the server of one home.

    ``version`` is the server's while it runs, else the major version of its data. ``clients`` counts open
    sessions, not ours. ``stays``: it does not stop when its last client leaves. ``problems`` are sentences.
    """

    state: State
    data_dir: Path
    socket: str | None = None
    pid: int | None = None
    version: str | None = None
    binaries: Path | None = None
    size_bytes: int = 0
    clients: int = 0
    stays: bool = False
    problems: tuple[str, ...] = field(default=())


def status(settings: Settings) -> ServerStatus:
    """Return the state of the server of ``settings.home``. Raises ConfigError for a wrong ``pg_user``."""
    try:
        place = find_place(settings)
    except ServerError as error:
        return _unusable(settings, error)
    if not place.data.exists():
        return ServerStatus("absent", place.data, binaries=expected_binaries(settings, place))
    try:
        major = data_major(place)
    except ServerError as error:
        return ServerStatus("broken", place.data, size_bytes=size_of(place.data), problems=(str(error),))
    return _of_existing(settings, place, major)


def expected_binaries(settings: Settings, place: ClusterPlace) -> Path | None:
    """Return the programs that the next start would try first, if they exist without unpacking."""
    if settings.pg_bin is not None:
        return settings.pg_bin.expanduser().absolute()
    program = binaries.packaged_program()
    if program is None:
        return None
    unpacked = binaries.binaries_shelf(place.account) / binaries.shelf_name(program) / "bin"
    return unpacked if unpacked.exists() else None


def size_of(directory: Path) -> int:
    """Return the size of all files below a directory, in bytes; files that vanish meanwhile do not count."""
    total = 0
    for parent, _, names in os.walk(directory):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size
            except OSError:
                continue
    return total


def _unusable(settings: Settings, error: ServerError) -> ServerStatus:
    entry = settings.home.expanduser() / "postgres"
    leads_nowhere = entry.is_symlink() and not entry.exists()
    return ServerStatus("broken" if leads_nowhere else "foreign", entry / "data", problems=(str(error),))


def _of_existing(settings: Settings, place: ClusterPlace, major: int | None) -> ServerStatus:
    door = door_of(place)
    answer = knock(door)
    state, problems = _reading(answer, place)
    version, binaries, clients = None, None, 0
    if answer is ConnectionAttempt.READY:
        version, binaries, clients = _describe(door)
    entry = read_pid_file(place.data)
    return ServerStatus(
        state=state,
        data_dir=place.data,
        socket=door.host if state == "running" else None,
        pid=entry.pid if entry and state == "running" else None,
        version=version or str(major),
        binaries=binaries or expected_binaries(settings, place),
        size_bytes=size_of(place.data),
        clients=clients,
        stays=place.stays_marker.exists(),
        problems=problems,
    )


def _reading(answer: ConnectionAttempt, place: ClusterPlace) -> tuple[State, tuple[str, ...]]:
    match answer:
        case ConnectionAttempt.READY:
            return "running", ()
        case ConnectionAttempt.FULL:
            return "running", ("All its connections are taken.",)
        case ConnectionAttempt.BUSY:
            return "running", ("It is starting, recovering or stopping at this moment.",)
        case ConnectionAttempt.REFUSED:
            return "foreign", ("A server answers that is not ours or does not know us.",)
        case ConnectionAttempt.SILENT | ConnectionAttempt.MUTE if lives(place):
            return "broken", ("Its processes live, and none of them answers.", *tail(place.log_file, lines=3))
        case ConnectionAttempt.SILENT | ConnectionAttempt.MUTE:
            return "stopped", ()


def _describe(door: Door) -> tuple[str | None, Path | None, int]:
    row: TupleRow | None
    try:
        with enter(door) as connection:
            row = connection.execute(_QUERIES["describe_server"]).fetchone()
    except psycopg.OperationalError:
        return None, None, 0  # it stopped between two looks
    return (str(row[0]).split()[0], Path(row[1]), int(row[2])) if row else (None, None, 0)
