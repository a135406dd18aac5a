"""Explanation of a hit: its signals as sentences, and the turns around it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.hits import source
from quipu.interfaces.cli.views.text import bar, day_and_time, shortened, visible
from quipu.recall.render import Reason, Why

_CHARACTERS = 600


def reasons(why: Why) -> RenderableType:
    """Show the whole explanation."""
    return Group(*_parts(why))


def _parts(why: Why) -> Iterator[RenderableType]:
    hit = why.hit
    yield Text.assemble(("asked   ", "dim"), visible(hit.question))
    yield Text.assemble(("score   ", "dim"), (f"{hit.score:.2f}", "bold"), (" of 1, the sum of:", "dim"))
    yield Padding(_table(why.reasons), (0, 0, 0, 8), expand=False)
    if why.words:
        yield Text.assemble(("words   ", "dim"), visible(", ".join(why.words)))
    yield Text.assemble(("source  ", "dim"), source(hit))
    learned = f"{day_and_time(hit.happened_at)} UTC, recorded {day_and_time(hit.recorded_at)}"
    yield Text.assemble(("time    ", "dim"), learned)
    yield Text()
    for turn in why.before:
        yield _turn(turn, style="dim")
    yield _turn(f"{hit.source.speaker or hit.source.role or 'somebody'}: {hit.text}", style="bold", mark="▶")
    for turn in why.after:
        yield _turn(turn, style="dim")


def _table(found: tuple[Reason, ...]) -> Table:
    table = Table.grid(padding=(0, 2))
    for reason in found:
        table.add_row(
            reason.signal, f"{reason.amount:.2f}", bar(reason.amount), Text(reason.sentence, style="dim")
        )
    return table


def _turn(text: str, *, style: str, mark: str = " ") -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    grid.add_row(Text(mark), Text(shortened(text, _CHARACTERS), style=style))
    return grid
