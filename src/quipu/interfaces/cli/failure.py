"""Message of a failed command: one line and the way out, never a traceback unless asked for."""

from __future__ import annotations

import json
import os
import sys
import traceback
from dataclasses import asdict
from types import TracebackType

import click

from quipu.errors import QuipuError
from quipu.interfaces.problems import INTERRUPTED, UNEXPECTED, USAGE, Problem, problem

_ELSEWHERE = "What the command did is done. Write the output where there is room."


class Stopped(KeyboardInterrupt):
    """Somebody ended the command; says how far it had come, and how to go on."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def failed(error: QuipuError, *, as_json: bool) -> int:
    """Tell of an error of ours; returns the exit code. QUIPU_DEBUG=1 shows where it came from."""
    if os.environ.get("QUIPU_DEBUG"):
        _trace(error)
    return _tell(problem(error), as_json=as_json)


def misused(error: click.ClickException, *, as_json: bool) -> int:
    """Tell of a command line that cannot be understood; returns the exit code."""
    hint = None
    if isinstance(error, click.UsageError) and error.ctx is not None:
        hint = f"`{error.ctx.command_path} --help` says what it takes."
    return _tell(Problem("usage", error.format_message(), hint, None, USAGE), as_json=as_json)


def stopped(error: Stopped, *, as_json: bool) -> int:
    """Print the progress of a command that somebody ended; return the exit code."""
    return _tell(Problem("stopped", error.message, error.hint, None, INTERRUPTED), as_json=as_json)


def unwritten(error: OSError, *, as_json: bool) -> int:
    """Tell that the answer could not be written to standard output; returns the exit code."""
    problem = Problem(
        "unwritten", f"The answer could not be written: {error.strerror}.", _ELSEWHERE, None, UNEXPECTED
    )
    return _tell(problem, as_json=as_json)


def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print one line for an unforeseen error; Python itself ends with exit code 1."""
    if os.environ.get("QUIPU_DEBUG") or not isinstance(error, Exception):
        _trace(error.with_traceback(trace))
        return
    _write(f"quipu: unexpected {kind.__name__}: {error}\n  Set QUIPU_DEBUG=1 to see where it comes from.")


def _trace(error: BaseException) -> None:
    _write("".join(traceback.format_exception(error)).rstrip())


def _tell(problem: Problem, *, as_json: bool) -> int:
    if as_json:
        _write(json.dumps({"error": asdict(problem)}, ensure_ascii=False))
    else:
        _write(f"quipu: {problem.message}" + (f"\n  {problem.hint}" if problem.hint else ""))
    return problem.exit_code


def _write(text: str) -> None:
    # What is quoted in a message may hold anything: a terminal must not obey it, no log must keep a secret.
    from quipu.kernel.redact import redact  # noqa: PLC0415 - most command lines fail at nothing

    text = redact(text).text
    shown = "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)
    try:
        print(shown, file=sys.stderr, flush=True)
    except BrokenPipeError:
        return  # nobody listens; the exit code still tells
