"""PostgreSQL's data directory: made once, in one step, and never made over."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from quipu.errors import ServerError
from quipu.kernel.db.embedded.binaries import Binaries
from quipu.kernel.db.embedded.door import ADMIN_ROLE
from quipu.kernel.db.embedded.faults import creation_failure
from quipu.kernel.db.embedded.place import Place
from quipu.kernel.db.embedded.process import run

_FIRST_MAJOR_WITH_BUILTIN_LOCALE = 17


def data_major(place: Place) -> int | None:
    """The PostgreSQL version that wrote the data, or None if there is no data yet.

    Raises ServerError for a directory that is there and is not PostgreSQL's: it is not touched.
    """
    if not place.data.exists():
        return None
    stamp = place.data / "PG_VERSION"
    try:
        return int(stamp.read_text("ascii").strip())
    except (OSError, ValueError) as error:
        raise ServerError(
            f"{place.data} is there, but its PG_VERSION cannot be read: {error}.",
            hint="It was not touched. Bring the file back from a backup, or set QUIPU_HOME to another directory.",
        ) from error


def create_cluster(place: Place, binaries: Binaries) -> None:
    """Make the data directory. It gets its name when it is whole, so a crash on the way leaves none.

    Raises DiskFull or ServerError.
    """
    unborn = place.state / "data.new"
    if unborn.exists():
        shutil.rmtree(unborn)  # of a creation that was cut off: no server ever ran on it
    try:
        unborn.mkdir(mode=0o700)
        if sys.platform != "win32" and place.account.borrowed:
            os.chown(unborn, place.account.uid, place.account.gid)
        said = run(_initdb(unborn, binaries), account=place.account, env=binaries.environment(unborn))
        if said.code != 0:
            raise creation_failure(said.text, data=place.data)
        unborn.rename(place.data)
    except OSError as error:
        raise creation_failure(str(error), data=place.data) from error
    finally:
        shutil.rmtree(unborn, ignore_errors=True)


def _initdb(data: Path, binaries: Binaries) -> list[str | Path]:
    return [
        binaries.tool("initdb"),
        "--pgdata",
        data,
        f"--username={ADMIN_ROLE}",
        "--auth-host=reject",
        "--auth-local=peer",
        "--encoding=UTF8",
        "--data-checksums",
        "--no-instructions",
        *_locale(binaries.major),
    ]


def _locale(major: int) -> list[str]:
    # macOS has no C.UTF-8 in older releases.
    libc = "en_US.UTF-8" if sys.platform == "darwin" else "C.UTF-8"
    if major < _FIRST_MAJOR_WITH_BUILTIN_LOCALE:
        return [f"--locale={libc}"]
    return ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", f"--locale={libc}"]
