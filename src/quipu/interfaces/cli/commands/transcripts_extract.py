"""``quipu transcripts extract``: the lessons of recorded sessions."""

from __future__ import annotations

from typing import Any

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import lessons as views

_EXAMPLES = """\b
Examples:
  quipu transcripts extract
  quipu transcripts extract --since 2026-05-01
  quipu transcripts extract --session 4f1c… --again
"""


@click.command("extract", epilog=_EXAMPLES)
@in_space
@click.option("--session", metavar="ID", help="Only this session.")
@click.option("--since", metavar="TIME", help="Only sessions that went on since then (ISO 8601).")
@click.option("--unprocessed", is_flag=True, help="All that were not read yet, which holds anyway.")
@click.option("--again", is_flag=True, help="Also those that were read already.")
@click.option(
    "--extractor",
    type=click.Choice(["rules", "llm"]),
    default="rules",
    show_default=True,
    help="Who reads them.",
)
@click.option("--limit", "-n", default=1_000, show_default=True, help="How many sessions at most.")
@common
@click.pass_obj
def command(call: Call, unprocessed: bool, **what: Any) -> None:  # noqa: ARG001 - says what is so anyway
    """Read recorded sessions and keep what was said there that lasts.

    Doing it again reads what is new. Lessons that you edited, confirmed or archived stay as they are.
    """
    screen = Screen(call)
    with (
        opened(call, screen) as memory,
        screen.progress("Reading sessions", total=None, unit="sessions") as steps,
    ):
        report = memory.lessons.extract(progress=lambda _done, _all: steps.advance(1), **what)
    screen.answer(report, views.report(report))
