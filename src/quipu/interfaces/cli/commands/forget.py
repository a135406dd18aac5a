"""``quipu forget``: a preview first, then a receipt."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import RenderableType
from rich.text import Text

from quipu.errors import BadInput
from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.input import text_of
from quipu.interfaces.cli.last_recall import drop
from quipu.interfaces.cli.memory import opened, settings_of
from quipu.interfaces.cli.views.layout import Rows, amounts
from quipu.interfaces.cli.views.text import count, day_and_time, size, visible
from quipu.upkeep.erasure.model import Checked, CheckedPlace, Erasure, Left

_LEFT = 1
_left = Rows[Left](
    {
        "names are left in": lambda one: one.place,
        "rows": lambda one: f"{one.count:,}",
        "what removes them": lambda one: one.how,
    }
)


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
    sought = [] if strings is None else lines(strings, field="for")
    if strings is not None and not sought:
        raise BadInput(f"{strings} holds no string.", field="for", hint="Give one a line.")
    with opened(call) as (screen, memory), screen.progress("Searching", total=None) as steps:
        checked = memory.check_erasure(
            receipt,
            sought,
            space=space,
            exports=[Path(one).expanduser().absolute() for one in exports],
            after=after,
            seconds=seconds,
            most_bytes=most_bytes,
            progress=steps.advance,
        )
    screen.answer({**asdict(checked), "clean": checked.clean}, *_place_shown(checked))
    if not checked.clean:
        raise click.exceptions.Exit(_LEFT)


def rewrite_freed(call: Call, receipt: str, *, space: str, confirm: bool) -> None:
    """Rewrite tables, or say what that would take. The exit code is 1 where a table was refused."""
    with opened(call) as (screen, memory), screen.busy("Rewriting tables"):
        rewritten = memory.rewrite_freed(receipt, space=space, confirm=confirm)
    amount = f"{count(rewritten.tables, 'table')}, {size(rewritten.bytes)}, about {rewritten.seconds:,.0f} s"
    if not confirm:
        shown = [f"It would rewrite {amount}; each table is locked meanwhile."]
        shown.append("Nothing was changed. To do it, say the same with --yes.")
    else:
        shown = [f"Rewritten: {amount}. Note {rewritten.note}."]
        if rewritten.refused:
            shown.append(f"Not rewritten: {', '.join(rewritten.refused)}.")
            shown.append(
                "`quipu doctor` names an index of an agent that stops it. Where this user lacks a right,"
            )
            shown.append("have a superuser run VACUUM FULL on these tables, then CHECKPOINT.")
        if not rewritten.log_renewed:
            shown.append(
                "The log was not written over: an archive or a replica keeps it, or this user may not."
            )
            shown.append("A superuser runs CHECKPOINT and SELECT pg_switch_wal().")
    screen.answer({**asdict(rewritten), "clean": rewritten.clean}, *map(Text, shown))
    if confirm and not rewritten.clean:
        raise click.exceptions.Exit(_LEFT)


def lines(file: str, *, field: str) -> list[str]:
    """Return the lines of a file that are not empty; - is standard input.

    Raises:
        BadInput: it cannot be read.
    """
    return [line for line in text_of(file, field=field).splitlines() if line.strip()]


def _place_shown(checked: Checked) -> Iterator[RenderableType]:
    yield Rows[CheckedPlace](
        {
            "place": lambda one: one.place,
            "is": lambda one: one.state,
            "found": lambda one: _count(one, checked),
            "until": lambda one: one.until,
            "": lambda one: one.note,
        }
    )(checked.places)
    if checked.clean:
        yield Text("Nothing is left." if checked.searched else "All places are gone.", style="bold")
    elif checked.searched:
        yield Text("Something was found, or could not be looked at.", style="bold")
    else:
        yield Text("Places are left: give the strings with --for to search them.", style="bold")
    if checked.after is not None:
        hint = f"To go on, say the same with --after {shlex.quote(checked.after)}"
        yield Text(f"A limit was reached. {hint}", style="bold")


def _count(one: CheckedPlace, checked: Checked) -> str:
    if one.found is not None:
        return f"{one.found:,}" + ("" if one.whole else " or more")
    return "?" if checked.searched and one.state != "gone" else ""


@click.command()
@in_space
@click.option("--session", metavar="ID", help="This session.")
@click.option("--user", metavar="NAME", help="This person: kept for them, or said by them.")
@click.option("--message", metavar="ID", help="The message with this id of yours.")
@click.option("--name", "names", multiple=True, metavar="TEXT", help="Another name to look for; repeatable.")
@click.option("--everywhere", is_flag=True, help="Take the names out of what others said, too.")
@click.option("--everything", is_flag=True, help="The whole space.")
@click.option("--check", "checked", metavar="RECEIPT", help="Look again at the places of this receipt.")
@click.option("--for", "sought", metavar="FILE", help="With --check: the strings, one a line; - is stdin.")
@click.option("--export", "exports", multiple=True, metavar="PATH", help="With --check: look there, too.")
@click.option("--seconds", type=float, metavar="N", help="With --check: search so long at most.")
@click.option("--megabytes", type=click.IntRange(min=1), metavar="N", help="With --check: read no more.")
@click.option("--after", metavar="PLACE", help="With --check: go on where a limit was reached.")
@click.option("--rewrite", metavar="RECEIPT", help="Rewrite tables: free no page that holds old words.")
@click.option("--yes", "confirm", is_flag=True, help="Do it. Without this, only what would go is shown.")
@common
def command(
    call: Call,
    space: str,
    session: str | None,
    user: str | None,
    message: str | None,
    names: tuple[str, ...],
    everywhere: bool,
    everything: bool,
    checked: str | None,
    sought: str | None,
    exports: tuple[str, ...],
    seconds: float | None,
    megabytes: int | None,
    after: str | None,
    rewrite: str | None,
    confirm: bool,
) -> None:
    """Forget a message, a session, a person or a whole space, in every table and index at once.

    What is given together must all hold. Without --yes nothing is changed. With it, the receipt that is
    printed is also kept in the database; it holds no content.

    Where a person is forgotten, their names are looked for in the tables of agents and in what others said,
    and what is found is told. --everywhere takes it out there; see it without --yes first.
    """
    named = {"session": session, "user": user, "message": message}
    if rewrite is not None:
        rewrite_freed(call, rewrite, space=space, confirm=confirm)
        return
    if checked is not None:
        most = None if megabytes is None else megabytes * 1_000_000
        check(call, checked, sought, exports, space=space, after=after, seconds=seconds, most_bytes=most)
        return
    if everything == any(value is not None for value in named.values()):
        raise BadInput(
            "say either what to forget (--session, --user, --message) or --everything.",
            hint=f"The whole space: quipu forget --space {space} --everything",
        )
    if confirm:
        drop(home=settings_of(call).home)
    with opened(call) as (screen, memory):
        erasure = memory.forget(space=space, **named, names=names, everywhere=everywhere, confirm=confirm)
    screen.answer(erasure, *_shown(erasure))


def _shown(erasure: Erasure) -> Iterator[RenderableType]:
    if not any(erasure.counts.values()):
        yield Text(f"Nothing in the space {visible(erasure.space)!r} matches.")
    else:
        yield amounts(erasure.counts, "forgotten" if erasure.receipt else "would be forgotten", "rows")
    if erasure.left:
        yield _left(erasure.left)
    if erasure.receipt:
        yield Text(f"Receipt {erasure.receipt}, {day_and_time(erasure.erased_at)} UTC.")
    elif any(erasure.counts.values()):
        yield Text("Nothing was changed. To do it, say the same with --yes.", style="bold")
