"""``quipu transcripts index``."""

from __future__ import annotations

import click
from rich.text import Text

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.text import count


@click.command("index")
@click.option(
    "--space", "-s", envvar="QUIPU_SPACE", show_envvar=True, metavar="NAME", help="Only this space."
)
@common
@click.pass_obj
def command(call: Call, space: str | None) -> None:
    """Index the words of all that a sync took in, and let recalls find messages by their meaning.

    Searches and recalls do it by themselves, a little before each; this does all of it now.
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        names = [space] if space else [one.name for one in memory.spaces()]
        lines = {name: number for name in names if (number := memory.transcripts.unindexed(space=name))}
        with screen.progress("Indexing words", total=sum(lines.values()), unit="lines") as steps:
            for name in lines:
                memory.transcripts.index_texts(space=name, progress=steps.advance)
        waiting = {name: number for name in names if (number := memory.transcripts.waiting(space=name))}
        with screen.progress("Indexing", total=sum(waiting.values()), unit="messages") as steps:
            done = {name: memory.transcripts.index(space=name, progress=steps.advance) for name in waiting}
    told = (
        f"{count(sum(lines.values()), 'line')} indexed by words, "
        f"{count(sum(done.values()), 'message')} by meaning."
    )
    screen.answer({"spaces": done, "lines": lines}, Text(told if lines or done else "Everything is indexed."))
