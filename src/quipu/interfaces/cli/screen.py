"""Where a command prints: the answer to stdout, progress and notes to stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from quipu.interfaces.cli.call import Call
from quipu.interfaces.cli.documents import as_json

_PIPE_COLUMNS = 10_000


class _Output(Console):
    """A console that leaves a closed pipe to the outermost frame, where the exit code is decided."""

    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704 - called inside the handler of the BrokenPipeError


class Steps:
    """Progress that moves on; does nothing where nobody watches."""

    def __init__(self, bars: Progress | None, task: int) -> None:
        self._bars = bars
        self._task = task

    def advance(self, count: int) -> None:
        """So many more are done; any thread may say so."""
        if self._bars is not None:
            self._bars.advance(self._task, count)  # pyright: ignore[reportArgumentType]


class Screen:
    """Tables and colours for people at a terminal, plain lines for pipes, one JSON document for programs."""

    def __init__(self, call: Call) -> None:
        self._as_json = call.json
        self._quiet = call.quiet
        people = sys.stdout.isatty()
        self._out = _Output(highlight=False, markup=False, emoji=False, width=None if people else _PIPE_COLUMNS)
        self._err = _Output(stderr=True, highlight=False, markup=False, emoji=False)

    def answer(self, document: object, *shown: RenderableType) -> None:
        """Print the answer: the document with ``--json``, else what is shown to people."""
        if self._as_json:
            print(as_json(document))
            return
        for renderable in shown:
            self._out.print(renderable)

    def show(self, *shown: RenderableType) -> None:
        """Print to people only, while the answer is still being made."""
        if not self._as_json:
            for renderable in shown:
                self._out.print(renderable)

    def note(self, text: str) -> None:
        """Say something that is not the answer; silent with ``--quiet`` and ``--json``."""
        if not self._quiet and not self._as_json:
            self._err.print(text, style="dim")

    @property
    def watched(self) -> bool:
        """Whether somebody sees progress."""
        return self._err.is_terminal and not self._quiet

    @contextmanager
    def busy(self, text: str) -> Iterator[None]:
        """Show that something goes on while the block runs."""
        if not self.watched:
            yield
            return
        with self._err.status(text):
            yield

    @contextmanager
    def progress(self, text: str, *, total: int | None) -> Iterator[Steps]:
        """Show how far the block has come; ``total`` is None where nobody knows the end."""
        if not self.watched:
            yield Steps(None, 0)
            return
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self._err, transient=True) as bars:
            yield Steps(bars, bars.add_task(text, total=total))
