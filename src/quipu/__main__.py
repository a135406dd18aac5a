"""``python -m quipu`` and the command ``quipu``."""

from __future__ import annotations

import gc
import sys

from quipu.interfaces.cli.main import run

# What is made while libraries load is hardly ever garbage: looking for it less often saves 40 ms a command.
_ALLOCATIONS_BETWEEN_COLLECTIONS = 20_000


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS)
    code = run(sys.argv[1:])
    gc.freeze()  # the system takes the memory back at once; looking through it for cycles takes 0.1 s
    sys.exit(code)


if __name__ == "__main__":
    main()
