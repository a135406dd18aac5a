"""PostgreSQL's data directory: made once, in one step, and never made over."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from pathlib import Path

from quipu.errors import ServerError
from quipu.kernel.db.embedded.binaries import Binaries
from quipu.kernel.db.embedded.directory import give
from quipu.kernel.db.embedded.door import ADMIN_ROLE
from quipu.kernel.db.embedded.faults import creation_failure
from quipu.kernel.db.embedded.place import Place
from quipu.kernel.db.embedded.process import run

ASIDE = "data.before-"
"""So begins the name of data that a restore or an upgrade put aside."""
RESTORED = "data.restored"
"""The name of data that a restore or an upgrade made whole and that have yet to take the place of the old."""
SCRATCH = "restoring"
"""The name of the directory in which a restore or an upgrade works."""

_FIRST_MAJOR_WITH_BUILTIN_LOCALE = 17
_FIRST_MAJOR_WITH_SYNCFS = 17


def data_major(place: Place) -> int | None:
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


def create_cluster(place: Place, binaries: Binaries) -> None:
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
        said = run(_initdb(unborn, place, binaries), account=place.account, env=binaries.environment(unborn))
        if said.code != 0:
            raise creation_failure(said.text, data=place.data)
        unborn.rename(place.data)
    except OSError as error:
        raise creation_failure(str(error), data=place.data) from error
    finally:
        shutil.rmtree(unborn, ignore_errors=True)
        _handed_password(place).unlink(missing_ok=True)


def _initdb(data: Path, place: Place, binaries: Binaries) -> list[str | Path]:
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


def _with_password(place: Place) -> list[str | Path]:
    """Write a random password to private files, one for initdb now, one for us to keep; return the options.

    An existing password stays: data that another version writes anew keep theirs.
    """
    handed = _handed_password(place)
    if not place.password_file.exists():
        _write_private(place.password_file, f"*:*:*:*:{secrets.token_urlsafe(32)}\n")
    password = place.password_file.read_text("utf-8").strip().removeprefix("*:*:*:*:")
    _write_private(handed, f"{password}\n")
    give(handed, place.account)
    return ["--auth=scram-sha-256", "--pwfile", handed]


def _handed_password(place: Place) -> Path:
    return place.state / "password.new"


def _write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
