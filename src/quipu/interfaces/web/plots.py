"""Plots as SVG: numbers in, a drawing out. Colours come from the style sheet, so that they follow the theme.

Each has a title and a sentence for those who cannot see it. Nothing here knows the database or the clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from markupsafe import Markup, escape

from quipu.interfaces.web.formats import day, number

WIDTH: Final = 640
HEIGHT: Final = 180
_LEFT: Final = 46
_RIGHT: Final = 8
_TOP: Final = 10
_BOTTOM: Final = 22
_BAR: Final = 300
_PLACES: Final = 1  # decimals of a coordinate: a tenth of a pixel
SIGNALS: Final = 8
"""Number of colours that the style sheet has for parts of a bar (``.part0`` …)."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Frame of a drawing: times from ``first`` to ``last``, amounts from 0 to ``most``."""

    first: datetime
    last: datetime
    most: float

    def x(self, at: datetime) -> float:
        """Return the distance of a time from the left."""
        span = (self.last - self.first).total_seconds()
        share = (at - self.first).total_seconds() / span if span > 0 else 0.5
        return round(_LEFT + min(1.0, max(0.0, share)) * (WIDTH - _LEFT - _RIGHT), _PLACES)

    def y(self, amount: float) -> float:
        """Return the distance of an amount from the top: the greater, the higher."""
        share = amount / self.most if self.most > 0 else 0.0
        return round(HEIGHT - _BOTTOM - min(1.0, max(0.0, share)) * (HEIGHT - _BOTTOM - _TOP), _PLACES)


def line(points: Sequence[tuple[datetime, float]], *, title: str, description: str) -> Markup:
    """Draw amounts over time as a line with the area under it; times ascend."""
    if not points:
        return Markup()
    frame = Frame(points[0][0], points[-1][0], _round_up(max(amount for _, amount in points)))
    path = " ".join(f"{frame.x(at)},{frame.y(amount)}" for at, amount in points)
    ground, start, end = frame.y(0), frame.x(points[0][0]), frame.x(points[-1][0])
    drawn = (
        f'<polygon class="area" points="{start},{ground} {path} {end},{ground}"/>'
        f'<polyline class="line" points="{path}"/>'
    )
    if len(points) == 1:
        drawn = f'<circle class="dot" cx="{start}" cy="{frame.y(points[0][1])}" r="4"/>'
    return _plot(_axes(frame) + drawn, title=title, description=description)


def curve(
    points: Sequence[tuple[datetime, float]],
    *,
    refreshes: Sequence[datetime],
    now: datetime,
    title: str,
    description: str,
) -> Markup:
    """Draw a fading value from 0 to 1: a line until ``now``, dashed beyond, a mark at each refresh."""
    if not points:
        return Markup()
    frame = Frame(points[0][0], max(points[-1][0], now), 1.0)
    past = " ".join(f"{frame.x(at)},{frame.y(v)}" for at, v in points if at <= now)
    edge = [point for point in points if point[0] <= now][-1:]
    future = " ".join(f"{frame.x(at)},{frame.y(v)}" for at, v in [*edge, *(p for p in points if p[0] > now)])
    x, low, high = frame.x(now), frame.y(0), frame.y(1)
    marks = "".join(f'<circle class="refresh" cx="{frame.x(at)}" cy="{high}" r="3.5"/>' for at in refreshes)
    drawn = (
        f'<line class="now" x1="{x}" x2="{x}" y1="{high}" y2="{low}"/>'
        f'<polyline class="line" points="{past}"/><polyline class="line ahead" points="{future}"/>{marks}'
    )
    return _plot(_axes(frame) + drawn, title=title, description=description)


def bars(amounts: Mapping[str, float], *, title: str, description: str) -> Markup:
    """Draw a horizontal bar for each name, longest for the greatest; at most as many as fit a page."""
    if not amounts:
        return Markup()
    most, step = max(*amounts.values(), 0.0, 1e-9), 26
    rows = [
        f'<text class="name" x="150" y="{i * step + 17}">{escape(_short(name))}</text>'
        f'<rect class="bar" x="160" y="{i * step + 5}" height="16" rx="3"'
        f' width="{max(1.0, round(max(0.0, amount) / most * 380, _PLACES))}"/>'
        f'<text class="amount" x="{round(168 + max(0.0, amount) / most * 380, _PLACES)}" y="{i * step + 17}">'
        f"{number(amount)}</text>"
        for i, (name, amount) in enumerate(amounts.items())
    ]
    return _plot("".join(rows), title=title, description=description, height=len(amounts) * step + 6)


def parts(amounts: Mapping[str, float], *, colours: Mapping[str, int], description: str) -> Markup:
    """Draw the parts of a score from 0 to 1 as one bar of many colours.

    Negative parts are taken off the end of the positive ones.
    """
    drawn: list[str] = []
    x = 0.0
    for name, amount in amounts.items():
        width = round(min(amount * _BAR, _BAR - x), 2)
        if width > 0:
            drawn.append(_piece(f"part{colours.get(name, 0) % SIGNALS}", x, width, f"{name} {amount:.3f}"))
            x = round(x + width, 2)
    taken = round(min(x, -_BAR * sum(amount for amount in amounts.values() if amount < 0)), 2)
    if taken > 0:
        drawn.append(_piece("taken", x - taken, taken, f"{-taken / _BAR:.3f}"))
    return _strip("parts", "".join(drawn), description)


def share(amount: float, *, description: str) -> Markup:
    """Draw a value from 0 to 1 as a short bar."""
    return _strip(
        "share", _piece("part0", 0, round(min(1.0, max(0.0, amount)) * _BAR, 2), description), description
    )


def swatch(colour: int) -> Markup:
    """Draw the colour of a part, for a legend."""
    drawn = f'<rect class="part{colour % SIGNALS}" width="10" height="10" rx="2"/>'
    return Markup(f'<svg aria-hidden="true" viewBox="0 0 10 10">{drawn}</svg>')


def _piece(colour: str, x: float, width: float, tip: str) -> str:
    place = f'x="{x:g}" y="0" width="{width:g}" height="10"'
    return f'<rect class="{colour}" {place}><title>{escape(tip)}</title></rect>'


def _strip(kind: str, drawn: str, description: str) -> Markup:
    box = f'viewBox="0 0 {_BAR} 10" preserveAspectRatio="none"'
    ground = f'<rect class="ground" width="{_BAR}" height="10"/>'
    return Markup(
        f'<svg class="{kind}" role="img" aria-label="{escape(description)}" {box}>{ground}{drawn}</svg>'
    )


def _plot(drawn: str, *, title: str, description: str, height: int = HEIGHT) -> Markup:
    head = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    return Markup(f'<svg class="plot" role="img" viewBox="0 0 {WIDTH} {height}">{head}{drawn}</svg>')


def _axes(frame: Frame) -> str:
    low, high = frame.y(0), frame.y(frame.most)
    end = WIDTH - _RIGHT
    last = day(frame.last) if day(frame.last) != day(frame.first) else ""
    return (
        f'<line class="axis" x1="{_LEFT}" x2="{end}" y1="{low}" y2="{low}"/>'
        f'<line class="axis faint" x1="{_LEFT}" x2="{end}" y1="{high}" y2="{high}"/>'
        f'<text class="amount left" x="{_LEFT - 6}" y="{high + 4}">{_tick(frame.most)}</text>'
        f'<text class="amount left" x="{_LEFT - 6}" y="{low + 4}">0</text>'
        f'<text class="amount" x="{_LEFT}" y="{HEIGHT - 6}">{day(frame.first)}</text>'
        f'<text class="amount left" x="{end}" y="{HEIGHT - 6}">{last}</text>'
    )


def _tick(amount: float) -> str:
    """Return an amount short enough for an axis: ``500``, ``20k``, ``5M``."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if amount >= size:
            return f"{amount / size:g}{unit}"
    return f"{amount:g}"


def _round_up(amount: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, 50 …, so that an axis ends at a number that is read at once."""
    step = 1.0
    while step < amount:
        for factor in (2, 2.5, 2):
            step *= factor
            if step >= amount:
                return step
    return step


def _short(name: str) -> str:
    return name if len(name) <= 22 else f"{name[:21]}…"
