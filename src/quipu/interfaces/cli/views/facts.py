"""Facts and assumptions as people read them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import day_and_time, shortened, visible
from quipu.kinds.ledger.model import Change, Difference, Event, Rebuilt, RegisteredKey, Value

_LONGEST = 120


def values(found: Sequence[Value], *, none: str = "Nothing stands.") -> RenderableType:
    """Show a table of what stands, or the text ``none``."""
    if not found:
        return Text(none, style="dim")
    table = Table("key", "value", "known", "of", "turn", "since (UTC)", "until", box=None, pad_edge=False)
    for one in found:
        table.add_row(
            visible(one.key),
            _said(one.value),
            _known(one),
            visible((one.user if one.from_preference else one.session) or ""),
            str(one.turn),
            day_and_time(one.updated_at),
            day_and_time(one.expires_at),
        )
    return table


def state(found: Mapping[str, Value]) -> RenderableType:
    """Show a table of what holds."""
    return values([*found.values()])


def assumptions(found: Sequence[Value]) -> RenderableType:
    """Show a table of what is only assumed."""
    return values(found, none="Nothing is only assumed.")


def events(found: Sequence[Event]) -> RenderableType:
    """Show a table of events."""
    if not found:
        return Text("Nothing was written.", style="dim")
    head = ("event", "key", "when (UTC)", "what", "old", "new", "known", "why", "who")
    table = Table(*head, box=None, pad_edge=False)
    for one in found:
        table.add_row(
            str(one.id),
            visible(one.key),
            day_and_time(one.created_at),
            one.event_type + ("" if one.stands or one.standing_event_id is None else " (did not stand)"),
            "" if one.old is None else _said(one.old),
            "" if one.standing_event_id is None else _said(one.new),
            one.source,
            visible(one.reason or one.correlation_id or ""),
            visible(one.actor or one.user or ""),
        )
    return table


def keys(found: Sequence[RegisteredKey]) -> RenderableType:
    """Show a table of the keys whose values have a shape."""
    table = Table("key", "namespace", "of", "fields", "registered (UTC)", box=None, pad_edge=False)
    of = {"session": "a session", "cross_session": "a person", None: "either"}
    for one in found:
        fields = one.shape.get("properties", one.shape.get("type", ""))
        table.add_row(
            visible(one.pattern),
            one.namespace,
            of[one.scope],
            visible(shortened(fields if isinstance(fields, str) else ", ".join(fields), _LONGEST)),
            day_and_time(one.registered_at),
        )
    return table


def differences(found: Sequence[Difference]) -> RenderableType:
    """Show a table of what is believed differently."""
    if not found:
        return Text("Nothing is believed otherwise.", style="dim")
    table = Table("key", "before", "after", box=None, pad_edge=False)
    for one in found:
        table.add_row(visible(one.key), _side(one.before), _side(one.after))
    return table


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
    """Show what a rebuild made of the events."""
    made = f"{done.session_rows:,} session values and {done.preference_rows:,} preferences"
    return Group(
        Text(f"{made}, made from {done.events:,} events."),
        Text(f"{done.changed:,} rows were not what the events say."),
    )


def _side(value: Value | None) -> str:
    return "nothing" if value is None else f"{_said(value.value)} ({_known(value)})"


def _known(value: Value) -> str:
    cap = "" if value.confidence_cap == "none" else f", at most {value.confidence_cap}"
    return value.source + cap


def _said(value: object) -> str:
    return shortened(json.dumps(value, ensure_ascii=False), _LONGEST)
