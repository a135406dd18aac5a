"""The curve of an episode, drawn with characters."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from quipu.interfaces.cli.views.text import count, day_and_time, shortened
from quipu.kinds.episodes.decay.life import CurvePoint
from quipu.kinds.episodes.decay.model import EpisodeCurve

_COLUMNS, _ROWS = 64, 10
_LONGEST_GIST = 70
_PAST, _COMING, _ACTIVE, _USED = "█", "░", "·", "▲"


def plot(found: EpisodeCurve) -> RenderableType:
    """Plot freshness as columns (the forecast grey), activation as dots, uses below."""
    cells = columns(found.points)
    lines = [Text(shortened(found.episode.gist, _LONGEST_GIST), style="bold")]
    for row in range(_ROWS, 0, -1):
        label = {_ROWS: "1.0", _ROWS // 2: "0.5"}.get(row, "")
        lines.append(Text(f"{label:>4} ┤{''.join(_cell(one, row) for one in cells)}".rstrip()))
    first, last = found.points[0].at, found.points[-1].at
    lines.append(Text(f"{'0.0':>4} └{'─' * len(cells)}"))
    lines.append(
        Text(f"      {''.join(_USED if any(p.used for p in one) else ' ' for one in cells)}".rstrip())
    )
    lines.append(Text(f"      {day_and_time(first)}{day_and_time(last):>{len(cells) - 16}}", style="dim"))
    one = found.episode
    lines.append(
        Text(
            f"{_PAST} freshness, now {one.freshness:.2f}   {_COMING} as it will be   "
            f"{_ACTIVE} activation, now {one.activation:.2f}   {_USED} {count(one.uses, 'use')}"
        )
    )
    return Group(*lines)


def columns(points: Sequence[CurvePoint]) -> list[list[CurvePoint]]:
    """Put the points in columns of the same time; an empty column takes the last point before it."""
    first, last = points[0].at, points[-1].at
    width = (last - first) / _COLUMNS
    cells: list[list[CurvePoint]] = [[] for _ in range(_COLUMNS)]
    for point in points:
        place = int((point.at - first) / width) if width else 0
        cells[min(_COLUMNS - 1, place)].append(point)
    held = [points[0]]
    for place, cell in enumerate(cells):
        cells[place] = held = cell or [CurvePoint(held[-1].at, held[-1].state, forecast=held[-1].forecast)]
    return cells


def _cell(points: Sequence[CurvePoint], row: int) -> str:
    """Return the sign of a column at a height, 1 to 10: its highest freshness, its last activation."""
    top = max(point.state.freshness for point in points)
    if round(points[-1].state.activation * _ROWS) == row:
        return _ACTIVE
    if top * _ROWS >= row - 0.5:
        return _COMING if all(point.forecast for point in points) else _PAST
    return " "
