"""Recommendations and their evidence as people read them."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows
from quipu.interfaces.cli.views.text import day_and_time, shortened, visible
from quipu.kinds.ledger.evidence.model import Recommendation, ShownEvidence, ThemeCount

_LONGEST_ACTION = 60
_INDENT = (0, 0, 0, 4)


recommendations = Rows[Recommendation](
    {
        "": lambda one: str(one.id),
        "when (UTC)": lambda one: day_and_time(one.created_at),
        "session": lambda one: one.session,
        "place": lambda one: one.location,
        "action": lambda one: shortened(one.action, _LONGEST_ACTION),
        "confidence": lambda one: _confidence(one),
        "source": lambda one: one.source,
        "evidence": lambda one: str(one.evidence_count),
        "reviews of": lambda one: (
            "" if one.recency_window_days is None else f"{one.recency_window_days} days"
        ),
    },
    right=("evidence",),
    none="No recommendations.",
)
"""Recommendations, in their order."""

themes = Rows[ThemeCount](
    {"theme": lambda one: one.theme, "evidence": lambda one: f"{one.count:,}"},
    right=("evidence",),
    none="There is no evidence.",
)
"""The amount of evidence of each theme."""


def recommendation(one: Recommendation) -> RenderableType:
    """Show one recommendation with what limits it."""
    return Group(*_recommendation(one))


def shown(evidence: ShownEvidence) -> RenderableType:
    """Show evidence, or the themes that have some."""
    if not evidence.pieces:
        return Text(visible(str(evidence)), style="dim")
    return Group(*_pieces(evidence))


def _confidence(one: Recommendation) -> str:
    lowered = one.confidence != one.asked_confidence
    return f"{one.confidence} (not {one.asked_confidence})" if lowered else one.confidence


def _recommendation(one: Recommendation) -> Iterator[Text]:
    yield Text(visible(one.action), style="bold")
    where = f"{visible(one.location)}, {visible(one.time_window)}; {visible(one.session)}, turn {one.turn}"
    yield Text(where, style="dim")
    yield Text(f"confidence {_confidence(one)}, from {one.source}")
    for limit in one.limits:
        yield Text(f"at most {limit.most}: {visible(limit.because)}", style="yellow")
    if one.evidence_left_out:
        yield Text(f"{one.evidence_left_out:,} lighter pieces of evidence were not kept", style="yellow")


def _pieces(evidence: ShownEvidence) -> Iterator[RenderableType]:
    for piece in evidence.pieces:
        stars = "" if piece.rating is None else f"{piece.rating:.1f} stars  "
        weight = "" if piece.weight is None else f"weight {piece.weight:.3f}  "
        day = "undated" if piece.published_at is None else f"{piece.published_at:%Y-%m-%d}"
        yield Text.assemble(
            (f"{piece.rank:>2}  ", "bold"),
            (f"{day}  {stars}", "dim"),
            (f"{piece.theme}  ", "bold"),
            (f"{weight}{piece.source}, recommendation {piece.recommendation_id}", "dim"),
        )
        if piece.excerpt:
            yield Padding(Text(visible(piece.excerpt)), _INDENT, expand=False)
