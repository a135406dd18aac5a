"""Place of one embedded database: ``home/postgres`` and what is in it.

    postgres/            ours (mode 0700; 0711 when root lends the server another account)
      data/              PostgreSQL's own directory, 0700, of the serving account
      run/               the socket, 0700, of the serving account
      *.conf             written anew before every start
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

import os
import sys
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from quipu.kernel.db.embedded.account import Account

MACHINE_DIRECTORY = Path("/var/lib/quipu")
_SOCKET_NAME = ".s.PGSQL.5432"
_LONGEST_SOCKET_PATH = 100  # Linux takes 107 bytes, macOS 103


@dataclass(frozen=True, slots=True)
class Place:
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
