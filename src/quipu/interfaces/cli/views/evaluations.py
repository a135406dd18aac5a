"""Evaluations of sessions as people read them, in 80 columns and in a pipe."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from quipu.interfaces.cli.views.text import count, visible
from quipu.kinds.longterm.evaluating.model import SessionEvaluation
from quipu.kinds.longterm.model import Evaluation

_ID_DIGITS = 8


def evaluation(done: SessionEvaluation) -> RenderableType:
    """Show what was asked for, a line each, and how much of it was done."""
    lines = [line for one in done.evaluations for line in _asked(one)]
    read, written = count(done.turns, "turn"), count(len(done.applied.memories), "change")
    return Group(
        *lines, Text(f"{read} of users read, {written} written, {done.dropped} dropped.", style="dim")
    )


def _asked(one: Evaluation) -> Iterator[Text]:
    for new in one.inclusions:
        yield Text(f"include  {new.importance:6} {new.category:20} {visible(new.summary)}")
    for edit in one.edits:
        yield Text(f"edit     {edit.id[:_ID_DIGITS]} {visible(edit.summary or edit.importance or '')}")
    for deletion in one.deletions:
        yield Text(f"archive  {deletion.id[:_ID_DIGITS]} {visible(deletion.reason)}")
