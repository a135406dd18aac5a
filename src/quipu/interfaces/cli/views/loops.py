"""Open loops, beliefs and conflicts as people read them, in 80 columns and in a pipe."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows, in_full
from quipu.interfaces.cli.views.text import count, day_and_time, shortened
from quipu.kinds.episodes.extraction.beliefs.model import Belief, BeliefSource, Conflict
from quipu.kinds.episodes.extraction.loops.model import Loop

_ID_DIGITS = 8
_LONGEST = 160

loops = Rows[Loop](
    {
        "id": lambda one: str(one.id)[:_ID_DIGITS],
        "kind": lambda one: one.kind,
        "by": lambda one: one.by,
        "said": lambda one: f"{one.said_at:%Y-%m-%d}",
        "due": lambda one: f"{one.due:%Y-%m-%d}" if one.due else "",
        "what": lambda one: (
            ("" if one.state == "open" else f"[{one.outcome}] ") + shortened(one.text, _LONGEST)
        ),
    },
    none="Nothing is open here. Workers find it in conversations: quipu worker",
)
"""Loops, each in a row."""

beliefs = Rows[Belief](
    {
        "id": lambda one: str(one.id)[:_ID_DIGITS],
        "sure": lambda one: f"{one.confidence:.2f}",
        "about": lambda one: one.person,
        "key": lambda one: one.key,
        "value": lambda one: shortened(one.value, _LONGEST),
        "state": lambda one: one.ending or one.state,
    },
    none="Nothing is believed here. Workers find it in conversations: quipu worker",
)
"""Beliefs, each in a row."""

sources = Rows[BeliefSource](
    {
        "session": lambda one: one.session or "",
        "message": lambda one: one.message,
        "when": lambda one: day_and_time(one.said_at),
        "said": lambda one: shortened(one.excerpt, _LONGEST),
    },
    none="It was written by hand.",
)
"""Messages in which a belief was said."""

conflicts = Rows[Conflict](
    {
        "id": lambda one: str(one.id)[:_ID_DIGITS],
        "severity": lambda one: one.severity,
        "about": lambda one: one.person,
        "key": lambda one: one.key,
        "stands": lambda one: shortened(one.belief.value, _LONGEST),
        "against it": lambda one: shortened(one.rival.value, _LONGEST),
        "state": lambda one: one.strategy or one.state,
    },
    none="Nothing contradicts what stands.",
)
"""Conflicts, each in a row."""


def loop(one: Loop) -> RenderableType:
    """Show everything that is known of one loop."""
    return in_full(
        one.text,
        one.id,
        ("kind", f"{one.kind}, {one.state}"),
        ("by", one.by),
        ("user", one.user),
        ("said", f"{day_and_time(one.said_at)} in {one.session} [{one.message}]"),
        ("due", day_and_time(one.due)),
        ("mentioned", count(one.mentions, "time")),
        ("closed", f"{day_and_time(one.closed_at)}, {one.outcome}" if one.closed_at else ""),
        ("evidence", (one.evidence or "") + (f" [{one.evidence_message}]" if one.evidence_message else "")),
        ("reopened", count(one.reopened, "time") if one.reopened else ""),
    )


def belief(one: Belief) -> RenderableType:
    """Show everything that is known of one belief."""
    return in_full(
        f"{one.key}: {one.value}",
        one.id,
        ("about", one.person),
        ("state", one.ending or one.state),
        ("confidence", f"{one.confidence:.2f}, {one.source}"),
        ("category", f"{one.nature}, {one.category}"),
        ("said", f"{count(one.times, 'time')}, last {day_and_time(one.said_at)}"),
        ("ended", day_and_time(one.ended_at)),
        ("instead", str(one.successor)[:_ID_DIGITS] if one.successor else ""),
    )


def conflict(one: Conflict | None) -> RenderableType:
    """Show one conflict as a question to the person."""
    if one is None:
        return Text("Nothing to ask.", style="dim")
    return in_full(
        one.question,
        one.id,
        ("severity", one.severity),
        ("stands", one.belief.value),
        ("against it", one.rival.value),
        ("asked", count(one.surfaced, "time")),
    )
