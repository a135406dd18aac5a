"""``quipu bench``: how fast this memory is on this machine."""

from __future__ import annotations

from secrets import token_hex

import anyio
import click
from rich.table import Table

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.memory import settings_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.selfcheck import Latency, Measured, measure
from quipu.interfaces.cli.views.text import count


@click.command()
@click.option(
    "--messages",
    type=click.IntRange(100, 100_000),
    default=1_000,
    show_default=True,
    help="The number of texts to store.",
)
@click.option(
    "--questions",
    type=click.IntRange(10, 10_000),
    default=100,
    show_default=True,
    help="The number of questions to ask.",
)
@common
def command(call: Call, messages: int, questions: int) -> None:
    """Measure storing and recalling on this machine, in a space of its own that is forgotten afterwards.

    Beside it stands what nobody can undercut: the embedding model alone, and a scan of a matrix in memory.
    How well it recalls is measured from a checkout: make bench-recall.
    """
    screen, settings = Screen(call), settings_of(call)
    space = f"quipu-bench-{token_hex(4)}"
    screen.note(f"Measuring in the space {space}, which is forgotten at the end.")
    with screen.busy(f"{count(messages, 'message')}, {count(questions, 'question')}"):
        measured = anyio.run(lambda: measure(settings, space=space, messages=messages, questions=questions))
    screen.answer(measured, _rates(measured), "", _latencies(measured))


def _rates(measured: Measured) -> Table:
    table = Table("in bulk", "a second", "", box=None, pad_edge=False)
    table.columns[1].justify = "right"
    share = measured.imported_per_second / measured.encoded_per_second
    table.add_row("embedding alone", f"{measured.encoded_per_second:,.0f}", "the limit: nothing is stored")
    table.add_row(
        "import", f"{measured.imported_per_second:,.0f}", f"{share:.0%} of it: embedded, stored, indexed"
    )
    return table


def _latencies(measured: Measured) -> Table:
    table = Table("one call", "p50 ms", "p95 ms", "", box=None, pad_edge=False)
    for column in table.columns[1:3]:
        column.justify = "right"
    rows: tuple[tuple[str, Latency, str], ...] = (
        ("observe", measured.observe, "one message, on the disk and searchable when it returns"),
        ("recall", measured.recall, f"10 of {count(measured.messages, 'message')}, question embedded"),
        ("scan", measured.scan, "the limit: embed the question, multiply with a matrix in memory"),
    )
    for name, latency, what in rows:
        table.add_row(name, f"{latency.p50_ms:.1f}", f"{latency.p95_ms:.1f}", what)
    return table
