"""Place of one embedded database: ``home/postgres`` and what is in it.

    postgres/            ours (mode 0700; 0711 when root lends the server another account)
      data/              PostgreSQL's own directory, 0700, of the serving account
      run/               the socket, 0700, of the serving account
      *.conf             rewritten before every start
      password           libpq's password file (only where there are no sockets)
      server.log         what the server said
      start.lock         held while one process starts or stops the server
      clients.lock       shared by everyone who uses the server; who can have it alone is the last
      server.lock        held by the server's own processes for as long as one of them lives
      home               which home it is of, where it does not lie in it
      archive            where the log is kept, if it is
      backups/           copies of the data, and the log (if QUIPU_BACKUP_DIR names no other place)
      stays              present: the server stays when its last client leaves (``quipu db start``)

Root's case: a powerless account cannot pass through a 0700 directory such as ``/root``, and opening such
a directory to everyone is not ours to do. Then ``home/postgres`` is a link into ``/var/lib/quipu``.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from quipu.errors import ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded.process import Account, name_of, serving_account, user_id

MACHINE_DIRECTORY = Path("/var/lib/quipu")
_SOCKET_NAME = ".s.PGSQL.5432"
_LONGEST_SOCKET_PATH = 100  # Linux takes 107 bytes, macOS 103


@dataclass(frozen=True, slots=True)
class ClusterPlace:
    """The directories and files of one embedded database, and the account that serves it.

    ``loopback``: reached over 127.0.0.1 with a password, where the platform has no sockets.
    """

    home: Path
    state: Path
    account: Account
    loopback: bool = sys.platform == "win32"

    @property
    def data(self) -> Path:
        """PostgreSQL's data directory."""
        return self.state / "data"

    @property
    def socket_dir(self) -> Path:
        """Directory for a new server's socket.

        It lies beside the data, or elsewhere if that path is too long or has a comma, at which libpq would
        split it.
        """
        beside = self.state / "run"
        if len(os.fsencode(beside / _SOCKET_NAME)) <= _LONGEST_SOCKET_PATH and "," not in str(beside):
            return beside
        if self.account.borrowed:
            return MACHINE_DIRECTORY / f"run-{digest(self.state)}"
        return Path("/tmp") / f"quipu-{self.account.uid}-{digest(self.state)}"

    @property
    def config_file(self) -> Path:
        """postgresql.conf."""
        return self.state / "postgresql.conf"

    @property
    def hba_file(self) -> Path:
        """File that says who may connect and how."""
        return self.state / "pg_hba.conf"

    @property
    def ident_file(self) -> Path:
        """File that says which account of the machine may be which role."""
        return self.state / "pg_ident.conf"

    @property
    def password_file(self) -> Path:
        """libpq's password file of a loopback server."""
        return self.state / "password"

    @property
    def log_file(self) -> Path:
        """File with the server's output."""
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
    def home_note(self) -> Path:
        """File that names the home of this database if it lies elsewhere."""
        return self.state / "home"

    @property
    def archive_note(self) -> Path:
        """File that names the directory of the server's log archive; absent if there is none."""
        return self.state / "archive"

    @property
    def stays_marker(self) -> Path:
        """Present: the server stays when its last client leaves."""
        return self.state / "stays"


def digest(path: Path) -> str:
    """Return a short name for a path."""
    return sha256(os.fsencode(path)).hexdigest()[:12]


def find_place(settings: Settings) -> ClusterPlace:
    """Return the place of the database of these settings, existing or not; creates nothing.

    Raises ServerError if another user owns it or its link leads nowhere, ConfigError for a wrong ``pg_user``.
    """
    home = Path(os.path.abspath(settings.home.expanduser()))
    try:
        return _look(home, settings.pg_user)
    except PermissionError as error:
        raise ServerError(
            f"{error.filename} is inside a directory that is closed to us.",
            hint="Set QUIPU_HOME to a directory of your own.",
        ) from error


def make_place(settings: Settings) -> ClusterPlace:
    """Return the place of the database, with its directories made; existing directories keep their mode.

    Raises ServerError if they cannot be made, besides the errors of ``find_place``.
    """
    place = find_place(settings)
    mode = 0o711 if place.account.borrowed else 0o700
    try:
        make_directories(place.home, mode)
        make_directories(place.state, mode)
        entry = place.home / "postgres"
        if not entry.exists():
            place.home_note.write_text(f"{place.home}\n", "utf-8")
            entry.symlink_to(place.state, target_is_directory=True)
    except FileExistsError:
        pass  # another process made the link a moment ago
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise ServerError(
            f"{error.filename} cannot be made: {error.strerror}.",
            hint="Set QUIPU_HOME to a directory of yours, or QUIPU_DATABASE_URL to a server.",
        ) from error
    return place


def forgotten() -> list[Path]:
    """Return databases of this machine's shelf whose home is gone or leads to another one by now."""
    places: list[Path] = []
    for note in MACHINE_DIRECTORY.glob("*/home"):
        entry = Path(note.read_text("utf-8").rstrip("\n")) / "postgres"
        if not entry.exists() or not entry.samefile(note.parent):
            places.append(note.parent)
    return sorted(places)


def _look(home: Path, pg_user: str | None) -> ClusterPlace:
    entry = home / "postgres"
    if entry.is_symlink() and not entry.exists():
        raise ServerError(
            f"{entry} says that the database is in {entry.readlink()}, and there is nothing.",
            hint="Bring that directory back. To begin with an empty database instead, remove the link.",
        )
    _refuse_foreign(entry, user_id(), "run as that user, or set QUIPU_HOME to a directory of your own")
    account = serving_account(pg_user, data_owner_uid=_owner_uid(entry / "data"))
    _refuse_foreign(entry / "data", account.uid, "set QUIPU_PG_USER to that user")
    state = entry.resolve() if entry.exists() else _planned_state(home.resolve(), account)
    return ClusterPlace(home=home, state=state, account=account)


def _planned_state(home: Path, account: Account) -> Path:
    if not account.borrowed or first_closed(home, account) is None:
        return home / "postgres"
    return MACHINE_DIRECTORY / digest(home)


def _refuse_foreign(path: Path, uid: int, way_out: str) -> None:
    owner = _owner_uid(path)
    if owner is not None and owner != uid:
        raise ServerError(
            f"{path} belongs to the user '{name_of(owner) or owner}', not to '{name_of(uid) or uid}'.",
            hint=f"Nothing was changed. Either {way_out}, or change its owner while no server runs.",
        )


def _owner_uid(path: Path) -> int | None:
    try:
        return path.stat().st_uid
    except (FileNotFoundError, NotADirectoryError):
        return None


def make_directories(path: Path, mode: int) -> None:
    """Make what is missing down to ``path``. The mode is set apart from mkdir, which would let the umask
    cut it; directories that are there keep theirs."""
    for part in (*reversed(path.parents), path):
        if not part.exists():
            part.mkdir(exist_ok=True)
            part.chmod(mode)


def make_private(path: Path, account: Account) -> None:
    """Make a 0700 directory of ``account``; refuse one that somebody else made, as anyone can in /tmp.

    An empty one of ours that was not handed over yet is finished: whoever made it was killed just then.
    """
    if sys.platform == "win32":
        path.mkdir(exist_ok=True)
        return
    try:
        path.mkdir(mode=0o700)
        give(path, account)
    except FileExistsError:
        info = path.lstat()
        if _is_unfinished(path, info, account):
            give(path, account)
        elif not stat.S_ISDIR(info.st_mode) or info.st_uid != account.uid or info.st_mode & 0o077:
            raise ServerError(
                f"{path} must be a directory of '{account.name}' that is closed to all others (mode 0700).",
                hint="Look who made it, then remove it or correct its owner and mode.",
            ) from None


def _is_unfinished(path: Path, info: os.stat_result, account: Account) -> bool:
    ours = account.borrowed and info.st_uid == os.geteuid() and not info.st_mode & 0o077
    return ours and stat.S_ISDIR(info.st_mode) and not any(path.iterdir())


def give(path: Path, account: Account) -> None:
    """Hand a path that we made over to the account, if it is not ours."""
    if sys.platform != "win32" and account.borrowed:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)


def first_closed(path: Path, account: Account) -> Path | None:
    """Return the topmost directory on the way to ``path`` whose mode closes it to ``account``, or None."""
    for part in (*reversed(path.parents), path):
        if part.is_dir() and not _may_enter(part.stat(), account):
            return part
    return None


def _may_enter(info: os.stat_result, account: Account) -> bool:
    if info.st_uid == account.uid:
        return bool(info.st_mode & stat.S_IXUSR)
    if info.st_gid == account.gid:
        return bool(info.st_mode & stat.S_IXGRP)
    return bool(info.st_mode & stat.S_IXOTH)
