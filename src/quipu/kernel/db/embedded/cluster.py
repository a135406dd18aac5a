"""PostgreSQL's data directory, made once and never made over, and its configuration, rewritten."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from quipu.errors import ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded.binaries import Binaries
from quipu.kernel.db.embedded.door import ADMIN_ROLE
from quipu.kernel.db.embedded.faults import creation_failure
from quipu.kernel.db.embedded.place import ClusterPlace, give
from quipu.kernel.db.embedded.process import run

ASIDE = "data.before-"
"""So begins the name of data that a restore or an upgrade put aside."""

RESTORED = "data.restored"
"""The name of data that a restore or an upgrade made whole and that have yet to take the place of the old."""

SCRATCH = "restoring"
"""The name of the directory in which a restore or an upgrade works."""

_FIRST_MAJOR_WITH_BUILTIN_LOCALE = 17
_FIRST_MAJOR_WITH_SYNCFS = 17
MAX_CONNECTIONS = 100
_FIRST_MAJOR_WITH_ALL = 16
_SETTINGS: tuple[tuple[str, str], ...] = (
    # What is acknowledged is on the disk.
    ("fsync", "on"),
    ("full_page_writes", "on"),
    ("synchronous_commit", "on"),
    # A machine of one's own: room for bursts, little when idle.
    ("max_wal_size", "1GB"),
    ("min_wal_size", "80MB"),
    ("huge_pages", "off"),
    ("work_mem", "16MB"),
    ("maintenance_work_mem", "128MB"),
    ("max_connections", str(MAX_CONNECTIONS)),
    ("max_logical_replication_workers", "0"),
    # Many short statements: what costs at their start is off.
    ("jit", "off"),
    ("max_parallel_workers_per_gather", "0"),
    ("random_page_cost", "1.1"),
    # Memory is mostly inserted: index-only scans need it vacuumed, and plans need it analysed, soon.
    ("autovacuum_naptime", "10s"),
    ("autovacuum_max_workers", "2"),
    ("autovacuum_vacuum_insert_threshold", "500"),
    ("autovacuum_vacuum_insert_scale_factor", "0.05"),
    ("autovacuum_vacuum_scale_factor", "0.1"),
    ("autovacuum_analyze_scale_factor", "0.05"),
    # What people wrote never goes to the log: neither statements nor parameters, and no errors of clients.
    ("log_min_messages", "log"),
    ("log_min_error_statement", "panic"),
    ("log_parameter_max_length_on_error", "0"),
    ("log_error_verbosity", "terse"),
    ("log_checkpoints", "off"),
    ("log_autovacuum_min_duration", "-1"),
    ("log_connections", "off"),
    ("log_line_prefix", "%m [%p] "),
    ("timezone", "UTC"),
    ("log_timezone", "UTC"),
    ("datestyle", "ISO, YMD"),
    ("lc_messages", "C"),
    ("password_encryption", "scram-sha-256"),
    ("cluster_name", "quipu"),
)
_SINCE_MAJOR: Mapping[int, tuple[tuple[str, str], ...]] = {
    # Three idle processes less; the cache of the system reads ahead well enough.
    18: (("io_method", "sync"),),
}
_LEAST_MB: Final = 1_024
_MOST_MB: Final = 4_096
_SHARE: Final = 8
_OF_CONTAINER: Final = Path("/sys/fs/cgroup/memory.max")


def data_major(place: ClusterPlace) -> int | None:
    """Return the PostgreSQL version that wrote the data, or None if there is no data yet.

    Raises ServerError for a directory that exists and is not PostgreSQL's: it is not touched.
    """
    if not place.data.exists():
        return None
    try:
        return int((place.data / "PG_VERSION").read_text("utf-8").strip())
    except (OSError, ValueError) as error:
        raise ServerError(
            f"{place.data} is there, but its PG_VERSION cannot be read: {error}.",
            hint="Nothing was touched. Bring the file back from a backup, or set QUIPU_HOME elsewhere.",
        ) from error


def create_cluster(place: ClusterPlace, binaries: Binaries) -> None:
    """Make the data directory. It gets its name when it is whole, so a crash on the way leaves none.

    Raises DiskFull or ServerError.
    """
    unborn = place.state / "data.new"
    aside = sorted(place.state.glob(f"{ASIDE}*"))
    if aside:
        raise ServerError(
            f"A restore was cut off: {place.data} is not there, and {aside[-1]} was put aside for it.",
            hint=f"Rename {aside[-1].name} to data again, or do the restore once more after that.",
        )
    try:
        if unborn.exists():
            shutil.rmtree(unborn)  # of a creation that was cut off: no server ever ran on it
        unborn.mkdir(mode=0o700)
        give(unborn, place.account)
        output = run(
            _initdb(unborn, place, binaries), account=place.account, env=binaries.environment(unborn)
        )
        if output.code != 0:
            raise creation_failure(output.text, data=place.data)
        unborn.rename(place.data)
    except OSError as error:
        raise creation_failure(str(error), data=place.data) from error
    finally:
        shutil.rmtree(unborn, ignore_errors=True)
        _handed_password(place).unlink(missing_ok=True)


def _initdb(data: Path, place: ClusterPlace, binaries: Binaries) -> list[str | Path]:
    return [
        binaries.tool("initdb"),
        *("--pgdata", data),
        f"--username={ADMIN_ROLE}",
        "--encoding=UTF8",
        "--data-checksums",
        "--no-instructions",
        *_locale(binaries.major),
        *_sync(binaries.major),
        *(_with_password(place) if place.loopback else ("--auth-host=reject", "--auth-local=peer")),
    ]


def _locale(major: int) -> list[str]:
    libc = "en_US.UTF-8" if sys.platform == "darwin" else "C.UTF-8"  # not every macOS has C.UTF-8
    if major < _FIRST_MAJOR_WITH_BUILTIN_LOCALE:
        return [f"--locale={libc}"]
    return ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", f"--locale={libc}"]


def _sync(major: int) -> list[str]:
    # One call for the file system instead of one for each of a thousand files.
    return ["--sync-method=syncfs"] if sys.platform == "linux" and major >= _FIRST_MAJOR_WITH_SYNCFS else []


def _with_password(place: ClusterPlace) -> list[str | Path]:
    """Write a random password to private files, one for initdb now, one for us to keep; return the options.

    An existing password stays: data that another version rewrites keep theirs.
    """
    handed = _handed_password(place)
    if not place.password_file.exists():
        _write_private(place.password_file, f"*:*:*:*:{secrets.token_urlsafe(32)}\n")
    password = place.password_file.read_text("utf-8").strip().removeprefix("*:*:*:*:")
    _write_private(handed, f"{password}\n")
    give(handed, place.account)
    return ["--auth=scram-sha-256", "--pwfile", handed]


def _handed_password(place: ClusterPlace) -> Path:
    return place.state / "password.new"


def _write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)


def postgresql_conf(
    *,
    major: int,
    shared_buffers_mb: int,
    socket_dir: Path | None,
    port: int,
    hba_file: Path,
    ident_file: Path,
    archive: str | None = None,
) -> str:
    """Return the text of postgresql.conf: on a socket in ``socket_dir``, or on loopback without one.

    ``archive``: the command that keeps a segment of the log, if it is kept; with "" segments wait until the
    server is started with a command.
    """
    own = [
        ("port", str(port)),
        ("hba_file", str(hba_file)),
        ("ident_file", str(ident_file)),
        ("shared_buffers", f"{shared_buffers_mb}MB"),
        *_reached_at(socket_dir),
        *_kept_by(archive),
    ]
    newer = [setting for since, settings in _SINCE_MAJOR.items() if major >= since for setting in settings]
    lines = [f"{name} = '{_escaped(value)}'" for name, value in [*own, *_SETTINGS, *newer]]
    return "\n".join(["# Rewritten at every start of the server.", *lines, ""])


def hba_conf(*, loopback: bool, major: int) -> str:
    """Return the text of pg_hba.conf: our own account by socket, or a password on loopback; nobody else.

    Before PostgreSQL 16 one account cannot be mapped to every role, so all but the administrator need
    passwords.
    """
    if loopback:
        who = "host {} all 127.0.0.1/32 scram-sha-256\n"
        return who.format("all") + who.format("replication")
    anybody = "all" if major >= _FIRST_MAJOR_WITH_ALL else ADMIN_ROLE
    who = f"local {{}} {anybody} peer map=quipu\n"
    with_password = "" if anybody == "all" else "local all all scram-sha-256\n"
    return who.format("all") + who.format("replication") + with_password


def ident_conf(account_name: str, *, major: int) -> str:
    """Return the text of pg_ident.conf: this one account may be any role, or the administrator."""
    return f"quipu {_quoted(account_name)} {'all' if major >= _FIRST_MAJOR_WITH_ALL else ADMIN_ROLE}\n"


def _reached_at(socket_dir: Path | None) -> list[tuple[str, str]]:
    if socket_dir is None:
        return [("listen_addresses", "127.0.0.1"), ("unix_socket_directories", "")]
    return [
        ("listen_addresses", ""),
        ("unix_socket_directories", _quoted(str(socket_dir))),
        ("unix_socket_permissions", "0700"),
        # Ends the work of a client that was killed. Windows does not know the setting.
        ("client_connection_check_interval", "5s"),
    ]


def _kept_by(archive: str | None) -> list[tuple[str, str]]:
    if archive is None:
        return []
    return [
        ("archive_mode", "on"),
        ("archive_command", archive),
        ("archive_timeout", "5min"),
    ]


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "''")


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def most_memory_mb(settings: Settings) -> int:
    """Return the largest address space of one process of the server, MB; 0 is no limit.

    The page cache counts in every process, though it is there once.
    """
    if sys.platform != "linux":
        return 0
    if settings.backend_memory_mb is not None:
        return settings.backend_memory_mb
    return settings.shared_buffers_mb + default_share_mb(_machine_mb())


def default_share_mb(machine_mb: int) -> int:
    """Return the memory that one process may have of its own: an eighth of the machine's, 1 to 4 GB."""
    return min(_MOST_MB, max(_LEAST_MB, machine_mb // _SHARE))


def _machine_mb() -> int:
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if _OF_CONTAINER.exists():
        limit = _OF_CONTAINER.read_text("ascii").strip()
        if limit.isdecimal():
            whole = min(whole, int(limit))
    return whole // 2**20
