"""Measure how well review sentences are told apart by what they complain about.

    python bench/review_signals.py                    the half that was not looked at while tuning
    python bench/review_signals.py --half tune --errors   the other one, with every sentence judged wrongly

Beside it stand the rules alone and the substring rules of the system that the seed describes.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from quipu.kernel.config import Settings
from quipu.kernel.embedding.choose import choose
from quipu.kinds.ledger.signals.model import THEMES, Theme
from quipu.kinds.ledger.signals.prototypes import embed, prototypes
from quipu.kinds.ledger.signals.rules import judge

SENTENCES = Path(__file__).resolve().parent.parent / "tests" / "data" / "review_sentences.tsv"
HALVES = ("report", "tune")

Themes = frozenset[Theme]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence and the themes it complains about."""

    id: str
    themes: Themes
    tags: frozenset[str]
    text: str

    @property
    def half(self) -> str:
        """By the id alone, so it was settled before anything was tuned."""
        return HALVES[1 - int(hashlib.sha256(self.id.encode()).hexdigest(), 16) % 2]


def load(path: Path = SENTENCES) -> list[Labelled]:
    """The labelled sentences of a file."""
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]
    named: Mapping[str, Theme] = {theme: theme for theme in THEMES}
    return [
        Labelled(
            id, frozenset(named[t] for t in themes.split(",") if t != "-"), frozenset(tags.split(",")), text
        )
        for id, themes, tags, text in rows
    ]


ORIGIN: tuple[tuple[Theme, str], ...] = (
    ("wait_time", "wait|line|queued|queue|seated"),
    ("service_speed", "slow service|service slow|took forever|server"),
    ("host_queue", "host|front desk|check in|reservation"),
    ("kitchen_delay", "kitchen|food took|cold food|hot food"),
)


def origin(text: str) -> Themes:
    """The first pattern that occurs anywhere in the lower-cased text decides, else `other`."""
    return frozenset((next((theme for theme, found in ORIGIN if re.search(found, text.lower())), "other"),))


def by_rules(text: str) -> Themes:
    """The words alone."""
    return frozenset(complaint.theme for complaint in judge(text).complaints)


@dataclass(frozen=True, slots=True)
class Figures:
    """How many were found rightly, found wrongly and missed."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """Of those found, how many are so; 0 where nothing was found."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Of those that are so, how many were found."""
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)


def figures(theme: Theme, labelled: Sequence[Labelled], given: Sequence[Themes]) -> Figures:
    """Of one theme over all sentences."""
    pairs = [(theme in one.themes, theme in themes) for one, themes in zip(labelled, given, strict=True)]
    return Figures(pairs.count((True, True)), pairs.count((False, True)), pairs.count((True, False)))


def macro(labelled: Sequence[Labelled], given: Sequence[Themes]) -> float:
    """The mean F1 of the seven themes."""
    return sum(figures(theme, labelled, given).f1 for theme in THEMES) / len(THEMES)


async def by_rules_and_embedding(texts: Sequence[str]) -> list[Themes]:
    """The words, and where they do not decide the prototypes: what ``extract`` does with an unrated review."""
    verdicts = [judge(text) for text in texts]
    given = [frozenset(complaint.theme for complaint in verdict.complaints) for verdict in verdicts]
    asked = [at for at, verdict in enumerate(verdicts) if not verdict.settled]
    embedder = choose(Settings())
    known = await prototypes(embedder)
    decided = known.decide(await embed(embedder, [texts[at] for at in asked]))
    await embedder.aclose()
    for at, theme in zip(asked, decided, strict=True):
        given[at] = frozenset((theme,)) if theme else frozenset()
    return given
