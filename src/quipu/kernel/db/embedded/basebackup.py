"""A copy of the whole data directory, taken while the server runs."""

from __future__ import annotations

import getpass
import os
import re
from pathlib import Path
from typing import Final

from quipu.errors import DiskFull, ServerError
from quipu.kernel.db.embedded.binaries import Binaries
from quipu.kernel.db.embedded.door import Door
from quipu.kernel.db.embedded.faults import last_complaint, says_disk_full
from quipu.kernel.db.embedded.process import Account, name_of, run, user_id

LONGEST_SECONDS: Final = 24 * 3600
_STATEMENT = re.compile(r"could not execute query: ERROR:(.*)\n(?:.*\n)*?.*Command was: (.{1,300})")


def copy_running(door: Door, binaries: Binaries, target: Path) -> None:
    """Copy the data of a running server to ``target``, with the log that makes it whole.

    Raises:
        ServerError, DiskFull: it could not be copied.
    """
    call(
        binaries,
        "pg_basebackup",
        *("--pgdata", str(target), "--dbname", door.conninfo("postgres")),
        *("--checkpoint", "fast", "--wal-method", "stream", "--label", "quipu", "--no-password"),
    )


def verify(binaries: Binaries, copied: Path) -> None:
    """Read a copy and compare it with its checksums.

    Raises:
        ServerError: it is damaged.
    """
    call(binaries, "pg_verifybackup", "--quiet", "--no-parse-wal", str(copied))


def call(binaries: Binaries, name: str, *arguments: str) -> None:
    """Run a client program of PostgreSQL to its end, as ourselves: the socket knows us, files stay ours.

    Raises:
        ServerError, DiskFull: it failed.
    """
    program = binaries.tool(name)
    if not program.exists():
        raise ServerError(
            f"{binaries.bin_dir} has no {name}.",
            hint="Install PostgreSQL's client programs there, or unset QUIPU_PG_BIN.",
        )
    output = run(
        [program, *arguments],
        account=_ourselves(),
        env=binaries.environment(binaries.bin_dir),
        timeout_seconds=LONGEST_SECONDS,
    )
    if output.code == 0:
        return
    if says_disk_full(output.text):
        raise DiskFull(
            f"The disk is full, so {name} failed; nothing was kept.", hint="Make room and try again."
        )
    raise ServerError(f"{name} failed: {_complaint(output.text)}")


def _complaint(text: str) -> str:
    """Return why a program failed, and of pg_restore at which statement."""
    match = _STATEMENT.search(text)
    return f"{match[1].strip()} (at: {match[2].strip()})" if match else last_complaint(text)


def _ourselves() -> Account:
    uid = user_id()
    gid = os.getegid() if hasattr(os, "getegid") else 0
    return Account(name=name_of(uid) or getpass.getuser(), uid=uid, gid=gid)
