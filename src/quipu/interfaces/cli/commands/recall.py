"""``quipu recall``: a question and the memories that answer it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import click
from click.core import ParameterSource
from rich.text import Text

from quipu import Memory
from quipu.interfaces.cli import values
from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.last_recall import Filters, LastRecall, narrowing, remember
from quipu.interfaces.cli.memory import opened, settings_of
from quipu.interfaces.cli.program import program
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.hits import hits
from quipu.interfaces.cli.views.text import visible
from quipu.recall.model import Hit
from quipu.recall.ranking import Answer


@click.command()
@click.argument("question", metavar="QUESTION", nargs=-1, required=True)
@in_space
@narrowing
@click.option(
    "--block",
    metavar="TOKENS",
    type=int,
    help="Answer as a block for a prompt: as many memories as fit, at most --limit if you give it.",
)
@common
def command(call: Call, question: tuple[str, ...], block: int | None, **filters: object) -> None:
    """Ask a question in plain words; get the memories that answer it, best first.

    Each comes with its score (0 to 1), how sure it is that it answers, what each signal added to the score,
    and its source. Where nothing is known of the question, that is said, and what comes nearest is shown as
    "maybe". `quipu why 2` explains the second one. Quotes around the question keep the shell from reading it.
    """
    words = values.asked(" ".join(question))
    options = Filters(**filters)  # pyright: ignore[reportArgumentType]
    with opened(call) as (screen, memory):
        if block is not None:
            _block(memory, screen, words, options, budget_tokens=block)
            return
        hits = memory.recall(words, **options)
    remember(
        LastRecall(words, options, tuple((hit.kind, hit.id) for hit in hits)), home=settings_of(call).home
    )
    _show(screen, words, options, hits)


def _block(memory: Memory, screen: Screen, question: str, options: Filters, *, budget_tokens: int) -> None:
    source = click.get_current_context().get_parameter_source("limit")
    if source is ParameterSource.DEFAULT:  # as many as fit
        options = cast("Filters", {**options, "limit": None})
    made = memory.recall_block(question, budget_tokens=budget_tokens, **options)
    screen.answer(made, Text(visible(made.text)))
    _notice(screen, made.hits)


def _show(screen: Screen, question: str, options: Filters, answer: Answer) -> None:
    document = {"question": question, "space": options["space"], "known": answer.known}
    shown = [Text(answer.notice, style="bold")] if answer and answer.notice else []
    screen.answer({**document, "notice": answer.notice, "hits": answer}, *shown, hits(answer))
    _notice(screen, answer)
    if answer:
        screen.note(f"\n{program()} why 1 explains the first.")


def _notice(screen: Screen, hits: Sequence[Hit]) -> None:
    """Say that a re-ranker had no say in the order."""
    if hits and hits[0].notice:
        screen.note(f"\n{hits[0].notice}")
