"""The labelled sentences, and which of them were looked at while tuning."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from quipu.kinds.ledger.signals.model import THEMES, Theme

DATA = Path(__file__).resolve().parents[2] / "tests" / "data"
SETS = ("unseen", "report", "tune", "second", "third")
"""``tune`` and ``report``: the halves of the first file; of the two, the first was looked at while tuning.

``second``, ``third``: written after the rules of the time, measured, then looked at. ``unseen``: written
after the rules as they are.
"""

_FILES = {
    "second": "review_sentences_2.tsv",
    "third": "review_sentences_3.tsv",
    "unseen": "review_sentences_4.tsv",
}

Themes = frozenset[Theme]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence and the themes it complains about. ``tags`` say what makes it hard."""

    id: str
    themes: Themes
    tags: frozenset[str]
    text: str


def of_set(name: str) -> list[Labelled]:
    """The labelled sentences of a set."""
    if name in _FILES:
        return load(DATA / _FILES[name])
    return [one for one in load(DATA / "review_sentences.tsv") if half(one.id) == name]


def half(name: str) -> str:
    """Which half an id belongs to, by its hash: fixed before anything was tuned."""
    return ("tune", "report")[int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2]


def load(path: Path) -> list[Labelled]:
    """The labelled sentences of a file: id, themes, tags and text, parted by tabs."""
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]
    return [
        Labelled(name, _themes(themes), frozenset(tags.split(",")), text) for name, themes, tags, text in rows
    ]


def _themes(cell: str) -> Themes:
    known: Mapping[str, Theme] = {theme: theme for theme in THEMES}
    return frozenset(known[name] for name in cell.split(",") if name != "-")
