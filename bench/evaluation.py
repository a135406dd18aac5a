"""Measure how well the evaluator tells what is to be remembered, changed and forgotten.

    python bench/evaluation.py                       the set that is younger than the rules
    python bench/evaluation.py --set report          the half that was not looked at while tuning
    python bench/evaluation.py --set tune --errors   a tuning set, with every mistake
    python bench/evaluation.py --all                 some lines for each set
    python bench/evaluation.py --locomo FILE         which turns of LoCoMo yield a memory

An inclusion is right where its category is and its summary has the labelled words; an edit or deletion where
it is of the right memory. Beside the evaluator stand its sayings alone (no embedding) and a search for
keywords. What the sets are: bench/evaluation/README.md.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from evaluation.labelled import SETS, Labelled, of_set
from evaluation.locomo import kept
from evaluation.measures import KINDS, Figures, Tally, tallied
from evaluation.systems import evaluated, keywords
from quipu.kinds.longterm.model import CATEGORIES

_ROWS = (("inclusions", CATEGORIES), ("edits", ("edits",)), ("deletions", ("deletions",)), ("all", KINDS))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bench/evaluation.py", description=__doc__)
    parser.add_argument("--set", choices=SETS, default="unseen")
    parser.add_argument("--all", action="store_true", help="some lines for each set")
    parser.add_argument("--errors", action="store_true", help="list what was judged wrongly")
    parser.add_argument("--locomo", type=Path, help="LoCoMo's file")
    options = parser.parse_args(arguments)
    console = Console(width=110)
    if options.locomo is not None:
        console.print(asyncio.run(_locomo(options.locomo.read_text("utf-8"))))
    elif options.all:
        console.print(asyncio.run(_overview()))
    else:
        asyncio.run(_one(console, options.set, errors=options.errors))
    return 0


async def _one(console: Console, name: str, *, errors: bool) -> None:
    labelled = of_set(name)
    tallies = {
        "quipu": tallied(labelled, await evaluated(labelled)),
        "sayings alone": tallied(labelled, await evaluated(labelled, meaning=False)),
        "keywords": tallied(labelled, keywords(labelled)),
    }
    console.print(_table(name, labelled, tallies))
    if errors:
        for line in tallies["quipu"].mistakes:
            console.print(line, markup=False, highlight=False)


def _table(name: str, labelled: Sequence[Labelled], tallies: dict[str, Tally]) -> Table:
    traps = sum(one.trap is not None for one in labelled)
    table = Table(title=f"{name}: {len(labelled)} conversations, {traps} of them with nothing to do")
    table.add_column("")
    for system in tallies:
        for measure in ("P", "R", "F1"):
            table.add_column(f"{system} {measure}", justify="right")
    for kind in KINDS:
        table.add_row(kind, *(cell for one in tallies.values() for cell in _cells(one.figures((kind,)))))
    table.add_section()
    for label, kinds in _ROWS:
        table.add_row(label, *(cell for one in tallies.values() for cell in _cells(one.figures(kinds))))
    return table


def _cells(one: Figures) -> tuple[str, str, str]:
    return f"{one.precision:.2f}", f"{one.recall:.2f}", f"{one.f1:.2f}"


async def _overview() -> Table:
    table = Table("set", "", "precision", "recall", "F1", "keywords P", "R", "F1", title="each counting once")
    for name in SETS:
        labelled = of_set(name)
        tally, baseline = tallied(labelled, await evaluated(labelled)), tallied(labelled, keywords(labelled))
        for label, kinds in _ROWS:
            table.add_row(name, label, *_cells(tally.figures(kinds)), *_cells(baseline.figures(kinds)))
        included = sum(tally.right[kind] for kind in CATEGORIES)
        table.add_row(name, "importance", f"{tally.importance / max(1, included):.2f}")
        table.add_section()
    return table


async def _locomo(text: str) -> str:
    got = await kept(text)
    return (
        f"cited by an observation: {got.cited_kept} of {got.cited} kept "
        f"({got.cited_kept / max(1, got.cited):.1%}); "
        f"not cited: {got.uncited_kept} of {got.uncited} ({got.uncited_kept / max(1, got.uncited):.1%})"
    )


if __name__ == "__main__":
    sys.exit(main())
