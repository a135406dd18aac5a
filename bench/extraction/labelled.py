"""The labelled turns, as their files have them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

SETS: Final = ("tune", "tune-2", "tune-3", "tune-4", "report", "unseen")
_HERE: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Label:
    """What is to be kept: the characters ``start`` to ``end`` of the turn."""

    category: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Labelled:
    """A turn; ``trap`` says why there is nothing to keep, where there is not."""

    id: str
    role: str
    text: str
    labels: tuple[Label, ...]
    trap: str | None


def of_set(name: str) -> list[Labelled]:
    """The turns of a set, in the order of its file."""
    lines = (_HERE / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [_labelled(json.loads(line)) for line in lines]


def _labelled(one: Mapping[str, Any]) -> Labelled:
    text: str = one["text"]
    labels: list[Label] = []
    for finding in one["findings"]:
        start = text.index(finding["quote"])
        labels.append(Label(finding["category"], start, start + len(finding["quote"])))
    return Labelled(one["id"], one["role"], text, tuple(labels), one.get("trap"))
