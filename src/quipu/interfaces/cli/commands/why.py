"""``quipu why``: the reasons behind one hit."""

from __future__ import annotations

import click

from quipu import Memory
from quipu.errors import NotFound
from quipu.interfaces.cli import values
from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.last_recall import Filters, LastRecall, last, narrowing
from quipu.interfaces.cli.memory import opened, settings_of
from quipu.interfaces.cli.views.hits import reasons
from quipu.recall.model import Hit


@click.command()
@click.argument("rank", type=click.IntRange(min=1), default=1)
@click.option("--question", metavar="TEXT", help="Ask this again instead of taking the last `quipu recall`.")
@in_space
@narrowing
@common
def command(call: Call, rank: int, question: str | None, **filters: object) -> None:
    """Explain why the RANKth memory of the last `quipu recall` came back.

    The space and the options that narrow a question count only together with --question.
    """
    with opened(call) as (screen, memory):
        if question is None:
            hit = _again(memory, last(home=settings_of(call).home), rank)
        else:
            hits = memory.recall(values.asked(question), **Filters(**filters))  # pyright: ignore[reportArgumentType]
            hit = _place(hits, rank)
        explanation = memory.why(hit)
    screen.answer(explanation, reasons(explanation))


def _again(memory: Memory, kept: LastRecall, rank: int) -> Hit:
    """Return the hit at this rank, asked for once more: nothing of what it says was kept."""
    if rank > len(kept.hits):
        raise _no_such(rank, len(kept.hits))
    hits = memory.recall(kept.question, **kept.filters)
    hit = next((hit for hit in hits if (hit.kind, hit.id) == kept.hits[rank - 1]), None)
    if hit is None:
        raise NotFound("That memory does not come back any more.", hint="Ask again: quipu recall …")
    return hit


def _place(hits: list[Hit], rank: int) -> Hit:
    if rank > len(hits):
        raise _no_such(rank, len(hits))
    return hits[rank - 1]


def _no_such(rank: int, count: int) -> NotFound:
    return NotFound(
        f"There is no hit {rank}: {count or 'nothing'} came back.", hint="Ask again: quipu recall …"
    )
