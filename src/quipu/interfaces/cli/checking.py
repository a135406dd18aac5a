"""``quipu forget --check``: what is left of an erasure, place by place."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from quipu.errors import BadInput
from quipu.interfaces.cli.call import Call
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.piped import text_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.text import count, size, visible
from quipu.upkeep.erasure.model import Checked, Place

_LEFT = 1


def check(
    call: Call,
    receipt: str,
    strings: str | None,
    exports: Sequence[str],
    *,
    space: str,
    after: str | None,
    seconds: float | None,
    most_bytes: int | None,
) -> None:
    """Print what is left. The exit code is 1 where something is, or could not be looked at."""
    screen = Screen(call)
    sought = [] if strings is None else lines(strings, field="for")
    if strings is not None and not sought:
        raise BadInput(f"{strings} holds no string.", field="for", hint="Give one a line.")
    with opened(call, screen) as memory, screen.progress("Searching", total=None) as steps:
        found = memory.check_erasure(
            receipt,
            sought,
            space=space,
            exports=[Path(one).expanduser().absolute() for one in exports],
            after=after,
            seconds=seconds,
            most_bytes=most_bytes,
            progress=steps.advance,
        )
    screen.answer({**asdict(found), "clean": found.clean}, *_shown(found))
    if not found.clean:
        raise click.exceptions.Exit(_LEFT)


def rewrite_freed(call: Call, receipt: str, *, space: str, yes: bool) -> None:
    """Write tables anew, or say what that would take. The exit code is 1 where a table was refused."""
    screen = Screen(call)
    with opened(call, screen) as memory, screen.busy("Writing tables anew"):
        found = memory.rewrite_freed(receipt, space=space, confirm=yes)
    told = f"{count(found.tables, 'table')}, {size(found.bytes)}, about {found.seconds:,.0f} s"
    if not yes:
        shown = [f"It would write anew {told}; each table is locked meanwhile."]
        shown.append("Nothing was changed. To do it, say the same with --yes.")
    else:
        shown = [f"Written anew: {told}. Note {found.note}."]
        if found.refused:
            shown.append(f"Not written anew: {', '.join(found.refused)}.")
            shown.append(
                "`quipu doctor` names an index of an agent that stops it. Where this user lacks a right,"
            )
            shown.append("have a superuser run VACUUM FULL on these tables, then CHECKPOINT.")
        if not found.log_renewed:
            shown.append(
                "The log was not written over: an archive or a replica keeps it, or this user may not."
            )
            shown.append("A superuser runs CHECKPOINT and SELECT pg_switch_wal().")
    screen.answer({**asdict(found), "clean": found.clean}, *map(Text, shown))
    if yes and not found.clean:
        raise click.exceptions.Exit(_LEFT)


def lines(file: str, *, field: str) -> list[str]:
    """Return the lines of a file that are not empty; - is standard input.

    Raises:
        BadInput: it cannot be read.
    """
    return [line for line in text_of(file, field=field).splitlines() if line.strip()]


def _shown(found: Checked) -> Iterator[Table | Text]:
    table = Table("place", "is", "found", "until", "", box=None, pad_edge=False)
    for one in found.places:
        table.add_row(visible(one.place), one.state, _count(one, found), one.until, visible(one.note))
    yield table
    if found.clean:
        yield Text("Nothing is left." if found.searched else "All places are gone.", style="bold")
    elif found.searched:
        yield Text("Something was found, or could not be looked at.", style="bold")
    else:
        yield Text("Places are left: give the strings with --for to search them.", style="bold")
    if found.after is not None:
        told = f"To go on, say the same with --after {shlex.quote(found.after)}"
        yield Text(f"A limit was reached. {told}", style="bold")


def _count(one: Place, found: Checked) -> str:
    if one.found is not None:
        return f"{one.found:,}" + ("" if one.whole else " or more")
    return "?" if found.searched and one.state != "gone" else ""
