"""Where one embedded database lives: ``home/postgres`` and what is in it.

    postgres/            ours (mode 0700; 0711 when root lends the server another account)
      data/              PostgreSQL's own directory, 0700, of the serving account
      run/               the socket, 0700, of the serving account
      *.conf             written anew before every start
      server.log         what the server said
      start.lock         held while one process starts or stops the server
      clients.lock       shared by everyone who uses the server; who can have it alone is the last
      server.lock        held by the server's own processes for as long as one of them lives
      stays              present: the server stays when its last client leaves (``quipu db start``)

Root's case: a powerless account cannot pass through a 0700 directory such as ``/root``, and opening such a
directory to everyone is not ours to do. Then ``home/postgres`` is a link to a directory under ``/var/lib/quipu``.
"""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from quipu.errors import ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded.account import Account, name_of, own_account, serving_account

MACHINE_DIRECTORY = Path("/var/lib/quipu")
_SOCKET_NAME = ".s.PGSQL.5432"
_LONGEST_SOCKET_PATH = 100  # Linux takes 107 bytes, macOS 103


@dataclass(frozen=True, slots=True)
class Place:
    """The directories and files of one embedded database, and the account that serves it."""

    home: Path
    state: Path
    account: Account

    @property
    def data(self) -> Path:
        """PostgreSQL's data directory."""
        return self.state / "data"

    @property
    def socket_dir(self) -> Path:
        """Where a new server puts its socket: beside the data, or where the path is short enough."""
        beside = self.state / "run"
        if len(os.fsencode(beside / _SOCKET_NAME)) <= _LONGEST_SOCKET_PATH:
            return beside
        if self.account.borrowed:
            return MACHINE_DIRECTORY / f"run-{_digest(self.state)}"
        return Path("/tmp") / f"quipu-{self.account.uid}-{_digest(self.state)}"  # noqa: S108 - 0700 and checked

    @property
    def config_file(self) -> Path:
        """postgresql.conf."""
        return self.state / "postgresql.conf"

    @property
    def hba_file(self) -> Path:
        """Who may connect how."""
        return self.state / "pg_hba.conf"

    @property
    def ident_file(self) -> Path:
        """Which account of the machine may be which role."""
        return self.state / "pg_ident.conf"

    @property
    def log_file(self) -> Path:
        """What the server said."""
        return self.state / "server.log"

    @property
    def start_lock(self) -> Path:
        """Held while one process starts or stops the server."""
        return self.state / "start.lock"

    @property
    def clients_lock(self) -> Path:
        """Shared by everyone who uses the server."""
        return self.state / "clients.lock"

    @property
    def server_lock(self) -> Path:
        """Held by the server's own processes."""
        return self.state / "server.lock"

    @property
    def stays_marker(self) -> Path:
        """Present: the server stays when its last client leaves."""
        return self.state / "stays"

    @property
    def password_file(self) -> Path:
        """libpq's password file of a loopback server (none on a socket)."""
        return self.state / "password"


def find_place(settings: Settings) -> Place:
    """Where the database of these settings is, or would be; creates nothing.

    Raises ServerError if another user owns it or its link leads nowhere, ConfigError for a wrong ``pg_user``.
    """
    home = Path(os.path.abspath(settings.home.expanduser()))
    entry = home / "postgres"
    if entry.is_symlink() and not entry.exists():
        raise ServerError(
            f"{entry} says that the database is in {os.readlink(entry)}, and there is nothing.",
            hint="Bring that directory back. Only if you want to begin with an empty database: remove the link.",
        )
    owner_uid = _owner_uid(entry / "data")
    account = serving_account(settings.pg_user, data_owner_uid=owner_uid)
    state = entry.resolve() if entry.exists() else _planned_state(home, account)
    _refuse_foreign(state, account)
    return Place(home=home, state=state, account=account)


def make_place(settings: Settings) -> Place:
    """The same with its directories made; an existing directory's mode is never changed.

    Raises ServerError where they cannot be made, besides what ``find_place`` raises.
    """
    place = find_place(settings)
    mode = 0o711 if place.account.borrowed else 0o700
    try:
        make_directories(place.home, mode)
        make_directories(place.state, mode)
        entry = place.home / "postgres"
        if not entry.exists():
            _link(entry, place.state)
        _make_private(place.socket_dir, place.account)
    except PermissionError as error:
        raise ServerError(
            f"{error.filename} cannot be made: {error.strerror}.",
            hint="Set QUIPU_HOME to a directory of yours, or QUIPU_DATABASE_URL to a server.",
        ) from error
    return place


def reachable(path: Path, account: Account) -> bool:
    """Whether ``account`` may pass through every existing directory down to ``path`` (by mode bits alone)."""
    return first_closed(path, account) is None


def first_closed(path: Path, account: Account) -> Path | None:
    """The topmost directory on the way to ``path`` that is closed to ``account``, or None."""
    for part in (*reversed(path.parents), path):
        if part.is_dir() and not _may_enter(part.stat(), account):
            return part
    return None


def make_directories(path: Path, mode: int) -> None:
    """Make what is missing down to ``path``. The mode is set apart from mkdir, which would let the umask cut
    it; directories that are there keep theirs."""
    for part in (*reversed(path.parents), path):
        if not part.exists():
            part.mkdir(exist_ok=True)
            part.chmod(mode)


def _planned_state(home: Path, account: Account) -> Path:
    if not account.borrowed or reachable(home.resolve(), account):
        return home.resolve() / "postgres"
    return MACHINE_DIRECTORY / _digest(home.resolve())


def _refuse_foreign(state: Path, account: Account) -> None:
    if sys.platform == "win32":
        return
    expected = (
        (state, own_account().uid, "run as that user, or set QUIPU_HOME to a directory of your own"),
        (state / "data", account.uid, "set QUIPU_PG_USER to that user"),
    )
    for path, uid, way_out in expected:
        owner = _owner_uid(path)
        if owner is not None and owner != uid:
            raise ServerError(
                f"{path} belongs to the user '{name_of(owner) or owner}', not to '{name_of(uid) or uid}'.",
                hint=f"Nothing was changed. Either {way_out}, or give it to you with chown while no server runs.",
            )


def _owner_uid(path: Path) -> int | None:
    try:
        return path.stat().st_uid
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise ServerError(
            f"{path} cannot be looked at: {error.strerror}.",
            hint="It is inside another user's directory. Set QUIPU_HOME to a directory of your own.",
        ) from error


def _may_enter(info: os.stat_result, account: Account) -> bool:
    if info.st_uid == account.uid:
        return bool(info.st_mode & stat.S_IXUSR)
    if info.st_gid == account.gid:
        return bool(info.st_mode & stat.S_IXGRP)
    return bool(info.st_mode & stat.S_IXOTH)


def _link(entry: Path, state: Path) -> None:
    try:
        entry.symlink_to(state, target_is_directory=True)
    except FileExistsError:
        return  # another process made it a moment ago


def _make_private(path: Path, account: Account) -> None:
    """A 0700 directory of ``account``; refuses one that somebody else made, as anyone can in /tmp."""
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        pass
    else:
        if sys.platform != "win32" and account.borrowed:
            os.chown(path, account.uid, account.gid)
    info = path.lstat()
    if sys.platform != "win32" and (
        not stat.S_ISDIR(info.st_mode) or info.st_uid != account.uid or info.st_mode & 0o077
    ):
        raise ServerError(
            f"{path} must be a directory of '{account.name}' that is closed to all others (mode 0700).",
            hint="Look who made it, then remove it or correct its owner and mode.",
        )


def _digest(path: Path) -> str:
    return sha256(os.fsencode(path)).hexdigest()[:12]
