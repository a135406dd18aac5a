"""Measure which standing rules are recognised in what users say, and what is taken for one wrongly.

    python bench/standing.py              both sets
    python bench/standing.py --errors     every miss and every mistake of the set to tune on

Each set in bench/standing was written by an author who did not know the patterns: messages with one rule
each, messages that take a rule back, and others that come near ("I always forget my keys").
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from quipu.kernel.prose.standing import read

SETS = ("tune", "report")
_ALIKE = 25  # characters of a rule that have to be in what was recognised
_DATA = Path(__file__).with_suffix("")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench/standing.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--errors", action="store_true", help="list what went wrong in the set to tune on")
    options = parser.parse_args(arguments)
    table = Table(title="Standing rules", title_justify="left")
    for head in ("set", "rules found", "ends found", "others taken"):
        table.add_column(head)
    errors: list[str] = []
    for name in SETS:
        data = json.loads((_DATA / f"{name}.json").read_text("utf-8"))
        missed = [one["message"] for one in data["rules"] if not _is_found(one["message"], one["rule"])]
        lasting = [text for text in data["ends"] if not any(one.is_end for one in read(text))]
        taken = [text for text in data["others"] if read(text)]
        table.add_row(
            name,
            f"{len(data['rules']) - len(missed)} of {len(data['rules'])}",
            f"{len(data['ends']) - len(lasting)} of {len(data['ends'])}",
            f"{len(taken)} of {len(data['others'])}",
        )
        if name == SETS[0]:
            errors = [f"missed: {one}" for one in (*missed, *lasting)] + [f"taken: {one}" for one in taken]
    Console(width=110).print(table)
    if options.errors:
        print("\n".join(errors) or "Nothing went wrong.")
    return 0


def _is_found(message: str, rule: str) -> bool:
    wanted = _plain(rule)
    told = [_plain(one.text) for one in read(message) if one.is_rule]
    return any(wanted[:_ALIKE] in one or one in wanted for one in told)


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .!")


if __name__ == "__main__":
    sys.exit(main())
