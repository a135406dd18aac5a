"""Complaints in the words of one sentence. Pure, deterministic, linear in the sentence's length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from quipu.kinds.ledger.signals.lexicon import read
from quipu.kinds.ledger.signals.model import THEMES, Theme
from quipu.kinds.ledger.signals.said import Said
from quipu.kinds.ledger.signals.words import Word

_ASKING: Final = frozenset((
    "how", "is", "are", "do", "does", "did", "can", "could", "what", "when", "where", "which", "will", "has",
    "have",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Complaint:
    """A theme and the words that show it: characters ``start`` to ``end`` of the sentence."""

    theme: Theme
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """``complaints``: one a theme, in the themes' order. ``settled``: words decided, even if for nothing."""

    complaints: tuple[Complaint, ...]
    settled: bool


def judge(sentence: str) -> Verdict:
    """Judge what a sentence's words complain about; an unsettled verdict leaves it to the embedding."""
    words = read(sentence)
    if _asks(sentence, words):
        return Verdict((), True)
    said = Said(words)
    found: dict[Theme, Complaint] = {}
    for span, themes in said.complaints():
        for theme in themes:
            found.setdefault(theme, Complaint(theme, words[span.first].start, words[span.last].end))
    ordered = tuple(found[theme] for theme in THEMES if theme in found)
    return Verdict(ordered, bool(ordered) or said.praises)


def _asks(sentence: str, words: Sequence[Word]) -> bool:
    return sentence.rstrip().endswith("?") and bool(words) and words[0].text in _ASKING
