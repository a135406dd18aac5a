"""Episodes and their curves as people read them, in 80 columns and in a pipe."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows, in_full
from quipu.interfaces.cli.views.text import count, day_and_time, shortened
from quipu.kinds.episodes.decay.life import CurvePoint
from quipu.kinds.episodes.decay.model import (
    Condensation,
    Episode,
    EpisodeCurve,
    EpisodeMessage,
    EpisodeStats,
    EpisodeVersion,
    FoundEpisode,
)

_ID_DIGITS = 8
_LONGEST = 160
_NONE = "No episodes here. A worker makes them when a conversation rests: quipu worker"
_COLUMNS, _ROWS = 64, 10
_LONGEST_GIST = 70
_PAST, _COMING, _ACTIVE, _USED = "█", "░", "·", "▲"


table = Rows[Episode](
    {
        "id": lambda one: one.id[:_ID_DIGITS],
        "when": lambda one: f"{one.happened_at:%Y-%m-%d}",
        "salience": lambda one: _share(one.salience),
        "fresh": lambda one: _share(one.freshness),
        "active": lambda one: _share(one.activation),
        "gist": lambda one: one.gist,
    },
    none=_NONE,
)
"""Episodes with their state."""

found = Rows[FoundEpisode](
    {
        "id": lambda hit: hit.episode.id[:_ID_DIGITS],
        "score": lambda hit: _share(hit.score),
        "when": lambda hit: f"{hit.episode.happened_at:%Y-%m-%d}",
        "fresh": lambda hit: _share(hit.episode.freshness),
        "active": lambda hit: _share(hit.episode.activation),
        "gist": lambda hit: ("(half remembered) " if hit.half_remembered else "") + hit.episode.gist,
    },
    none="No episode answers that.",
)
"""Episodes that answer a question, with their score."""

messages = Rows[EpisodeMessage](
    {
        "when": lambda one: day_and_time(one.happened_at),
        "who": lambda one: one.speaker or one.role,
        "said": lambda one: shortened(one.content, _LONGEST),
    },
    none="It was written by SQL: nothing was said.",
)
"""The messages of an episode."""


def one(episode: Episode) -> RenderableType:
    """Show everything that is known of one episode."""
    factors, emotion, intent = episode.salience_factors, episode.emotion, episode.intent
    used = f"{count(episode.uses, 'time')}, last {day_and_time(episode.used_at)}"
    return in_full(
        episode.gist,
        episode.id,
        ("session", episode.session),
        ("person", episode.user),
        ("topic", episode.topic),
        ("when", f"{day_and_time(episode.started_at)} to {day_and_time(episode.happened_at)}"),
        ("situation", episode.context.get("situational")),
        ("limits", "; ".join(episode.context.get("constraints", ()))),
        ("wanted", ", ".join(str(intent[name]) for name in ("type", "direction") if name in intent)),
        ("done", episode.action),
        ("outcome", episode.outcome),
        ("felt", ", ".join(str(emotion[n]) for n in ("type", "valence", "intensity", "arc") if n in emotion)),
        ("open", "; ".join(episode.open_loops)),
        ("salience", f"{_share(episode.salience)} (made with {_share(episode.base_salience)})"),
        ("", ", ".join(f"{name} {value}" for name, value in factors.items())),
        ("freshness", _share(episode.freshness)),
        ("activation", _share(episode.activation)),
        ("used", used if episode.uses else ""),
        ("archived", day_and_time(episode.deleted_at)),
        ("written by", f"{episode.builder} {episode.builder_version}, version {episode.version}"),
        ("trouble", episode.trouble),
        ("", "Something of it was forgotten; a worker rewrites it." if episode.emptied else ""),
    )


def plot(curve: EpisodeCurve) -> RenderableType:
    """Plot freshness as columns (the forecast grey), activation as dots, uses below."""
    cells = columns(curve.points)
    lines = [Text(shortened(curve.episode.gist, _LONGEST_GIST), style="bold")]
    for row in range(_ROWS, 0, -1):
        label = {_ROWS: "1.0", _ROWS // 2: "0.5"}.get(row, "")
        lines.append(Text(f"{label:>4} ┤{''.join(_cell(one, row) for one in cells)}".rstrip()))
    first, last = curve.points[0].at, curve.points[-1].at
    lines.append(Text(f"{'0.0':>4} └{'─' * len(cells)}"))
    lines.append(
        Text(f"      {''.join(_USED if any(p.used for p in one) else ' ' for one in cells)}".rstrip())
    )
    lines.append(Text(f"      {day_and_time(first)}{day_and_time(last):>{len(cells) - 16}}", style="dim"))
    one = curve.episode
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


def history(before: Sequence[EpisodeVersion]) -> RenderableType:
    """Show the earlier texts of an episode."""
    lines = [
        Text(
            f"until {day_and_time(one.replaced_at)}, by {one.builder}: {shortened(one.gist, _LONGEST)}",
            style="dim",
        )
        for one in before
    ]
    return Group(*lines) if lines else Text("It reads as it was first written.", style="dim")


def condensed(done: Condensation) -> RenderableType:
    """Show the outcome of condensing."""
    lines = [Text(f"{count(len(done.episodes), 'episode')} written by {done.builder} {done.version}")]
    if done.left:
        lines.append(Text(f"{count(len(done.left), 'episode')} left as it was", style="dim"))
    if done.trouble:
        lines.append(Text(done.trouble, style="dim"))
    return Group(*lines)


def stats(numbers: EpisodeStats) -> RenderableType:
    """Show the number of episodes by state."""
    if not numbers.exchanges and not numbers.episodes and not numbers.archived:
        return Text(_NONE, style="dim")
    parts = [
        count(numbers.episodes, "episode"),
        f"{numbers.archived:,} archived" if numbers.archived else "",
        f"{numbers.unresolved:,} unresolved" if numbers.unresolved else "",
        f"{numbers.emptied:,} to be rewritten" if numbers.emptied else "",
        f"{numbers.troubled:,} for which the language model failed" if numbers.troubled else "",
        count(numbers.uses, "use"),
    ]
    return Group(
        Text("; ".join(part for part in parts if part)),
        Text(f"{count(numbers.exchanges, 'exchange')}, {numbers.waiting:,} of them in no episode yet"),
        Text(f"on the average salience {_share(numbers.salience)}, freshness {_share(numbers.freshness)}"),
    )


def _share(value: float) -> str:
    return f"{value:.2f}"
