"""Fit the numbers by which recall takes a later statement for what replaced an earlier one.

    python bench/changes.py           rewrite src/quipu/recall/changes.toml

They are fitted on the halves to tune of our own kinds, in bench/data, and on nothing else. What comes of
them `python bench/recall.py own` measures: "values that changed".
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from quality import own
from quality.replaced import fit, look, write
from quipu import Memory
from quipu.recall.changes import NUMBERS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench/changes.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--home", type=Path, help="keep the embedded database there (default: temporary)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="quipu-bench-", ignore_cleanup_errors=True) as temporary:
        Path(temporary).chmod(0o711)  # when we are root, another account runs the server and must get in
        with Memory(home=options.home or Path(temporary) / "home") as memory:
            seen = look(memory, own.load(), half="tune", progress=lambda name: print(name, file=sys.stderr))
    write(NUMBERS, fit(seen))
    print(
        f"{len(seen)} pairs, {sum(one.is_right for one in seen)} of them right. The numbers are in {NUMBERS}."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
