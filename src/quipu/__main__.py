"""``python -m quipu`` and the command ``quipu``."""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType

from quipu.interfaces.cli.main import run
from quipu.interfaces.problems import INTERRUPTED

# What is made while libraries load is hardly ever garbage: looking for it less often saves 40 ms a command.
_ALLOCATIONS_BETWEEN_COLLECTIONS = 20_000


def main() -> None:
    """Run the command line and exit with its code. SIGTERM ends a command as Ctrl-C does, with code 143."""
    gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS)
    told: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        told.append(number)
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells start what runs in the background
            signal.default_int_handler(signal.SIGINT, frame)
        signal.raise_signal(signal.SIGINT)

    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end)
    code = run(sys.argv[1:])
    if code == INTERRUPTED:
        _leave(128 + told[0] if told else code)
    gc.freeze()  # the system takes the memory back at once; looking through it for cycles takes 0.1 s
    sys.exit(code)


def _leave(code: int) -> None:
    """End now: a thread that waits for a pipe would keep the process until something comes."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            continue  # nobody reads it
    os._exit(code)


if __name__ == "__main__":
    main()
