"""The configuration of the embedded server, as text. Changes of yours go into the data by ALTER SYSTEM."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from quipu.kernel.db.embedded.door import ADMIN_ROLE

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
    return "\n".join(["# Written anew at every start of the server.", *lines, ""])


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
