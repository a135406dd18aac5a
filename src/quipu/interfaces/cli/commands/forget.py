"""``quipu forget``: a preview first, then a receipt."""

from __future__ import annotations

from collections.abc import Iterator

import click
from rich.table import Table
from rich.text import Text

from quipu.errors import BadInput
from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.checking import check, rewrite_freed
from quipu.interfaces.cli.last_recall import drop
from quipu.interfaces.cli.opening import opened, settings_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.text import day_and_time, visible
from quipu.upkeep.erasure.model import Erasure


@click.command()
@in_space
@click.option("--session", metavar="ID", help="This session.")
@click.option("--user", metavar="NAME", help="This person: kept for them, or said by them.")
@click.option("--message", metavar="ID", help="The message with this id of yours.")
@click.option("--name", "names", multiple=True, metavar="TEXT", help="Another name to look for; repeatable.")
@click.option("--everywhere", is_flag=True, help="Take the names out of what others said, too.")
@click.option("--everything", is_flag=True, help="The whole space.")
@click.option("--check", "receipt", metavar="RECEIPT", help="Look again at the places of this receipt.")
@click.option("--for", "strings", metavar="FILE", help="With --check: the strings, one a line; - is stdin.")
@click.option("--export", "exports", multiple=True, metavar="PATH", help="With --check: look there, too.")
@click.option("--seconds", type=float, metavar="N", help="With --check: search so long at most.")
@click.option("--megabytes", type=click.IntRange(min=1), metavar="N", help="With --check: read no more.")
@click.option("--after", metavar="PLACE", help="With --check: go on where a limit was reached.")
@click.option("--rewrite", metavar="RECEIPT", help="Write tables anew: free no page that holds old words.")
@click.option("--yes", is_flag=True, help="Do it. Without this, only what would go is shown.")
@common
@click.pass_obj
def command(
    call: Call,
    space: str,
    session: str | None,
    user: str | None,
    message: str | None,
    names: tuple[str, ...],
    everywhere: bool,
    everything: bool,
    receipt: str | None,
    strings: str | None,
    exports: tuple[str, ...],
    seconds: float | None,
    megabytes: int | None,
    after: str | None,
    rewrite: str | None,
    yes: bool,
) -> None:
    """Forget a message, a session, a person or a whole space, in every table and index at once.

    What is given together must all hold. Without --yes nothing is changed. With it, the receipt that is
    printed is also kept in the database; it holds no content.

    Where a person is forgotten, their names are looked for in the tables of agents and in what others said,
    and what is found is told. --everywhere takes it out there; see it without --yes first.
    """
    named = {"session": session, "user": user, "message": message}
    if rewrite is not None:
        rewrite_freed(call, rewrite, space=space, yes=yes)
        return
    if receipt is not None:
        most = None if megabytes is None else megabytes * 1_000_000
        check(call, receipt, strings, exports, space=space, after=after, seconds=seconds, most_bytes=most)
        return
    if everything == any(value is not None for value in named.values()):
        raise BadInput(
            "say either what to forget (--session, --user, --message) or --everything.",
            hint=f"The whole space: quipu forget --space {space} --everything",
        )
    screen = Screen(call)
    if yes:
        drop(home=settings_of(call).home)
    with opened(call, screen) as memory:
        found = memory.forget(space=space, **named, names=names, everywhere=everywhere, confirm=yes)
    screen.answer(found, *_shown(found))


def _shown(found: Erasure) -> Iterator[Table | Text]:
    if not any(found.counts.values()):
        yield Text(f"Nothing in the space {visible(found.space)!r} matches.")
    else:
        table = Table(
            "forgotten" if found.receipt else "would be forgotten", "rows", box=None, pad_edge=False
        )
        table.columns[1].justify = "right"
        for name, number in found.counts.items():
            table.add_row(name, f"{number:,}")
        yield table
    if found.left:
        table = Table("names are left in", "rows", "what removes them", box=None, pad_edge=False)
        for one in found.left:
            table.add_row(visible(one.place), f"{one.count:,}", one.how)
        yield table
    if found.receipt:
        yield Text(f"Receipt {found.receipt}, {day_and_time(found.erased_at)} UTC.")
    elif any(found.counts.values()):
        yield Text("Nothing was changed. To do it, say the same with --yes.", style="bold")
