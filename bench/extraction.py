"""Measure how well the extractor tells what lasts from what was only said.

    python bench/extraction.py                       the set that is younger than the rules
    python bench/extraction.py --set report          the half that was not looked at while tuning
    python bench/extraction.py --set tune --errors   a tuning set, with every mistake
    python bench/extraction.py --all                 one line for each set
    python bench/extraction.py --speed               how many MB of what users say are read in a second

A finding is right where its excerpt meets a labelled stretch of the same category. Beside the extractor stand
its patterns alone (no embedding) and a search for keywords. What the sets are: bench/extraction/README.md.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from time import perf_counter

from rich.console import Console
from rich.table import Table

from extraction.labelled import SETS, Labelled, of_set
from extraction.measures import Figures, figures, judged, micro
from extraction.systems import Found, keywords, patterns_alone, whole
from quipu.kinds.transcripts.extract.extractor import RulesExtractor
from quipu.kinds.transcripts.extract.model import CATEGORIES, SessionTurn


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bench/extraction.py", description=__doc__)
    parser.add_argument("--set", choices=SETS, default="unseen")
    parser.add_argument("--all", action="store_true", help="one line for each set")
    parser.add_argument("--errors", action="store_true", help="list what was judged wrongly")
    parser.add_argument("--speed", action="store_true", help="measure the patterns' speed")
    options = parser.parse_args(arguments)
    console = Console(width=110)
    if options.speed:
        console.print(asyncio.run(_speed()))
    elif options.all:
        console.print(asyncio.run(_overview()))
    else:
        asyncio.run(_one(console, options.set, errors=options.errors))
    return 0


async def _one(console: Console, name: str, *, errors: bool) -> None:
    turns = of_set(name)
    found = {
        "quipu": await whole(turns),
        "patterns alone": await patterns_alone(turns),
        "keywords": keywords(turns),
    }
    console.print(_table(name, turns, found))
    if errors:
        for turn, one in zip(turns, found["quipu"], strict=True):
            for line in judged(turn, one).mistakes:
                console.print(f"{turn.id:12} {line}", markup=False, highlight=False)


def _table(name: str, turns: Sequence[Labelled], found: dict[str, list[Found]]) -> Table:
    traps = sum(turn.trap is not None for turn in turns)
    table = Table(title=f"{name}: {len(turns)} turns, {traps} of them with nothing to keep")
    table.add_column("category")
    for system in found:
        for measure in ("P", "R", "F1"):
            table.add_column(f"{system} {measure}", justify="right")
    by_system = {system: figures(turns, one) for system, one in found.items()}
    for category in CATEGORIES:
        table.add_row(category, *(cell for one in by_system.values() for cell in _cells(one[category])))
    table.add_section()
    for label, of in (("macro", _macro), ("micro", micro)):
        table.add_row(label, *(cell for one in by_system.values() for cell in _cells(of(one))))
    kept = {system: micro(figures(turns, one, category=False)) for system, one in found.items()}
    table.add_row("kept, whatever category", *(cell for one in kept.values() for cell in _cells(one)))
    return table


def _cells(one: Figures) -> tuple[str, str, str]:
    return f"{one.precision:.2f}", f"{one.recall:.2f}", f"{one.f1:.2f}"


def _macro(by_category: dict[str, Figures]) -> Figures:
    values = list(by_category.values())
    return Figures(
        sum(one.precision for one in values) / len(values),
        sum(one.recall for one in values) / len(values),
    )


async def _overview() -> Table:
    table = Table(
        "set", "turns", "precision", "recall", "F1", "kept P", "kept R", title="micro, all categories"
    )
    for name in SETS:
        turns = of_set(name)
        found = await whole(turns)
        one, kept = micro(figures(turns, found)), micro(figures(turns, found, category=False))
        table.add_row(name, str(len(turns)), *_cells(one), *_cells(kept)[:2])
    return table


async def _speed() -> str:
    said = [turn.text for name in SETS for turn in of_set(name) if turn.role == "user"]
    turns = [SessionTurn(index=at, role="user", text=text) for at, text in enumerate(said * 40)]
    began = perf_counter()
    await RulesExtractor().extract(turns)
    size = sum(len(turn.text.encode()) for turn in turns) / 1e6
    return f"{size:.1f} MB in {perf_counter() - began:.1f} s: {size / (perf_counter() - began):.2f} MB/s"


if __name__ == "__main__":
    sys.exit(main())
