"""The entry of ``quipu``: finds the command, and turns what goes wrong into one line and an exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

import click

import quipu
from quipu.errors import QuipuError
from quipu.interfaces.cli import failure
from quipu.interfaces.cli.call import common_options
from quipu.interfaces.cli.lazy import CommandLine, LazyGroup
from quipu.interfaces.problems import INTERRUPTED, NOBODY_READS

# What the system says to a write of the answer; files of ours have errors of ours.
_UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)

_LINES = {
    "demo": CommandLine("demo", "Import recorded conversations and ask questions.", embeds=True),
    "observe": CommandLine("observe", "Store what was just said.", embeds=True),
    "import": CommandLine("imports", "Bring what other systems remember; preview first.", embeds=True),
    "imports": CommandLine(None, "Show what was imported, and undo it."),
    "export": CommandLine("export", "Write a whole space to open files, an archive."),
    "recall": CommandLine("recall", "Ask a question; get the memories that answer it.", embeds=True),
    "gather": CommandLine(None, "Gather all about a topic, a person or a time, in order.", embeds=True),
    "why": CommandLine("why", "Explain why a memory came back.", embeds=True),
    "relations": CommandLine(None, "Show what a message replaces and what replaces it."),
    "relate": CommandLine(None, "Say that a message replaces an earlier one."),
    "unrelate": CommandLine(None, "Take such a statement back."),
    "aliases": CommandLine(None, "Say which other names people have."),
    "ledger": CommandLine(None, "Set, correct and look up facts and assumptions."),
    "hooks": CommandLine("hooks", "Give a coding agent a memory through its hooks."),
    "mcp": CommandLine("mcp", "Serve the memory to a model as tools (MCP)."),
    "evidence": CommandLine(None, "Show recommendations and the evidence they rest on."),
    "lessons": CommandLine(None, "Look up and correct lessons of recorded sessions.", embeds=True),
    "documents": CommandLine(None, "Keep JSON values, notes and files, with their versions.", embeds=True),
    "longterm": CommandLine("longterm", "Look up and correct the long-term memory of people.", embeds=True),
    "loops": CommandLine(None, "List promises, questions and tasks; close and reopen them."),
    "beliefs": CommandLine(None, "Show beliefs about people, and what contradicts them.", embeds=True),
    "corrections": CommandLine(None, "Mark what was derived from messages as wrong.", embeds=True),
    "transcripts": CommandLine("transcripts", "Import and search recorded sessions of coding agents."),
    "rules": CommandLine(None, "List, add and end what an assistant is told to do from now on."),
    "conversations": CommandLine("conversations", "List conversations; leave a prompt for a worker."),
    "episodes": CommandLine(None, "Look up summaries of conversations, and how they fade.", embeds=True),
    "tables": CommandLine("tables", "Manage tables that an agent designs itself, in SQL.", embeds=True),
    "snapshots": CommandLine("snapshots", "Take snapshots of these tables, and restore them."),
    "forget": CommandLine("forget", "Forget a message, a session, a person or a space."),
    "receipts": CommandLine("receipts", "Show and verify the signed receipts of what was forgotten."),
    "sessions": CommandLine(None, "List the sessions of a space."),
    "messages": CommandLine(None, "List the messages of a session, in order."),
    "message": CommandLine(None, "Return the message with an id."),
    "take-last": CommandLine(None, "Take back the last message of a session."),
    "clear": CommandLine(None, "Take back all messages of a session."),
    "restore": CommandLine(None, "Put back a message that was taken back.", embeds=True),
    "reminders": CommandLine(None, "List what is open, most urgent first."),
    "overview": CommandLine(None, "Count the memories of a space, by kind and day."),
    "used-lately": CommandLine(None, "Show what was put before agents last."),
    "spaces": CommandLine(None, "List the spaces of the database."),
    "databases": CommandLine(None, "Spread spaces over many databases, and move them."),
    "worker": CommandLine("worker", "Run the jobs that wait in the queue.", embeds=True),
    "queue": CommandLine("queue", "Show jobs that wait or were given up; retry or delete them."),
    "serve": CommandLine("serve", "Serve by HTTP: REST for programs, pages for people.", embeds=True),
    "keys": CommandLine("keys", "Create, list and revoke the API keys of a server."),
    "settings": CommandLine(None, "Show and change settings."),
    "backup": CommandLine("backup", "Back up the embedded database, and restore any moment."),
    "doctor": CommandLine("doctor", "Check everything and explain its state; change nothing."),
    "db": CommandLine("db", "Start, stop and look at the embedded database."),
    "migrate": CommandLine("migrate", "Bring the database to this version's schema."),
    "reembed": CommandLine("reembed", "Compute all vectors again with another model."),
    "bench": CommandLine("bench", "Measure this memory on this machine."),
    "model": CommandLine("model", "Add, list and change embedding models."),
    "llm": CommandLine("llm", "Choose a language model to read conversations, or none."),
}


@click.group(
    cls=LazyGroup,
    lines=_LINES,
    invoke_without_command=True,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)
@common_options
@click.version_option(quipu.__version__, "--version", "-V", message="quipu %(version)s")
@click.pass_context
def quipu_command(ctx: click.Context) -> None:
    """Memory for software agents: take in conversations, ask in plain words, see why.

    `quipu demo` shows it. Settings are QUIPU_* variables; QUIPU_DEBUG=1 shows tracebacks.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns the exit code. Errors go to stderr, as JSON with ``--json``."""
    as_json = "--json" in arguments
    _open_what_is_closed()
    sys.excepthook = failure.excepthook
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what a terminal's encoding lacks becomes "?", not an error
            stream.reconfigure(errors="replace")
    try:
        code = _call(arguments)
        sys.stdout.flush()
    except click.exceptions.Exit as stopped:
        return stopped.exit_code
    except click.ClickException as error:
        return failure.misused(error, as_json=as_json)
    except QuipuError as error:
        return failure.failed(error, as_json=as_json)
    except (KeyboardInterrupt, click.Abort) as stopped:
        if isinstance(stopped, failure.Stopped):
            return failure.stopped(stopped, as_json=as_json)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough. What is still buffered must not fail once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS
    except OSError as error:
        if error.errno not in _UNWRITTEN:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # as above
        return failure.unwritten(error, as_json=as_json)
    return code if isinstance(code, int) else 0


def _open_what_is_closed() -> None:
    """Open closed streams (``>&-``): Python has None for them, and their numbers go to the next files."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - open as long as the process is
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as above
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as above


def _call(arguments: Sequence[str]) -> object:
    if "_QUIPU_COMPLETE" in os.environ:
        quipu_command.main(prog_name="quipu")  # a shell asks for completions; this answers and exits
    # Not through `main`: it turns a closed pipe into exit code 1, which says that something went wrong.
    with quipu_command.make_context("quipu", list(arguments)) as context:
        return quipu_command.invoke(context)
