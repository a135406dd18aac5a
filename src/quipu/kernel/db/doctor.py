"""State of the embedded database, explained. The doctor looks and never changes anything."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
from anyio import to_thread

from quipu.errors import ConfigError, ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.embedded import cluster
from quipu.kernel.db.embedded.binaries import NEEDED_EXTENSIONS, Binaries, inspect
from quipu.kernel.db.embedded.disk import rooms
from quipu.kernel.db.embedded.door import DATABASE, enter
from quipu.kernel.db.embedded.faults import Finding, read_version, tail
from quipu.kernel.db.embedded.lock import is_held_alone, read_pid_file
from quipu.kernel.db.embedded.place import (
    MACHINE_DIRECTORY,
    ClusterPlace,
    find_place,
    first_closed,
    forgotten,
)
from quipu.kernel.db.embedded.postmaster import door_of
from quipu.kernel.db.embedded.process import user_id
from quipu.kernel.db.embedded.server import ServerStatus, expected_binaries, size_of, status

__all__ = ["Finding", "examine"]

_QUERIES = queries.load("quipu.kernel.db.embedded")


async def examine(settings: Settings) -> list[Finding]:
    """Examine the embedded database of ``settings.home``; findings come in the order in which they matter."""
    return await to_thread.run_sync(lambda: list(_examine(settings)))


def _examine(settings: Settings) -> Iterator[Finding]:
    if settings.database_url is not None:
        named = "QUIPU_DATABASE_URL" if settings.direct_url is None else "QUIPU_DIRECT_URL"
        yield Finding("embedded", "ok", f"not used: {named} names a server")
        if settings.direct_url is not None:
            prepared = "prepared" if settings.pooler_prepares else "not prepared"
            yield Finding(
                "pooler", "ok", f"QUIPU_DATABASE_URL is that of a pooler; statements are {prepared}"
            )
        return
    try:
        server = status(settings)
    except ConfigError as error:
        yield Finding("account", "fail", error.message, error.hint or "")
        return
    if server.state in ("foreign", "broken") and server.problems and not server.data_dir.exists():
        yield Finding("directory", "fail", server.problems[0])
        return
    if server.state == "foreign":
        yield Finding("directory", "fail", "; ".join(server.problems))
        return
    place = find_place(settings)
    for look in _ON_DISK:
        yield look(place, server)
    yield from _disks(settings, place, server)
    yield from _programs(settings, place, server)
    yield _server(place, server)
    if server.state == "running":
        yield from _inside(place)


def _account(place: ClusterPlace, _: ServerStatus) -> Finding:
    account = place.account
    if account.name != "nobody":
        return Finding("account", "ok", f"the server runs as '{account.name}'")
    return Finding(
        "account",
        "warn",
        "the server runs as 'nobody', whom other services may share; they could read the data",
        "Make an account for it and name it in QUIPU_PG_USER before the first start.",
    )


def _directory(place: ClusterPlace, server: ServerStatus) -> Finding:
    closed = first_closed(place.state, place.account)
    if closed is not None:
        hint = f"Let it pass (chmod o+x {closed}), or move {place.state} to where it can and link to it."
        return Finding("directory", "fail", f"{closed} is closed to '{place.account.name}'", hint)
    size = "none yet" if server.state == "absent" else f"{server.size_bytes / 1e6:.0f} MB"
    if place.home.resolve() in place.state.parents:
        return Finding("directory", "ok", f"{place.data} ({size})")
    why = f"{place.data} ({size}): outside {place.home}"
    if MACHINE_DIRECTORY not in place.state.parents:
        return Finding("directory", "ok", f"{why}, to where its link 'postgres' leads")
    hint = (
        "Back that directory up too; in a container set QUIPU_HOME to a volume that others may pass through."
    )
    return Finding("directory", "warn", f"{why}, which is closed to '{place.account.name}'", hint)


def _modes(place: ClusterPlace, _: ServerStatus) -> Finding:
    paths = [path for path in (place.data, place.socket_dir) if path.exists()]
    opened = [str(path) for path in paths if sys.platform != "win32" and _is_open(path, place)]
    if opened:
        return Finding(
            "permissions", "fail", f"open to others: {', '.join(opened)}", "Close them: chmod 0700."
        )
    return Finding("permissions", "ok", "data and socket are closed to other users")


def _is_open(path: Path, place: ClusterPlace) -> bool:
    info = path.stat()
    return info.st_uid != place.account.uid or bool(stat.S_IMODE(info.st_mode) & 0o077)


def _disks(settings: Settings, place: ClusterPlace, server: ServerStatus) -> Iterator[Finding]:
    for room in rooms(place, settings, size_bytes=server.size_bytes):
        hint = "" if room.state == "ok" else f"Make room: {room.why}"
        name = "disk" if room.purpose == "data" else f"disk: {room.purpose}"
        yield Finding(name, room.state, room.detail, hint)


def _leftovers(place: ClusterPlace, server: ServerStatus) -> Finding:
    if server.state == "stopped" and (pid_file := read_pid_file(place.data)):
        detail = f"a pid file of process {pid_file.pid} is left from a server that was killed"
        return Finding("pid file", "ok", detail, "Nothing to do: the next start recovers and sets it aside.")
    return Finding("pid file", "ok", "none is left over" if server.pid is None else f"process {server.pid}")


def _users(place: ClusterPlace, server: ServerStatus) -> Finding:
    if place.state.exists() and os.access(place.state, os.R_OK) and is_held_alone(place.start_lock):
        return Finding("clients", "ok", "a process is starting or stopping the server right now")
    stays = "; the server stays until `quipu db stop`" if server.stays else ""
    return Finding("clients", "ok", f"{server.clients} open sessions{stays}")


def _forgotten(_: ClusterPlace, __: ServerStatus) -> Finding:
    places = forgotten() if os.access(MACHINE_DIRECTORY, os.R_OK) and not user_id() else []
    if not places:
        return Finding("forgotten", "ok", "no database without its home")
    size = sum(map(size_of, places)) / 1e6
    names = ", ".join(map(str, places[:3])) + (", …" if len(places) > 3 else "")
    detail = f"{len(places)} databases of homes that are gone ({size:.0f} MB): {names}"
    return Finding(
        "forgotten", "warn", detail, "Their file 'home' says whose they were. Remove what you do not need."
    )


_ON_DISK: tuple[Callable[[ClusterPlace, ServerStatus], Finding], ...] = (
    _account,
    _directory,
    _modes,
    _leftovers,
    _users,
    _forgotten,
)


def _programs(settings: Settings, place: ClusterPlace, server: ServerStatus) -> Iterator[Finding]:
    bin_dir = server.binaries or expected_binaries(settings, place)
    if bin_dir is None:
        yield Finding("programs", "ok", "not unpacked yet: the first start does it")
        return
    seen = inspect(bin_dir, "setting" if settings.pg_bin else "package", place.account)
    if not isinstance(seen, Binaries):
        yield Finding("programs", "fail", seen, "Set QUIPU_PG_BIN to other PostgreSQL programs, or unset it.")
        return
    try:
        data_major = cluster.data_major(place)
    except ServerError:  # the finding about the server says what is wrong with the data
        data_major = None
    if data_major not in (None, seen.major):
        yield Finding(
            *("programs", "warn", f"the data are of PostgreSQL {data_major}, {bin_dir} has {seen.version}"),
            "Bring the data over: quipu db upgrade. Until then programs of their version are needed.",
        )
        return
    yield Finding("programs", "ok", f"{bin_dir} (PostgreSQL {seen.version})")
    yield read_version(server.version if server.state == "running" and server.version else seen.version)


def _server(place: ClusterPlace, server: ServerStatus) -> Finding:
    if server.state == "running":
        where = f"process {server.pid} at {server.socket}"
        return Finding("server", "warn" if server.problems else "ok", "; ".join((where, *server.problems)))
    if server.state == "broken":
        hint = "Nothing was changed. See docs/decisions/embedded-postgresql.md, 'When it does not start'."
        return Finding("server", "fail", "; ".join(server.problems), hint)
    last = f"; last words: {' / '.join(tail(place.log_file, lines=2))}" if place.log_file.exists() else ""
    return Finding("server", "ok", f"{server.state}; it starts when it is needed{last}")


def _inside(place: ClusterPlace) -> Iterator[Finding]:
    try:
        door = door_of(place)
        with enter(door) as connection, enter(door, DATABASE) as entered:
            wanted = {"names": list(NEEDED_EXTENSIONS)}
            lacking = [row[0] for row in connection.execute(_QUERIES["lacking_extensions"], wanted)]
            older = [row[0] for row in entered.execute(_QUERIES["older_extensions"])]
            unsafe = [f"{name} is {value}" for name, value in connection.execute(_QUERIES["unsafe_settings"])]
    except psycopg.OperationalError as error:
        yield Finding("extensions", "fail", f"the server does not let us look: {error}", "Try again.")
        return
    hint = "Install them for these programs, or set QUIPU_PG_BIN to others." if lacking else ""
    detail = f"lacking: {', '.join(lacking)}" if lacking else ", ".join(NEEDED_EXTENSIONS)
    yield Finding("extensions", "fail" if lacking else "ok", detail, hint)
    if older:
        yield Finding(
            *("extensions", "warn", f"older than the programs: {', '.join(older)}"),
            "The next start of the server updates them; where that fails, its warning says why.",
        )
    hint = "Set them back (alter system reset …) and restart the server." if unsafe else ""
    detail = "; ".join(unsafe) or "what is acknowledged is on the disk, and pages are checked"
    yield Finding("durability", "fail" if unsafe else "ok", detail, hint)
