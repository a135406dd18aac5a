"""Standing rules as people read them."""

from __future__ import annotations

from rich.console import RenderableType

from quipu.interfaces.cli.views.layout import Rows, in_full
from quipu.interfaces.cli.views.text import day_and_time, shortened
from quipu.record.standing.model import RuleSource, StandingRule

_ID_DIGITS = 8
_LONGEST = 160

table = Rows[StandingRule](
    {
        "id": lambda one: str(one.id)[:_ID_DIGITS],
        "user": lambda one: one.user or "",
        "since": lambda one: f"{one.since:%Y-%m-%d}",
        "ended": lambda one: f"{one.ended_at:%Y-%m-%d}" if one.ended_at else "",
        "for": lambda one: one.scope,
        "rule": lambda one: shortened(one.text, _LONGEST),
    },
    none="No rule is in force here.",
)
"""Rules, each in a row."""

sources = Rows[RuleSource](
    {
        "session": lambda one: one.session or "",
        "message": lambda one: one.message,
        "when": lambda one: day_and_time(one.said_at),
        "ended it": lambda one: "yes" if one.ends else "",
        "said": lambda one: shortened(one.text, _LONGEST),
    },
    none="It was written by hand.",
)
"""Messages in which a rule was said, or ended."""


def one(rule: StandingRule) -> RenderableType:
    """Show everything that is known of one rule."""
    where = f" in {rule.session}" if rule.session else ""
    return in_full(
        rule.text,
        rule.id,
        ("user", rule.user or "everybody in the space"),
        ("for", rule.scope or "every request"),
        (
            "said",
            f"{day_and_time(rule.since)}{where} [{rule.message}]" if rule.message else "written by hand",
        ),
        ("found by", rule.made_by),
        ("ended", f"{day_and_time(rule.ended_at)} by a {rule.ended_by}" if rule.ended_at else None),
        ("ended in", rule.ended_in),
    )
