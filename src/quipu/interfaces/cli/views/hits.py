"""Hits: rank, score and its parts, when, who, the words, the source; and why one came back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import bar, day_and_time, shortened, visible
from quipu.recall.model import Hit
from quipu.recall.render import Reason, Why

_COLOURS = {
    "meaning": "cyan",
    "words": "green",
    "session": "blue",
    "speaker": "magenta",
    "people": "magenta",
    "date": "yellow",
    "when": "yellow",
    "rerank": "red",
}
_CERTAIN = {"sure": "green", "likely": "yellow", "maybe": "dim"}
_LEAST = 0.005
_CHARACTERS = 400
_INDENT = (0, 0, 0, 4)


_TEXT_CHARACTERS = 600


def reasons(why: Why) -> RenderableType:
    """Show the whole explanation."""
    return Group(*_parts(why))


def _parts(why: Why) -> Iterator[RenderableType]:
    hit = why.hit
    yield Text.assemble(("asked   ", "dim"), visible(hit.question))
    yield Text.assemble(("answers ", "dim"), hit.certainty)
    yield Text.assemble(("score   ", "dim"), (f"{hit.score:.2f}", "bold"), (" of 1, the sum of:", "dim"))
    yield Padding(_table(why.reasons), (0, 0, 0, 8), expand=False)
    if why.words:
        yield Text.assemble(("words   ", "dim"), visible(", ".join(why.words)))
    yield Text.assemble(("source  ", "dim"), source(hit))
    learned = f"{day_and_time(hit.happened_at)} UTC, recorded {day_and_time(hit.recorded_at)}"
    yield Text.assemble(("time    ", "dim"), learned)
    if (came := why.origin) is not None:
        where = f"{came.source}: {came.label}, {came.source_id}, import {came.import_id}"
        yield Text.assemble(("origin  ", "dim"), visible(where))
    yield Text()
    for turn in why.before:
        yield _turn(turn, style="dim")
    yield _turn(f"{hit.source.speaker or hit.source.role or 'somebody'}: {hit.text}", style="bold", mark="▶")
    for turn in why.after:
        yield _turn(turn, style="dim")


def _table(reasons: tuple[Reason, ...]) -> Table:
    table = Table.grid(padding=(0, 2))
    for reason in reasons:
        table.add_row(
            reason.signal, f"{reason.amount:.2f}", bar(reason.amount), Text(reason.sentence, style="dim")
        )
    return table


def _turn(text: str, *, style: str, mark: str = " ") -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    grid.add_row(Text(mark), Text(shortened(text, _TEXT_CHARACTERS), style=style))
    return grid


def hits(
    rows: Sequence[Hit], *, expected: Collection[str] = (), characters: int = _CHARACTERS
) -> RenderableType:
    """Show all hits, best first. ``expected``: ids of messages that are known to answer, which get a mark."""
    if not rows:
        return Text("Nothing is known of this.", style="dim")
    return Group(
        *(part for rank, hit in enumerate(rows, 1) for part in _hit(rank, hit, expected, characters))
    )


def parts(hit: Hit) -> Text:
    """Show the part of each signal in the score, largest first, as bars of one cell for each tenth."""
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
    again = f", {hit.said_again}" if hit.repeats else ""
    folded = "".join(f", with {visible(str(one))}" for one in hit.folded)
    return Text(f"{hit.kind} {where}{span}{again}{folded}", style="dim")


def _hit(rank: int, hit: Hit, expected: Collection[str], characters: int) -> Iterator[RenderableType]:
    speaker = hit.source.speaker or hit.source.role or "somebody"
    head = Text.assemble(
        (f"{rank:>2}  ", "bold"),
        (f"{hit.score:.2f}  ", "bold"),
        (f"{hit.certainty:<6}  ", _CERTAIN[hit.certainty]),
        (f"{day_and_time(hit.happened_at)}  ", "dim"),
        (visible(speaker), "bold"),
    )
    if hit.source.message in expected:
        head.append("  ✓ holds the answer", "green")
    yield head
    yield Padding(Text(shortened(hit.text, characters)), _INDENT, expand=False)
    yield Padding(parts(hit), _INDENT, expand=False)
    yield Padding(source(hit), _INDENT, expand=False)
    if hit.changed:
        yield Padding(Text(visible(hit.changed), style="dim"), _INDENT, expand=False)
