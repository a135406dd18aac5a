"""Starting and stopping on Windows, which has neither signals nor inherited locks: by pg_ctl.

Written from the documentation; not tried yet.
"""

from __future__ import annotations

import re
from pathlib import Path

from quipu.errors import ServerError
from quipu.kernel.db.embedded.binaries import Binaries
from quipu.kernel.db.embedded.faults import start_failure
from quipu.kernel.db.embedded.place import ClusterPlace
from quipu.kernel.db.embedded.process import Outcome, bare_environment, run

_PROGRAM_IN_OPTIONS = re.compile(r'^"?([^"]+)[\\/]postgres(?:\.exe)?"?')


def start(place: ClusterPlace, binaries: Binaries) -> None:
    """Start the server without waiting for it. pg_ctl also drops an administrator's rights, as it must be."""
    options = f'-c "config_file={place.config_file.as_posix()}"'
    output = _pg_ctl(binaries.bin_dir, place, "start", "-W", "-l", str(place.log_file), "-o", options)
    if output.code != 0:
        raise start_failure(output.text, data=place.data, log=place.log_file)


def stop(place: ClusterPlace) -> None:
    """Stop the server the "fast" way and wait for it."""
    output = _pg_ctl(_bin_dir_of_running(place), place, "stop", "-w", "-m", "fast")
    if output.code != 0:
        raise ServerError(
            f"The server of {place.data} does not end: {output.text}", hint=f"See {place.log_file}."
        )


def lives(place: ClusterPlace) -> bool:
    """Return True if pg_ctl sees a server on the data directory."""
    if not (place.data / "postmaster.opts").exists():
        return False
    return _pg_ctl(_bin_dir_of_running(place), place, "status").code == 0


def _pg_ctl(bin_dir: Path, place: ClusterPlace, verb: str, *options: str) -> Outcome:
    argv: list[str | Path] = [bin_dir / "pg_ctl", verb, "-D", place.data, *options]
    return run(argv, account=place.account, env=bare_environment(bin_dir=bin_dir, home=place.data))


def _bin_dir_of_running(place: ClusterPlace) -> Path:
    """Return the directory of the program started last, which PostgreSQL notes in postmaster.opts."""
    noted = _PROGRAM_IN_OPTIONS.match((place.data / "postmaster.opts").read_text("utf-8", "replace"))
    if noted is None:
        raise ServerError(
            f"{place.data / 'postmaster.opts'} does not name the server's program.",
            hint="See `quipu doctor`.",
        )
    return Path(noted[1])
