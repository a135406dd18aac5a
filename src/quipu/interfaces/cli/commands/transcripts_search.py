"""``quipu transcripts search``: where something was said, thought, asked of a tool or answered by one."""

from __future__ import annotations

from typing import Any

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.narrowed import at_most, in_project, in_session, in_time
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import transcripts as views
from quipu.interfaces.cli.views.text import count
from quipu.kinds.transcripts.seeing.model import PARTS, ROLES, SORTS

_EXAMPLES = """\b
Examples:
  quipu transcripts search 'csrf token'
  quipu transcripts search '"was read before"' --role assistant
  quipu transcripts search 'fix-login OR log*' --project boats --sort time
  quipu transcripts search KeyError --tool Bash --errors
"""


def _several(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...] | None:
    return value or None


@click.command("search", epilog=_EXAMPLES)
@click.argument("words", metavar="QUERY", nargs=-1, required=True)
@in_space
@in_project
@in_session
@in_time
@click.option("--part", type=click.Choice(PARTS), multiple=True, callback=_several, help="Only there.")
@click.option("--role", type=click.Choice(ROLES), multiple=True, callback=_several, help="Only of these.")
@click.option("--tool", metavar="NAME", multiple=True, callback=_several, help="Only of this tool.")
@click.option("--errors", is_flag=True, help="Only what failed.")
@click.option("--sort", type=click.Choice(SORTS), default="relevance", show_default=True)
@click.option("--meaning/--no-meaning", default=True, help="Whether what is near in meaning counts, too.")
@at_most(10)
@common
@click.pass_obj
def command(call: Call, words: tuple[str, ...], space: str, **narrowed: Any) -> None:
    """Find what was said and thought, what tools were given and what they answered.

    Words must all be there; "in quotes" side by side; login* lets a word go on; -word leaves texts with it
    out; OR stands between alternatives. No other sign means anything: fix-login and src/app.py are found as
    written. What was synced a moment ago is found at once.
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.transcripts.search(" ".join(words), space=space, **narrowed)
    screen.answer(found, views.searched(found))
    if found.total > len(found.hits) > 0:
        screen.note(f"\n{count(found.total, 'text')} with these words; --limit shows more.")
    if found.unindexed:
        screen.note(f"{count(found.unindexed, 'line')} not indexed yet: quipu transcripts index")
