"""Plots are drawings that stay inside their frame and say what they show."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.interfaces.web import plots

START = datetime(2026, 1, 1, tzinfo=UTC)
AMOUNTS = st.floats(0, 1e9, allow_nan=False)
POINTS = st.lists(st.tuples(st.integers(0, 10_000), AMOUNTS), min_size=1, max_size=20).map(
    lambda pairs: [(START + timedelta(hours=hours), amount) for hours, amount in sorted(pairs)]
)
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=40)


def drawn(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(markup)


def coordinates(element: ElementTree.Element) -> list[tuple[float, float]]:
    pairs = [pair.split(",") for part in element.iter() for pair in part.get("points", "").split()]
    return [(float(x), float(y)) for x, y in pairs]


@given(POINTS, NAMES)
@settings(max_examples=50)
def test_a_line_lies_in_its_frame_and_is_told(points: list[tuple[datetime, float]], title: str) -> None:
    svg = drawn(plots.line(points, title=title, description="It grew."))
    assert all(0 <= x <= plots.WIDTH and 0 <= y <= plots.HEIGHT for x, y in coordinates(svg))
    assert [part.tag for part in svg][:2] == ["title", "desc"]
    assert (svg[0].text or "") == title


@given(POINTS, st.integers(-100, 20_000))
@settings(max_examples=50)
def test_a_curve_marks_each_refresh_and_draws_what_is_ahead_apart(
    points: list[tuple[datetime, float]], hours: int
) -> None:
    points = [(at, amount / 1e9) for at, amount in points]
    refreshes = [at for at, _ in points[1::2]]
    now = START + timedelta(hours=hours)
    svg = drawn(plots.curve(points, refreshes=refreshes, now=now, title="Fading", description="It fades."))
    assert sum(part.get("class") == "refresh" for part in svg) == len(refreshes)
    assert all(0 <= x <= plots.WIDTH and 0 <= y <= plots.HEIGHT for x, y in coordinates(svg))


@given(st.dictionaries(NAMES, st.floats(-1, 1), max_size=12))
@settings(max_examples=50)
def test_the_parts_of_a_score_lie_side_by_side_within_the_bar(amounts: dict[str, float]) -> None:
    svg = drawn(plots.parts(amounts, colours={}, description="parts"))
    pieces = [(float(part.get("x", 0)), float(part.get("width", 0))) for part in svg][1:]
    assert all(x >= 0 and x + width <= 300.01 for x, width in pieces)
    added = [piece for part, piece in zip(svg[1:], pieces, strict=True) if part.get("class") != "taken"]
    assert all(abs(a[0] + a[1] - b[0]) < 0.02 for a, b in pairwise(added))


@given(st.dictionaries(NAMES, st.floats(0, 1e6), min_size=1, max_size=8))
@settings(max_examples=50)
def test_bars_are_as_long_as_their_amounts(amounts: dict[str, float]) -> None:
    svg = drawn(plots.bars(amounts, title="Bars", description="bars"))
    widths = [float(part.get("width", 0)) for part in svg.iter() if part.get("class") == "bar"]
    ranked = sorted(zip(amounts.values(), widths, strict=True))
    assert [width for _, width in ranked] == sorted(widths)


def test_nothing_to_draw_is_no_drawing() -> None:
    assert plots.line([], title="", description="") == ""
    assert plots.bars({}, title="", description="") == ""
    assert plots.curve([], refreshes=[], now=START, title="", description="") == ""


def test_hostile_names_are_told_as_words() -> None:
    svg = plots.bars({"<script>alert(1)</script>": 1.0}, title='"><b>', description="</svg>")
    assert "<script>" not in svg
    assert "<b>" not in svg
    assert drawn(svg) is not None
