"""The state of the embedded server, looked at without changing anything."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import psycopg
from psycopg.rows import TupleRow

from quipu.errors import ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.embedded import package
from quipu.kernel.db.embedded.cluster import data_major
from quipu.kernel.db.embedded.door import Answer, Door, enter, knock
from quipu.kernel.db.embedded.locate import find_place
from quipu.kernel.db.embedded.log import tail
from quipu.kernel.db.embedded.pidfile import read_pid_file
from quipu.kernel.db.embedded.place import Place
from quipu.kernel.db.embedded.postmaster import door_of, lives

State = Literal["running", "stopped", "absent", "foreign", "broken"]
_QUERIES = queries.load("quipu.kernel.db.embedded")


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


def expected_binaries(settings: Settings, place: Place) -> Path | None:
    """Return the programs that the next start would try first, if they exist without unpacking."""
    if settings.pg_bin is not None:
        return settings.pg_bin.expanduser().absolute()
    program = package.packaged_program()
    if program is None:
        return None
    unpacked = package.binaries_shelf(place.account) / package.shelf_name(program) / "bin"
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


def _of_existing(settings: Settings, place: Place, major: int | None) -> ServerStatus:
    door = door_of(place)
    answer = knock(door)
    state, problems = _reading(answer, place)
    version, binaries, clients = None, None, 0
    if answer is Answer.READY:
        version, binaries, clients = _describe(door)
    found = read_pid_file(place.data)
    return ServerStatus(
        state=state,
        data_dir=place.data,
        socket=door.host if state == "running" else None,
        pid=found.pid if found and state == "running" else None,
        version=version or str(major),
        binaries=binaries or expected_binaries(settings, place),
        size_bytes=size_of(place.data),
        clients=clients,
        stays=place.stays_marker.exists(),
        problems=problems,
    )


def _reading(answer: Answer, place: Place) -> tuple[State, tuple[str, ...]]:
    match answer:
        case Answer.READY:
            return "running", ()
        case Answer.FULL:
            return "running", ("All its connections are taken.",)
        case Answer.BUSY:
            return "running", ("It is starting, recovering or stopping at this moment.",)
        case Answer.REFUSED:
            return "foreign", ("A server answers that is not ours or does not know us.",)
        case Answer.SILENT | Answer.MUTE if lives(place):
            return "broken", ("Its processes live, and none of them answers.", *tail(place.log_file, lines=3))
        case Answer.SILENT | Answer.MUTE:
            return "stopped", ()


def _describe(door: Door) -> tuple[str | None, Path | None, int]:
    row: TupleRow | None
    try:
        with enter(door) as connection:
            row = connection.execute(_QUERIES["describe_server"]).fetchone()
    except psycopg.OperationalError:
        return None, None, 0  # it stopped between two looks
    return (str(row[0]).split()[0], Path(row[1]), int(row[2])) if row else (None, None, 0)
