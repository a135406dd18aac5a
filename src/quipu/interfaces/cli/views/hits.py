"""Hits: rank, score and its parts, when, who, the words, the source."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from quipu.interfaces.cli.views.text import bar, day_and_time, shortened, visible
from quipu.recall.model import Hit

_COLOURS = {
    "meaning": "cyan",
    "words": "green",
    "session": "blue",
    "speaker": "magenta",
    "people": "magenta",
    "date": "yellow",
    "when": "yellow",
}
_LEAST = 0.005
_CHARACTERS = 400
_INDENT = (0, 0, 0, 4)


def hits(
    found: Sequence[Hit], *, expected: Collection[str] = (), characters: int = _CHARACTERS
) -> RenderableType:
    """Show all hits, best first. ``expected``: ids of messages that are known to answer, which get a mark."""
    if not found:
        return Text("Nothing relevant is known.", style="dim")
    return Group(
        *(part for rank, hit in enumerate(found, 1) for part in _hit(rank, hit, expected, characters))
    )


def parts(hit: Hit) -> Text:
    """Show what each signal added to the score, most first, as bars of one cell for each tenth."""
    shown = Text()
    for signal, amount in sorted(hit.parts.items(), key=lambda part: -part[1]):
        if abs(amount) >= _LEAST:
            shown.append(f"{signal} ", "dim")
            shown.append(bar(amount), _COLOURS.get(signal, "white"))
            shown.append(f" {amount:.2f}   ")
    shown.rstrip()
    return shown


def source(hit: Hit) -> Text:
    """Show where a hit comes from: the caller's own ids."""
    came = hit.source
    where = " / ".join(visible(name) for name in (hit.space, came.session, came.message) if name)
    span = f", characters {came.span[0]} to {came.span[1]}" if came.span else ""
    return Text(f"{hit.kind} {where}{span}", style="dim")


def _hit(rank: int, hit: Hit, expected: Collection[str], characters: int) -> Iterator[RenderableType]:
    said = hit.source.speaker or hit.source.role or "somebody"
    head = Text.assemble(
        (f"{rank:>2}  ", "bold"),
        (f"{hit.score:.2f}  ", "bold"),
        (f"{day_and_time(hit.happened_at)}  ", "dim"),
        (visible(said), "bold"),
    )
    if hit.source.message in expected:
        head.append("  ✓ holds the answer", "green")
    yield head
    yield Padding(Text(shortened(hit.text, characters)), _INDENT, expand=False)
    yield Padding(parts(hit), _INDENT, expand=False)
    yield Padding(source(hit), _INDENT, expand=False)
