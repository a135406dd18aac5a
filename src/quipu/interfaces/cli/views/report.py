"""Report of what was taken in, and what was not."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from quipu.interfaces.cli.views.text import count, visible
from quipu.record.model import Report

_REFUSALS_SHOWN = 20


def report(numbers: Report) -> RenderableType:
    """Show the account in a line, and below it only what is unusual."""
    return Group(*_lines(numbers))


def one_line(numbers: Report) -> str:
    """Return ``334 messages taken in, 2 known already; 1.2 s``."""
    parts = [f"{count(numbers.imported, 'message')} taken in"]
    if numbers.duplicates:
        parts.append(f"{numbers.duplicates:,} known already")
    if numbers.echoes:
        parts.append(f"{numbers.echoes:,} were only recalled memory")
    if numbers.withheld:
        parts.append(f"{numbers.withheld:,} withheld")
    if numbers.refused:
        parts.append(f"{len(numbers.refused):,} refused")
    return f"{', '.join(parts)}; {numbers.seconds:.1f} s"


def withheld(number: int, what: str) -> Iterator[Text]:
    """Show the number of texts left out because they were erased; nothing if there are none."""
    if number:
        erased = f"{count(number, what)} that {'was' if number == 1 else 'were'} erased"
        yield Text(f"withheld: {erased}; --erased-too takes them in", style="yellow")


def came_back(*, cut_characters: int, foreign_characters: int, unmatched_marks: int) -> Iterator[Text]:
    """Show recalled memory that was found in the input; nothing if there was none."""
    if cut_characters:
        yield Text(f"memory that came back, cut out: {count(cut_characters, 'character')}")
    if foreign_characters:
        text = f"memory of other spaces, kept and not indexed: {count(foreign_characters, 'character')}"
        yield Text(text, style="yellow")
    if unmatched_marks:
        marks = count(unmatched_marks, "mark")
        yield Text(f"{marks} of this space in front of other words, kept and indexed", style="yellow")


def left_out(inserted_characters: int) -> Iterator[Text]:
    """Show the texts that the agent's program put into messages of people; nothing if there are none."""
    if inserted_characters:
        yield Text(f"written by the agent's program, left out: {count(inserted_characters, 'character')}")


def _lines(numbers: Report) -> Iterator[Text]:
    yield Text(one_line(numbers), style="bold")
    if numbers.redacted:
        secrets = ", ".join(f"{number:,} {kind}" for kind, number in sorted(numbers.redacted.items()))
        yield Text(f"secrets cut out: {secrets}", style="yellow")
    yield from came_back(
        cut_characters=numbers.cut_characters,
        foreign_characters=numbers.foreign_characters,
        unmatched_marks=numbers.unmatched_marks,
    )
    yield from withheld(numbers.withheld, "message")
    if numbers.repaired:
        yield Text(f"{count(numbers.repaired, 'character')} that no database can store became U+FFFD")
    if numbers.assumed_utc:
        yield Text(f"times without a zone, read as UTC: {numbers.assumed_utc:,}")
    if numbers.ignored:
        yield Text(f"keys that have no place here: {visible(', '.join(numbers.ignored))}")
    for refusal in numbers.refused[:_REFUSALS_SHOWN]:
        yield Text(f"refused: {visible(str(refusal))}", style="red")
    if len(numbers.refused) > _REFUSALS_SHOWN:
        yield Text(f"… and {len(numbers.refused) - _REFUSALS_SHOWN:,} more; --json lists all", style="red")
