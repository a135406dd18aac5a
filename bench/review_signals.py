"""Measure how well review sentences are told apart by what they complain about.

    python bench/review_signals.py                        sentences younger than the rules
    python bench/review_signals.py --set report           the half that was not looked at while tuning
    python bench/review_signals.py --set tune --errors    the tuning half, with every sentence judged wrongly
    python bench/review_signals.py --semeval FILE.xml     real reviews, labelled by others

Beside it stand the words alone, and the substring rules of the system that the seed describes.
FILE.xml is a restaurant file of SemEval-2014 task 4, which names categories, not our themes.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from quipu.kernel.config import Settings
from quipu.kernel.embedding.choose import choose
from quipu.kernel.embedding.prototypes import embed
from quipu.kinds.ledger.signals.complaints import judge
from quipu.kinds.ledger.signals.extract import decide, theme_prototypes
from quipu.kinds.ledger.signals.model import THEMES
from signals import semeval
from signals.labelled import SETS, Labelled, Themes, of_set
from signals.measures import Figures, figures, macro
from signals.origin import origin

Systems = dict[str, list[Themes]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bench/review_signals.py", description=__doc__)
    parser.add_argument("--set", choices=SETS, default="unseen")
    parser.add_argument("--errors", action="store_true", help="list what was judged wrongly")
    parser.add_argument("--semeval", type=Path, help="a restaurant file of SemEval-2014 task 4")
    parser.add_argument("--half", choices=("report", "tune", "all"), default="report", help="of that file")
    options = parser.parse_args(arguments)
    console = Console(width=110)
    if options.semeval:
        sentences = semeval.load(options.semeval, part=options.half)
        console.print(_semeval_table(sentences, _systems([one.text for one in sentences])))
        return 0
    labelled = of_set(options.set)
    systems = _systems([one.text for one in labelled])
    console.print(_table(options.set, labelled, systems))
    if options.errors:
        _show_errors(console, labelled, systems["quipu"])
    return 0


def _systems(texts: Sequence[str]) -> Systems:
    return {
        "quipu": asyncio.run(_words_and_embedding(texts)),
        "words alone": [_words(text) for text in texts],
        "origin": [origin(text) for text in texts],
    }


def _words(text: str) -> Themes:
    return frozenset(complaint.theme for complaint in judge(text).complaints)


async def _words_and_embedding(texts: Sequence[str]) -> list[Themes]:
    """What ``extract`` says of each sentence in a review without a rating."""
    given = [_words(text) for text in texts]
    asked = [at for at, text in enumerate(texts) if not judge(text).settled]
    embedder = choose(Settings())
    known = await theme_prototypes(embedder)
    decided = decide(known, await embed(embedder, [texts[at] for at in asked]))
    await embedder.aclose()
    for at, theme in zip(asked, decided, strict=True):
        given[at] = frozenset((theme,)) if theme else frozenset()
    return given


def _table(name: str, labelled: Sequence[Labelled], systems: Systems) -> Table:
    table = Table(
        title=f"{name}: {len(labelled)} sentences; precision / recall / F1, %", title_justify="left"
    )
    table.add_column("theme")
    table.add_column("n", justify="right")
    for system in systems:
        table.add_column(system, justify="right")
    for theme in THEMES:
        count = sum(theme in one.themes for one in labelled)
        cells = [_cell(figures(theme, labelled, given)) for given in systems.values()]
        table.add_row(theme, str(count), *cells)
    table.add_row("macro F1", "", *(f"{100 * macro(labelled, given):.1f}" for given in systems.values()))
    kind = [at for at, one in enumerate(labelled) if not one.themes]
    wrong = [sum(bool(given[at]) for at in kind) for given in systems.values()]
    table.add_row("no complaint, but one found", str(len(kind)), *map(str, wrong))
    return table


def _semeval_table(sentences: Sequence[semeval.Sentence], systems: Systems) -> Table:
    title = f"SemEval-2014: {len(sentences)} sentences; precision / recall / F1, %"
    table = Table(title=title, title_justify="left")
    table.add_column("complaint")
    table.add_column("n", justify="right")
    for system in systems:
        table.add_column(system, justify="right")
    for question in semeval.QUESTIONS:
        count = sum(question.asked(one) for one in sentences)
        cells = [_cell(semeval.figures(question, sentences, given)) for given in systems.values()]
        table.add_row(question.name, str(count), *cells)
    return table


def _cell(found: Figures) -> str:
    return f"{100 * found.precision:.0f} / {100 * found.recall:.0f} / {100 * found.f1:.0f}"


def _show_errors(console: Console, labelled: Sequence[Labelled], given: Sequence[Themes]) -> None:
    for one, themes in zip(labelled, given, strict=True):
        if themes != one.themes:
            wanted, got = (", ".join(sorted(some)) or "none" for some in (one.themes, themes))
            console.print(f"{one.id}: {wanted}; found {got}: {one.text}", highlight=False)


if __name__ == "__main__":
    sys.exit(main())
