"""Measure how well recall knows what it knows, and fit the numbers that say so.

    python bench/confidence.py                                  our own kinds, in bench/data
    python bench/confidence.py --locomo locomo10.json           LoCoMo beside them, for the report alone
    python bench/confidence.py --fit                            rewrite src/quipu/recall/ranking.toml

Answerable questions are asked in their conversation, foreign ones in another of the same language: questions
about what another conversation tells, with its people replaced by those of this one. Questions about what
was never told (kind ``life``) stand apart. Numbers are fitted on the halves to tune of our own kinds and on
nothing else; LoCoMo is CC BY-NC, and nothing that ships was fitted on it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from quality import locomo, own
from quality.certain import Asked, ask, fit, questions, show, write
from quipu import Memory
from quipu.recall.ranking import NUMBERS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = _parse(arguments)
    console = Console(width=160)
    sets = {"own": [one for one in own.load() if one.name not in ("rules", *options.leave_out)]}
    if options.locomo:
        sets["locomo"] = locomo.load(options.locomo)
    with tempfile.TemporaryDirectory(prefix="quipu-bench-", ignore_cleanup_errors=True) as temporary:
        Path(temporary).chmod(0o711)  # when we are root, another account runs the server and must get in
        home = options.home or (None if options.url else Path(temporary) / "home")
        with Memory(home=home, url=options.url) as memory:
            asked: list[Asked] = []
            for conversations in sets.values():
                asked += ask(memory, conversations, questions(conversations), progress=_progress)
    if options.fit:
        numbers = fit([one for one in asked if one.half == "tune" and not one.kind.startswith("locomo")])
        write(NUMBERS, numbers)
        console.print(f"The numbers are in {NUMBERS}; run this again to measure with them.")
        return 0
    show(console, asked)
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/confidence.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--locomo", type=Path, metavar="FILE", help="path of locomo10.json")
    parser.add_argument("--leave-out", action="append", default=[], help="a kind, by name (repeatable)")
    parser.add_argument("--fit", action="store_true", help="fit on our own kinds, and write the numbers")
    parser.add_argument("--home", type=Path, help="keep the embedded database there (default: temporary)")
    parser.add_argument("--url", help="use this PostgreSQL server")
    options = parser.parse_args(arguments)
    if options.fit and options.locomo:
        parser.error("LoCoMo may not be fitted on: leave one of --fit and --locomo out.")
    return options


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
