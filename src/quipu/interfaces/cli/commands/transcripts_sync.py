"""``quipu transcripts sync``."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import click

from quipu import Memory
from quipu.interfaces.cli.call import Call, common, erased_too, in_one_space
from quipu.interfaces.cli.input import FilePath
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.program import program
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.syncs import pending, report
from quipu.interfaces.problems import USAGE
from quipu.kinds.transcripts.sync.model import SyncReport

SWITCH_SECONDS = 0.0005
"""How soon the thread that reads files lets the one that talks to the server go on: with Python's 5 ms the
server waits for as long at each of its answers."""
_OBJECTS = 50_000


def make_haste() -> None:
    """Set Python up for a process that only syncs: threads change often, and rubbish is seldom looked for.

    What is loaded stays, and what a sync makes goes by itself: hardly anything of it refers to each other.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()
    gc.set_threshold(_OBJECTS)


_EXAMPLES = """\b
Examples:
  quipu transcripts sync
  quipu transcripts sync ~/.claude --pending
  quipu transcripts sync ~/old-sessions --space archive
  quipu transcripts sync --follow
"""


@click.command("sync", epilog=_EXAMPLES)
@click.argument("roots", nargs=-1, type=FilePath(path_type=Path), metavar="[ROOT]...")
@in_one_space("One space for all projects.")
@click.option("--follow", is_flag=True, help="Go on taking in what comes, until interrupted.")
@click.option(
    "--every-seconds",
    type=click.FloatRange(min=0.1),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="The seconds between two looks.",
)
@erased_too
@click.option("--pending", "only_pending", is_flag=True, help="Only tell what has something new.")
@common
def command(
    call: Call,
    roots: tuple[Path, ...],
    space: str | None,
    follow: bool,
    every_seconds: float,
    erased_too: bool,
    only_pending: bool,
) -> int:
    """Take in what is new in recorded sessions of Claude Code and Codex.

    ROOT is a directory of an agent, of its sessions, or one file; where agents keep them, if not given. Each
    project goes to a space of its own, named like the directory that the session was started in. What a sync
    has read is known by place, size and hash; it is never read again unless it was rewritten. Secrets are cut
    out before anything is stored. Lines that were forgotten are withheld, in whatever file they stand. The
    exit code is 2 where nothing could be read.
    """
    chosen = list(roots) or None
    with opened(call) as (screen, memory):
        make_haste()
        if only_pending:
            waiting = memory.transcripts.pending(chosen, space=space)
            screen.answer(waiting, pending(waiting))
            return 0
        done = _sync(memory, screen, chosen, space, erased_too=erased_too)
        screen.answer(done, *report(done))
        if done.lines:
            screen.note(f'\nAsk: {program()} recall --space {next(iter(done.spaces))} "Why did we …?"')
        if follow:
            screen.note("Following; Ctrl-C ends it.")
            memory.transcripts.follow(
                lambda more: screen.answer(more, *report(more)),
                chosen,
                space=space,
                every_seconds=every_seconds,
            )
    return USAGE if not done.spaces and done.troubles else 0


def _sync(
    memory: Memory, screen: Screen, roots: list[Path] | None, space: str | None, *, erased_too: bool
) -> SyncReport:
    total = None
    if screen.watched:
        total = sum(one.bytes for one in memory.transcripts.pending(roots, space=space).values())
    with screen.progress("Reading sessions", total=total) as steps:
        return memory.transcripts.sync(roots, space=space, progress=steps.advance, erased_too=erased_too)
