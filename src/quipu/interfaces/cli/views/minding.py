"""Open loops, beliefs and conflicts as people read them, in 80 columns and in a pipe."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import count, day_and_time, shortened, visible
from quipu.kinds.episodes.extraction.beliefs.model import Belief, BeliefSource, Conflict
from quipu.kinds.episodes.extraction.loops.model import Loop

_ID_DIGITS = 8
_LONGEST = 160


def loops(found: Sequence[Loop]) -> RenderableType:
    """Show loops, each in a row."""
    if not found:
        return Text("Nothing is open here. Workers find it in conversations: quipu worker", style="dim")
    rows = Table("id", "kind", "by", "said", "due", "what", box=None, pad_edge=False)
    for loop in found:
        due = f"{loop.due:%Y-%m-%d}" if loop.due else ""
        state = "" if loop.state == "open" else f"[{loop.outcome}] "
        said = f"{loop.said_at:%Y-%m-%d}"
        rows.add_row(
            str(loop.id)[:_ID_DIGITS],
            loop.kind,
            visible(loop.by),
            said,
            due,
            Text(state + shortened(loop.text, _LONGEST)),
        )
    return rows


def loop(one: Loop) -> RenderableType:
    """Show everything that is known of one loop."""
    closed = f"{day_and_time(one.closed_at)}, {one.outcome}" if one.closed_at else ""
    told = (
        ("kind", f"{one.kind}, {one.state}"),
        ("by", one.by),
        ("user", one.user or ""),
        ("said", f"{day_and_time(one.said_at)} in {one.session} [{one.message}]"),
        ("due", day_and_time(one.due)),
        ("mentioned", count(one.mentions, "time")),
        ("closed", closed),
        ("evidence", (one.evidence or "") + (f" [{one.evidence_message}]" if one.evidence_message else "")),
        ("reopened", count(one.reopened, "time") if one.reopened else ""),
    )
    return _told(one.text, str(one.id), told)


def beliefs(found: Sequence[Belief]) -> RenderableType:
    """Show beliefs, each in a row."""
    if not found:
        return Text("Nothing is believed here. Workers find it in conversations: quipu worker", style="dim")
    rows = Table("id", "sure", "about", "key", "value", "state", box=None, pad_edge=False)
    for one in found:
        rows.add_row(
            str(one.id)[:_ID_DIGITS],
            f"{one.confidence:.2f}",
            visible(one.person),
            one.key,
            Text(shortened(one.value, _LONGEST)),
            _state(one),
        )
    return rows


def belief(one: Belief) -> RenderableType:
    """Show everything that is known of one belief."""
    told = (
        ("about", one.person),
        ("state", _state(one)),
        ("confidence", f"{one.confidence:.2f}, {one.source}"),
        ("category", f"{one.nature}, {one.category}"),
        ("said", f"{count(one.times, 'time')}, last {day_and_time(one.said_at)}"),
        ("ended", day_and_time(one.ended_at)),
        ("instead", str(one.successor)[:_ID_DIGITS] if one.successor else ""),
    )
    return _told(f"{one.key}: {one.value}", str(one.id), told)


def sources(told: Sequence[BeliefSource]) -> RenderableType:
    """Show where a belief was said."""
    if not told:
        return Text("It was written by hand.", style="dim")
    rows = Table("session", "message", "when", "said", box=None, pad_edge=False)
    for source in told:
        said = Text(shortened(source.excerpt, _LONGEST))
        rows.add_row(
            visible(source.session or ""), visible(source.message), day_and_time(source.said_at), said
        )
    return rows


def conflicts(found: Sequence[Conflict]) -> RenderableType:
    """Show conflicts, each in a row."""
    if not found:
        return Text("Nothing contradicts what stands.", style="dim")
    rows = Table("id", "severity", "about", "key", "stands", "against it", "state", box=None, pad_edge=False)
    for one in found:
        rows.add_row(
            str(one.id)[:_ID_DIGITS],
            one.severity,
            visible(one.person),
            one.key,
            Text(shortened(one.belief.value, _LONGEST)),
            Text(shortened(one.rival.value, _LONGEST)),
            one.strategy or one.state,
        )
    return rows


def conflict(one: Conflict | None) -> RenderableType:
    """Show one conflict as a question to the person."""
    if one is None:
        return Text("Nothing to ask.", style="dim")
    told = (
        ("severity", one.severity),
        ("stands", one.belief.value),
        ("against it", one.rival.value),
        ("asked", count(one.surfaced, "time")),
    )
    return _told(one.question, str(one.id), told)


def _state(one: Belief) -> str:
    return one.ending if one.ending is not None else one.state


def _told(head: str, id_: str, told: Sequence[tuple[str, str]]) -> RenderableType:
    lines = [Text(visible(head), style="bold"), Text(f"id          {id_}")]
    lines += [Text(f"{name:11} {visible(value)}") for name, value in told if value]
    return Group(*lines)
