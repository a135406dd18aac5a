"""``quipu evidence``: recommendations and what they rest on."""

from __future__ import annotations

from typing import Any

import click

from quipu.errors import BadInput
from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import evidence as views

_EXAMPLES = """\b
Examples:
  quipu evidence list --session s-1
  quipu evidence show 12
  quipu evidence show 12 --theme wait_time
  quipu evidence show --theme "wait time" --place p1
  quipu evidence themes
"""


@click.group("evidence", no_args_is_help=False, epilog=_EXAMPLES)
def command() -> None:
    """Recommendations and their evidence: "show me the reviews"."""


@command.command("list")
@in_space
@click.option("--session", metavar="ID", help="Of this session.")
@click.option("--limit", "-n", default=20, show_default=True, help="How many at most (1 to 1,000).")
@click.option("--offset", default=0, help="How many to pass over.")
@common
@click.pass_obj
def list_(call: Call, space: str, session: str | None, limit: int, offset: int) -> None:
    """List recommendations, the latest first, each with how sure it is and how much evidence it has."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.ledger.recommendations(space=space, session=session, limit=limit, offset=offset)
    screen.answer({"space": space, "recommendations": found}, views.recommendations(found))
    if len(found) == limit:
        screen.note(f"\nThere may be more: --offset {offset + limit}")


@command.command("show")
@click.argument("recommendation", type=int, required=False)
@in_space
@click.option("--theme", metavar="THEME", help="Only of this theme, such as wait_time.")
@click.option("--session", metavar="ID", help="Of this session, where no recommendation is named.")
@click.option("--place", metavar="ID", help="Of this place, where no recommendation is named.")
@click.option("--limit", "-n", default=10, show_default=True, help="How many at most (1 to 1,000).")
@common
@click.pass_obj
def show(call: Call, recommendation: int | None, space: str, limit: int, **where: Any) -> None:
    """Show the evidence of RECOMMENDATION by rank, or of a theme, a session, a place: the newest first.

    Each with its date, rating, theme, weight and a short excerpt. Where there is none of the theme, the
    answer says of which there is.
    """
    screen = Screen(call)
    theme = where.pop("theme")
    if recommendation is not None and any(where.values()):
        raise BadInput("a recommendation is of one session and its places.", field="recommendation")
    with opened(call, screen) as memory:
        if recommendation is None:
            found = memory.ledger.evidence_of(theme, space=space, limit=limit, **where)
            screen.answer({"space": space, **where, "evidence": found}, views.shown(found))
            return
        made = memory.ledger.recommendation(recommendation, space=space)
        found = memory.ledger.evidence(recommendation, space=space, theme=theme, limit=limit)
    document = {"space": space, "recommendation": made, "evidence": found}
    screen.answer(document, views.recommendation(made), views.shown(found))


@command.command("themes")
@in_space
@click.option("--session", metavar="ID", help="In this session.")
@click.option("--place", metavar="ID", help="Of this place.")
@common
@click.pass_obj
def themes(call: Call, space: str, session: str | None, place: str | None) -> None:
    """Count the evidence there is of each theme, the most first."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.ledger.evidence_of(space=space, session=session, place=place, limit=1).themes
    screen.answer({"space": space, "session": session, "place": place, "themes": found}, views.themes(found))
