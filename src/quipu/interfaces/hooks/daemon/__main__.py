"""``python -m quipu.interfaces.hooks.daemon``: the service of a home; hooks start it; it ends when idle."""

from __future__ import annotations

import argparse
import os
import time
from importlib import import_module
from pathlib import Path

from quipu.interfaces.hooks.client import Refused, converse, home_directory, make_run_directory
from quipu.kernel.db.embedded.lock import FileLock

_IDLE_SECONDS = 15 * 60.0
_MOST_MB = 1_000


_WAIT_SECONDS = 10.0
_POLL_SECONDS = 0.05


def hold(home: str) -> FileLock | None:
    """Take the lock of a home's service, held until it is closed; None if another process serves.

    Wait for one that is about to end.
    """
    lock = FileLock(Path(make_run_directory(home)) / "service.lock")
    until = time.monotonic() + _WAIT_SECONDS
    while not lock.try_exclusive():
        if _is_served(home) or time.monotonic() > until:
            lock.close()
            return None
        time.sleep(_POLL_SECONDS)
    return lock


def _is_served(home: str) -> bool:
    try:
        return not converse(home, {"do": "status"}, _POLL_SECONDS * 10).get("leaving")
    except (OSError, EOFError, Refused):
        return False


def main() -> None:
    """Serve one home; end at once where another process does."""
    parser = argparse.ArgumentParser(prog="quipu.interfaces.hooks.daemon", description=__doc__)
    parser.add_argument("--home", help="where the embedded database lives (~/.quipu)")
    parser.add_argument("--idle-seconds", type=float, default=_IDLE_SECONDS, help="end after so long a rest")
    parser.add_argument("--most-mb", type=int, default=_MOST_MB, help="end in a rest above this much memory")
    options = parser.parse_args()
    home = home_directory(options.home)
    os.environ["QUIPU_HOME"] = home
    os.umask(0o077)
    held = hold(home)
    if held is None:
        return
    try:  # only now what takes its time to load: of two that start at once, one has nothing to load
        service = import_module("quipu.interfaces.hooks.daemon.service")
        service.serve(home, idle_seconds=options.idle_seconds, most_mb=options.most_mb)
    finally:
        held.close()


if __name__ == "__main__":
    main()
