"""Real restaurant reviews: sentences labelled with categories and polarity (Pontiki and others, 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from quipu.kinds.ledger.signals.model import THEMES
from signals.labelled import Themes, half
from signals.measures import Figures, count


@dataclass(frozen=True, slots=True)
class Sentence:
    """``complained``: the categories of which something negative is said, mixed opinions included."""

    text: str
    complained: frozenset[str]


@dataclass(frozen=True, slots=True)
class Question:
    """Categories, and the themes that answer to them."""

    name: str
    categories: frozenset[str]
    themes: Themes

    def asked(self, sentence: Sentence) -> bool:
        """Whether the sentence complains of one of the categories."""
        return bool(sentence.complained & self.categories)


_FOOD, _PRICE = frozenset(("food",)), frozenset(("price",))
_REST = frozenset(("service", "ambience", "anecdotes/miscellaneous"))
QUESTIONS = (
    Question("food: food_quality", _FOOD, frozenset(("food_quality",))),
    Question("price: value", _PRICE, frozenset(("value",))),
    Question("service and the rest: the other five", _REST, frozenset(THEMES) - {"food_quality", "value"}),
    Question("anything: any theme", _FOOD | _PRICE | _REST, frozenset(THEMES)),
)


def load(path: Path, *, part: str) -> list[Sentence]:
    """The sentences of a file, or one half of them by the hash of their ids."""
    every = ElementTree.parse(path).getroot().iter("sentence")
    return [_sentence(node) for node in every if part in ("all", half(node.get("id", "")))]


def figures(question: Question, sentences: Sequence[Sentence], given: Sequence[Themes]) -> Figures:
    """Of one question over all sentences."""
    pairs = zip(sentences, given, strict=True)
    return count((question.asked(one), bool(found & question.themes)) for one, found in pairs)


def _sentence(node: ElementTree.Element) -> Sentence:
    said = node.iter("aspectCategory")
    bad = {"negative", "conflict"}
    complained = frozenset(one.get("category", "") for one in said if one.get("polarity") in bad)
    return Sentence(node.findtext("text", ""), complained)
