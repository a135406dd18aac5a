"""Measure how well open loops are found, and how well what resolves them is.

    python bench/loops.py                   the half that was not looked at while tuning
    python bench/loops.py --half tune       the other half
    python bench/loops.py --errors          with every mistake (tuning half only)

A loop is found where it is opened by the message that is labelled so, whatever its kind; it is closed rightly
where the labelled message closes it. The dialogues are bench/loops/dialogues.txt.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from rich.console import Console
from rich.table import Table

from quipu.kinds.episodes.extraction.loops.model import Opened, Standing
from quipu.kinds.episodes.extraction.loops.openings import opened
from quipu.kinds.episodes.extraction.loops.progress import resolved
from quipu.kinds.episodes.extraction.turns import SpokenTurn

_FILE = Path(__file__).with_name("loops") / "dialogues.txt"
_LABEL = re.compile(r"\{(open|close) (\w+)\}")
_UNITS = {"hours": 1, "days": 24}
_BEGIN = datetime(2026, 3, 2, 10, tzinfo=UTC)


@dataclass
class Dialogue:
    """A dialogue and its labels: openings by place and kind, closings by (place opened, place closed)."""

    number: int
    turns: list[SpokenTurn] = field(default_factory=list)
    opens: list[tuple[int, str]] = field(default_factory=list)
    closes: set[tuple[int, int]] = field(default_factory=set)


@dataclass
class Count:
    """What was found of what was to be found."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, found: set, truth: set) -> None:
        """Count the findings of a dialogue."""
        self.right += len(found & truth)
        self.wrong += len(found - truth)
        self.missed += len(truth - found)

    @property
    def precision(self) -> float:
        """Of what was found, the share that is right."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Of what is right, the share that was found."""
        return self.right / max(1, self.right + self.missed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bench/loops.py", description=__doc__)
    parser.add_argument("--half", choices=("tune", "report"), default="report")
    parser.add_argument("--errors", action="store_true", help="list the mistakes")
    options = parser.parse_args(arguments)
    console = Console(width=130)
    odd = options.half == "tune"
    dialogues = [one for one in read(_FILE) if (one.number % 2 == 1) == odd]
    table = Table("", "right", "wrong", "missed", "precision", "recall", title=f"{len(dialogues)} dialogues")
    for name, count in measured(dialogues, console if options.errors else None).items():
        figures = (count.right, count.wrong, count.missed)
        table.add_row(name, *map(str, figures), f"{count.precision:.2f}", f"{count.recall:.2f}")
    console.print(table)
    return 0


def measured(dialogues: Sequence[Dialogue], console: Console | None = None) -> dict[str, Count]:
    """How many openings, openings with their kind, and closings are right."""
    opening, kinds, closing = Count(), Count(), Count()
    for dialogue in dialogues:
        found, closed = understood(dialogue)
        opening.add({place for place, _ in found}, {place for place, _ in dialogue.opens})
        kinds.add(set(found), set(dialogue.opens))
        closing.add(closed, dialogue.closes)
        if console is not None and (set(found) != set(dialogue.opens) or closed != dialogue.closes):
            console.print(
                f"{dialogue.number}: opened {found}, to be {dialogue.opens}; "
                f"closed {sorted(closed)}, to be {sorted(dialogue.closes)}"
            )
            for place, turn in enumerate(dialogue.turns):
                console.print(f"    {place} {turn.voice}: {turn.text}", markup=False)
    return {"opened": opening, "opened, of its kind": kinds, "closed": closing}


def understood(dialogue: Dialogue) -> tuple[list[tuple[int, str]], set[tuple[int, int]]]:
    """What the rules find in a dialogue, exchange by exchange."""
    found: list[tuple[int, str]] = []
    closed: set[tuple[int, int]] = set()
    standing: list[Standing] = []
    before: Sequence[SpokenTurn] = ()
    for turns in exchanges(dialogue.turns):
        new = [_standing(one, len(found) + place) for place, one in enumerate(opened(turns, before=before))]
        found += [(one.message or 0, one.kind) for one in new]
        for one in resolved([*standing, *new], turns, before=before):
            opened_at = next(loop for loop in [*standing, *new] if loop.id == one.id)
            closed.add((opened_at.message or 0, one.message))
        gone = {one.id for one in resolved([*standing, *new], turns, before=before)}
        standing = [one for one in [*standing, *new] if one.id not in gone]
        before = turns
    return found, closed


def _standing(one: Opened, number: int) -> Standing:
    return Standing(
        id=UUID(int=number), kind=one.kind, message=one.message, voice=one.voice, text=one.text,
        things=one.things, verbs=one.verbs,
    )  # fmt: skip


def exchanges(turns: Sequence[SpokenTurn]) -> Iterator[list[SpokenTurn]]:
    """Turns of the asking side and what followed, up to the next; people among each other: by pauses."""
    people = not any(turn.voice == "user" for turn in turns)
    current: list[SpokenTurn] = []
    for turn in turns:
        paused = bool(current) and turn.at - current[-1].at > timedelta(minutes=30)
        again = not people and turn.voice == "user" and any(t.by_agent for t in current)
        if current and (paused or again):
            yield current
            current = []
        current.append(turn)
    if current:
        yield current


def read(file: Path) -> list[Dialogue]:
    """The dialogues of a file."""
    dialogues: list[Dialogue] = []
    at = _BEGIN
    for line in file.read_text("utf-8").splitlines():
        if line.startswith("## "):
            dialogues.append(Dialogue(int(line[3:])))
            at = _BEGIN
        elif line.startswith("~ "):
            _, count, unit = line.split()
            at += timedelta(hours=int(count) * _UNITS[unit])
        elif line and not line.startswith("#"):
            at += timedelta(minutes=1)
            _add(dialogues[-1], line, at)
    return dialogues


def _add(dialogue: Dialogue, line: str, at: datetime) -> None:
    voice, said = line.split(": ", 1)
    place = len(dialogue.turns)
    for what, which in _LABEL.findall(said):
        if what == "open":
            dialogue.opens.append((place, which))
        else:
            dialogue.closes.add((dialogue.opens[int(which) - 1][0], place))
    names = {"U": "user", "A": "assistant"}
    text = _LABEL.sub("", said).strip()
    dialogue.turns.append(SpokenTurn(place, names.get(voice, voice), voice == "A", text, at))


if __name__ == "__main__":
    sys.exit(main())
