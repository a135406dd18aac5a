"""Measure how well the ends of episodes match the true sessions of dialogues that were run together.

    python bench/boundaries.py --data locomo10.json

Each of LoCoMo's ten dialogues becomes one long chat without the marks of its sessions. WindowDiff (0 is best;
windows of half a mean session) and F1 (a boundary within two turns of a true one is right) are means over
dialogues. What was tuned was tuned on the first five; "report" are the others. LoCoMo has a time for each
session and none for its turns, so times give the sessions away: with them every method that reads times is
nearly right, and the figures without them are those that tell something.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import mean

import anyio
from rich.console import Console
from rich.table import Table

from quality import locomo
from quality.boundaries import f1, precision, recall, window_diff
from quality.model import Conversation
from quipu.kernel.config import load
from quipu.kernel.embedding.choose import choose
from quipu.kinds.episodes.building.readiness import IDLE, Waiting, plan
from quipu.kinds.episodes.building.signs import TimedTurn, depths, signs

Method = Callable[[Sequence[TimedTurn]], list[int]]
_NEVER = datetime(2026, 1, 1, tzinfo=UTC)
_DEPTH = 0.35  # where TextTiling over sentence vectors did best on the first five
_APART = 8


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench/boundaries.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="path of locomo10.json")
    options = parser.parse_args(arguments)
    dialogues = locomo.load(options.data)
    with_times = anyio.run(_turns, dialogues)
    without = [[TimedTurn(turn.text, None, turn.vector) for turn in turns] for turns in with_times]
    true = [_true(dialogue) for dialogue in dialogues]
    _show(dialogues, true, with_times, without)
    return 0


async def _turns(dialogues: Sequence[Conversation]) -> list[list[TimedTurn]]:
    embedder = choose(load(None, {}))
    found: list[list[TimedTurn]] = []
    for dialogue in dialogues:
        vectors = await embedder.embed([message.content for message in dialogue.messages])
        found.append(
            [
                TimedTurn(message.content, datetime.fromisoformat(str(message.time)), vector)
                for message, vector in zip(dialogue.messages, vectors, strict=True)
            ]
        )
    await embedder.aclose()
    return found


def _true(dialogue: Conversation) -> list[int]:
    pairs = enumerate(pairwise(dialogue.messages), start=1)
    return [place for place, (one, other) in pairs if one.session != other.session]


def episodes(turns: Sequence[TimedTurn]) -> list[int]:
    """Where our episodes begin, but for the first; each turn stands for an exchange of one message."""
    waiting = [
        Waiting(turns=1, sign=sign, started_at=turn.at or _NEVER, ended_at=turn.at or _NEVER)
        for turn, sign in zip(turns, signs(turns), strict=True)
    ]
    found = plan(waiting, now=_NEVER, finished=True).episodes
    return [part.start for part in found[1:]]


def fixed(length: int) -> Method:
    """A boundary after every ``length`` turns."""
    return lambda turns: list(range(length, len(turns), length))


def pauses(turns: Sequence[TimedTurn]) -> list[int]:
    """A boundary at each pause of half an hour; none where times are not known."""
    return [
        place
        for place, (one, other) in enumerate(pairwise(turns), start=1)
        if one.at is not None and other.at is not None and other.at - one.at >= IDLE
    ]


def tiling(turns: Sequence[TimedTurn]) -> list[int]:
    """TextTiling over sentence vectors: the deepest falls of meaning, eight turns apart or more."""
    deep = depths([turn.vector for turn in turns])
    found: list[int] = []
    for place in sorted(range(1, len(deep)), key=lambda place: -deep[place]):
        if deep[place] >= _DEPTH and all(abs(place - other) >= _APART for other in found):
            found.append(place)
    return sorted(found)


def _show(
    dialogues: Sequence[Conversation],
    true: Sequence[Sequence[int]],
    with_times: Sequence[Sequence[TimedTurn]],
    without: Sequence[Sequence[TimedTurn]],
) -> None:
    first = locomo.TUNE_CONVERSATIONS
    lengths = [len(turns) for turns in without]
    usual = round(sum(lengths[:first]) / sum(len(places) + 1 for places in true[:first]))
    methods: Mapping[str, tuple[Method, Sequence[Sequence[TimedTurn]]]] = {
        f"every {usual} turns": (fixed(usual), without),
        "fall of meaning (TextTiling)": (tiling, without),
        "episodes, no times": (episodes, without),
        "pauses, times of sessions": (pauses, with_times),
        "episodes, times of sessions": (episodes, with_times),
    }
    for half, places in (("tune", range(first)), ("report", range(first, len(dialogues)))):
        table = Table("method", "WindowDiff", "F1 (±2)", "precision", "recall", title=f"LoCoMo, {half} half")
        for name, (method, turns) in methods.items():
            found = {place: method(turns[place]) for place in places}
            rows = [
                (
                    window_diff(true[place], found[place], length=lengths[place]),
                    f1(true[place], found[place]),
                    precision(true[place], found[place]),
                    recall(true[place], found[place]),
                )
                for place in places
            ]
            table.add_row(name, *(f"{mean(column):.3f}" for column in zip(*rows, strict=True)))
        Console(width=100).print(table)


if __name__ == "__main__":
    sys.exit(main())
