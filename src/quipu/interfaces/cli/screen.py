"""Screen of a command: the answer goes to stdout, as text or JSON; progress and notes to stderr."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from pathlib import Path
from typing import TextIO
from uuid import UUID

from rich.console import (
    Console,
    ConsoleOptions,
    ConsoleRenderable,
    RenderableType,
    RenderHook,
    RenderResult,
)
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from quipu.interfaces.cli.call import Call
from quipu.interfaces.cli.failure import Stopped
from quipu.interfaces.cli.values import unrepeated
from quipu.interfaces.cli.views.text import visible
from quipu.kernel.base.prompt_text import INVISIBLE

_PIPE_COLUMNS = 10_000
_AGAIN = "What was done stays; the same command again goes on from there."


# A terminal obeys some of them; outside of texts a JSON document has none of them but line breaks.
_UNSEEN = re.compile(f"[{INVISIBLE}]")


def as_json(value: object) -> str:
    """Return the value as one JSON document; times are ISO 8601 with their zone, invisible signs escaped.

    Raises:
        TypeError: it holds something that has no form in JSON.
    """
    document = json.dumps(value, default=_plain, ensure_ascii=False, indent=2)
    return document if document.isascii() else _UNSEEN.sub(_escaped, document)


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Path | UUID):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    raise TypeError(f"{type(value).__name__} has no form in JSON.")


class _Output(Console):
    """A console that leaves a closed pipe to the outermost frame, where the exit code is decided."""

    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704 - called inside the handler of the BrokenPipeError


class _Visible(RenderHook):
    """Whatever is printed, a terminal obeys nothing of it: the last look at texts that others wrote."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Wrap each renderable to remove what steers a terminal, and given secrets."""
        return [_Shown(one) for one in renderables]


@dataclass(frozen=True)
class _Shown:
    """Printed text, with rich's own control codes and none of anybody else."""

    inside: ConsoleRenderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.inside, options):
            yield segment if segment.control else segment._replace(text=visible(unrepeated(segment.text)))


class Steps:
    """Progress that moves on; shown where somebody watches."""

    def __init__(self, bars: Progress | None, task: int) -> None:
        self.done = 0
        self._bars = bars
        self._task = task

    def advance(self, count: int) -> None:
        """Note that so many more are done; any thread may do so."""
        self.done += count
        if self._bars is not None:
            self._bars.advance(self._task, count)  # pyright: ignore[reportArgumentType]


def _output(stream: TextIO, *, error: bool) -> Console:
    """Return a console that takes no text for markup; lines for a pipe are not broken."""
    width = None if stream.isatty() else _PIPE_COLUMNS
    console = _Output(stderr=error, highlight=False, markup=False, emoji=False, width=width)
    console.push_render_hook(_Visible())
    return console


class Screen:
    """Tables and colours for people at a terminal, plain lines for pipes, one JSON document for programs."""

    def __init__(self, call: Call) -> None:
        self._as_json = call.json
        self._quiet = call.quiet
        self._out = _output(sys.stdout, error=False)
        self._err = _output(sys.stderr, error=True)

    def answer(self, document: object, *shown: RenderableType) -> None:
        """Print the answer: the document with ``--json``, else what is shown to people."""
        if self._as_json:
            print(unrepeated(as_json(document)))
            return
        self._print(shown)

    def show(self, *shown: RenderableType) -> None:
        """Print to people only, while the answer is still being made."""
        if not self._as_json:
            self._print(shown)

    def note(self, text: str) -> None:
        """Say something that is not the answer; silent with ``--quiet`` and ``--json``."""
        if not self._quiet and not self._as_json:
            self._err.print(text, style="dim")

    def _print(self, shown: Sequence[RenderableType]) -> None:
        if self._out.is_terminal:
            self._out.print(*shown, sep="\n")
            return
        with self._out.capture() as captured:
            self._out.print(*shown, sep="\n")
        print("\n".join(line.rstrip() for line in captured.get().splitlines()))

    @property
    def watched(self) -> bool:
        """True if somebody sees progress."""
        return self._err.is_terminal and not self._quiet

    @contextmanager
    def busy(self, text: str) -> Generator[None]:
        """Show that something goes on while the block runs."""
        if not self.watched:
            yield
            return
        with self._err.status(text):
            yield

    @contextmanager
    def progress(
        self, text: str, *, total: int | None, unit: str = "bytes", again: str = _AGAIN
    ) -> Generator[Steps]:
        """Show the progress of a block; ``total`` is None if the end is unknown.

        ``unit``: what is counted, in the plural. ``again``: how to go on after the command was ended.

        Raises:
            Stopped: the command was ended in the block, by Ctrl-C or SIGTERM.
        """
        with self._bar(text, total=total, bytes=unit == "bytes") as steps:
            try:
                yield steps
            except KeyboardInterrupt as error:
                raise Stopped(f"Stopped after {steps.done:,} {unit}.", again) from error

    @contextmanager
    def _bar(self, text: str, *, total: int | None, bytes: bool) -> Generator[Steps]:
        if not self.watched:
            yield Steps(None, 0)
            return
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn() if bytes else MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=self._err, transient=True) as bars:
            yield Steps(bars, bars.add_task(text, total=total))
