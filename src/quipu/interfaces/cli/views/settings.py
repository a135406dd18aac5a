"""Settings as people read them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.layout import named_values
from quipu.interfaces.cli.views.text import visible
from quipu.upkeep.settings.model import SettingState

_LONGEST = 60
_FROM = {
    "argument": "an option of this call",
    "environment": "the environment",
    "space": "set for this space",
    "database": "set for all spaces",
    "default": "the default",
}


def states(settings: Sequence[SettingState]) -> RenderableType:
    """Show a line for each: name, value, its source, and its kind of memory."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("name", "value", "from", "of"):
        table.add_column(heading)
    for one in settings:
        style = "" if one.source == "default" else "bold"
        value = Text(_with_unit(one, one.value)[:_LONGEST], style=style)
        table.add_row(Text(one.name), value, Text(one.source, style=style), Text(one.kind, style="dim"))
    return table


def state(one: SettingState) -> RenderableType:
    """Show a setting in full."""
    rows = {
        "value": f"{_with_unit(one, one.value)} ({_FROM[one.source]})",
        "default": _with_unit(one, one.default),
        "can be": _range(one),
        "set for all": _with_unit(one, one.stored) if one.stored is not None else None,
        "set for the space": _with_unit(one, one.stored_in_space)
        if one.stored_in_space is not None
        else None,
        "of": one.kind,
        "variable": one.variable,
    }
    return Group(Text(one.name, style="bold"), Text(one.meaning), named_values(rows), *_overridden(one))


def changed(one: SettingState) -> RenderableType:
    """Show a setting after it was changed."""
    return Group(Text(f"{one.name} is {_with_unit(one, one.value)}: {_FROM[one.source]}."), *_overridden(one))


def _overridden(one: SettingState) -> list[Text]:
    if not one.overridden:
        return []
    where = one.variable if one.source == "environment" else "an option of this call"
    return [Text(f"What is kept does not hold here: {where} comes before it.", style="yellow")]


def _with_unit(one: SettingState, value: object) -> str:
    if value is None:
        return "none"
    shown = f"{value:.10g}" if isinstance(value, float) else visible(str(value))
    shown = shown.lower() if isinstance(value, bool) else shown
    return f"{shown} {one.unit}" if one.unit and not isinstance(value, str) else shown


def _range(one: SettingState) -> str:
    if one.least is None or one.most is None:
        return one.type
    return f"a {one.type}, {one.least:,.10g} to {one.most:,.10g}"
