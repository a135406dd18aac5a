"""``python -m quipu.interfaces.local``: the service of a home, until nobody needs it; hooks start it."""

from __future__ import annotations

import argparse
import os
from importlib import import_module

from quipu.interfaces.hooks.client import home_directory
from quipu.interfaces.local.holding import hold

_IDLE_SECONDS = 15 * 60.0
_MOST_MB = 1_000


def main() -> None:
    """Serve one home; end at once where another process does."""
    parser = argparse.ArgumentParser(prog="quipu.interfaces.local", description=__doc__)
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
        service = import_module("quipu.interfaces.local.service")
        service.serve(home, idle_seconds=options.idle_seconds, most_mb=options.most_mb)
    finally:
        held.close()


if __name__ == "__main__":
    main()
