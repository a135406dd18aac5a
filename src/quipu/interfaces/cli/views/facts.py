"""Facts and assumptions as people read them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from rich.console import Group, RenderableType
from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows
from quipu.interfaces.cli.views.text import day_and_time, shortened, visible
from quipu.kinds.ledger.model import Change, Difference, Event, Rebuilt, RegisteredKey, Value

_LONGEST = 120


_COLUMNS: Mapping[str, Callable[[Value], str]] = {
    "key": lambda one: one.key,
    "value": lambda one: _said(one.value),
    "known": lambda one: _known(one),
    "of": lambda one: (one.user if one.from_preference else one.session) or "",
    "turn": lambda one: str(one.turn),
    "since (UTC)": lambda one: day_and_time(one.updated_at),
    "until": lambda one: day_and_time(one.expires_at),
}
_OF = {"session": "a session", "cross_session": "a person", None: "either"}

values = Rows[Value](_COLUMNS, none="Nothing stands.")
"""Values that stand."""

assumptions = Rows[Value](_COLUMNS, none="Nothing is only assumed.")
"""Values that are only assumed."""

events = Rows[Event](
    {
        "event": lambda one: str(one.id),
        "key": lambda one: one.key,
        "when (UTC)": lambda one: day_and_time(one.created_at),
        "what": lambda one: (
            one.event_type + ("" if one.stands or one.standing_event_id is None else " (did not stand)")
        ),
        "old": lambda one: "" if one.old is None else _said(one.old),
        "new": lambda one: "" if one.standing_event_id is None else _said(one.new),
        "known": lambda one: one.source,
        "why": lambda one: one.reason or one.correlation_id or "",
        "who": lambda one: one.actor or one.user or "",
    },
    none="Nothing was written.",
)
"""Events, each in a row."""

keys = Rows[RegisteredKey](
    {
        "key": lambda one: one.pattern,
        "namespace": lambda one: one.namespace,
        "of": lambda one: _OF[one.scope],
        "fields": lambda one: _fields(one.shape.get("properties", one.shape.get("type", ""))),
        "registered (UTC)": lambda one: day_and_time(one.registered_at),
    }
)
"""Keys whose values have a shape."""

differences = Rows[Difference](
    {
        "key": lambda one: one.key,
        "before": lambda one: _side(one.before),
        "after": lambda one: _side(one.after),
    },
    none="Nothing is believed otherwise.",
)
"""Keys of which something else is believed."""


def state(standing: Mapping[str, Value]) -> RenderableType:
    """Show a table of what holds."""
    return values([*standing.values()])


def change(done: Change) -> RenderableType:
    """Show the outcome of a write, in a line or two."""
    if done.event is None:
        return Text("That stands already; nothing was written.")
    lines = [Text(f"{done.event.event_type} {done.event.id}: {visible(done.event.key)}")]
    if done.event.old is not None:
        lines.append(Text(f"was    {_said(done.event.old)}"))
    if done.value is not None:
        still = "" if done.stands else "; it is stronger"
        lines.append(Text(f"stands {_said(done.value.value)} ({_known(done.value)}{still})"))
    lines += [Text(f"a subscriber failed: {visible(error)}", style="red") for error in done.hook_errors]
    return Group(*lines)


def rebuilt(done: Rebuilt) -> RenderableType:
    """Show the outcome of a rebuild from the events."""
    made = f"{done.session_rows:,} session values and {done.preference_rows:,} preferences"
    return Group(
        Text(f"{made}, made from {done.events:,} events."),
        Text(f"{done.changed:,} rows were not what the events say."),
    )


def _fields(names: str | Iterable[str]) -> str:
    return shortened(names if isinstance(names, str) else ", ".join(names), _LONGEST)


def _side(value: Value | None) -> str:
    return "nothing" if value is None else f"{_said(value.value)} ({_known(value)})"


def _known(value: Value) -> str:
    cap = "" if value.confidence_cap == "none" else f", at most {value.confidence_cap}"
    return value.source + cap


def _said(value: object) -> str:
    return shortened(json.dumps(value, ensure_ascii=False), _LONGEST)
