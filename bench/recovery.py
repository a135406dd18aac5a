"""Measure what is recovered of long-term memory before an answer, and what should be searched for.

    python bench/recovery.py

Forty memories of one person; thirty messages with the memories that matter for each, ten of them behind turns
that say what they are about; twenty messages that no memory has to do with (``bench/recovery/``). The set is
ours, and small: it tells which way is better, not how good it is elsewhere.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from rich.console import Console
from rich.table import Table

from quipu import AsyncMemory

_FOLDER = Path(__file__).with_name("recovery")
_SPACE, _USER = "bench", "ana"


@dataclass(frozen=True, slots=True)
class Asked:
    """A message, the turns before it, and the memories that matter for it."""

    message: str
    recent: Sequence[str]
    relevant: frozenset[str]


Ranked = Mapping[str, float]
"""Memories with their scores, best first."""


def lines(name: str) -> list[dict[str, Any]]:
    """The lines of a file of the set."""
    return [json.loads(line) for line in (_FOLDER / name).read_text("utf-8").splitlines()]


def main() -> int:
    """Measure, and print both tables."""
    with tempfile.TemporaryDirectory(prefix="quipu-bench-") as home:
        Path(home).chmod(0o711)  # the account that runs the server must be able to pass through
        asyncio.run(_measure(home))
    return 0


async def _measure(home: str) -> None:
    asked = [
        Asked(one["message"], one["recent"], frozenset(one["relevant"])) for one in lines("messages.jsonl")
    ]
    console = Console(width=100)
    async with AsyncMemory(home) as memory:
        known: dict[str, str] = {}
        for one in lines("memories.jsonl"):
            made = await memory.longterm.add(one["summary"], space=_SPACE, user=_USER)
            known[made.id] = one["id"]
        console.print(await _ways(memory, known, [one for one in asked if one.relevant]))
        console.print(await _recovered(memory, known, asked))


async def _ways(memory: AsyncMemory, known: Mapping[str, str], asked: Sequence[Asked]) -> Table:
    """How many of the relevant are among the first, for each way of searching."""
    ways: dict[str, list[tuple[Asked, Ranked]]] = {}
    for one in asked:
        alone = await _ranked(memory, known, one.message)
        last = await _ranked(memory, known, "\n".join([*one.recent[-1:], one.message]))
        turns = await _ranked(memory, known, "\n".join([*one.recent[-3:], one.message]))
        for name, found in {
            "the message": alone,
            "behind the last turn": last,
            "behind the last three turns": turns,
            "both, the better score": _better(alone, turns, 1.0),
            "both, the second at 0.8": _better(alone, turns, 0.8),
        }.items():
            ways.setdefault(name, []).append((one, found))
    table = Table(
        "searched for", "first 5", "first 10", "first 5, behind turns", title="Relevant among the first"
    )
    for name, found in ways.items():
        behind = [pair for pair in found if pair[0].recent]
        table.add_row(
            name, *(f"{value:.2f}" for value in (_among(found, 5), _among(found, 10), _among(behind, 5)))
        )
    return table


async def _recovered(memory: AsyncMemory, known: Mapping[str, str], asked: Sequence[Asked]) -> Table:
    """What ``recover`` returns."""
    shares: list[float] = []
    surplus: list[int] = []
    for one in asked:
        found = await memory.longterm.recover(one.message, recent=one.recent, space=_SPACE, user=_USER)
        names = {known[id_] for id_ in found.ids}
        if one.relevant:
            shares.append(len(names & one.relevant) / len(one.relevant))
        else:
            surplus.append(len(names))
    table = Table("relevant recovered", "recovered for a message that nothing has to do with")
    table.add_row(f"{mean(shares):.2f}", f"{mean(surplus):.2f}")
    return table


async def _ranked(memory: AsyncMemory, known: Mapping[str, str], text: str) -> Ranked:
    found = await memory.longterm.search(text, space=_SPACE, user=_USER, limit=len(known))
    return {known[hit.memory.id]: hit.score for hit in found}


def _better(one: Ranked, other: Ranked, weight: float) -> Ranked:
    scores = {name: max(one.get(name, 0), weight * other.get(name, 0)) for name in {**one, **other}}
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def _among(found: Sequence[tuple[Asked, Ranked]], first: int) -> float:
    return mean(
        len(asked.relevant & set(list(ranked)[:first])) / min(len(asked.relevant), first)
        for asked, ranked in found
    )


if __name__ == "__main__":
    sys.exit(main())
