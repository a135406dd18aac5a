"""Memories that there are, as an evaluation sees them: what each tells, and which of them is meant."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from quipu.kinds.longterm.evaluating.claims import Claim, Told, claim
from quipu.kinds.longterm.evaluating.grammar import grammar
from quipu.kinds.longterm.evaluating.person import spelled, third
from quipu.kinds.longterm.evaluating.words import content
from quipu.kinds.longterm.model import Category, Importance

ENOUGH: Final = 0.5
"""Share of a topic's words that a memory must have to be the one that is meant."""

_NAMED = re.compile(
    r"the user's (?P<who>[\w' -]{2,40}?),? (?:(?:is|are) (?:called|named) |named |called )?"
    r"(?P<name>[A-Z][\w'-]+)"
)
_KEPT_NAMED = re.compile(r"\b(?:an?|the) (?P<who>[\w' -]{2,40}?) (?:called|named) (?P<name>[A-Z][\w'-]+)")
_DENIAL = re.compile(r"\b(?:not|never|no longer|cannot|no)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Known:
    """A memory and what it tells. ``id`` is "" for one that this very evaluation asks to include."""

    id: str
    category: Category
    importance: Importance
    summary: str
    version: int
    clause: str
    told: tuple[Told, ...]
    words: frozenset[str]

    @property
    def denies(self) -> bool:
        """True if it says that something is not so."""
        return _DENIAL.search(self.summary) is not None

    def names(self) -> Iterable[tuple[str, str]]:
        """Yield names in it with the person who bears each: ("Lena", "the user's daughter Lena")."""
        for found in _NAMED.finditer(self.clause):
            yield found["name"], f"the user's {found['who']} {found['name']}"
        for found in _KEPT_NAMED.finditer(self.clause):
            yield found["name"], f"the user's {found['who'].split()[-1]} {found['name']}"


def known(
    *,
    id: str,
    category: Category,
    importance: Importance,
    summary: str,
    version: int = 1,
) -> Known:
    """Read a memory. Its summary may be in any form: "Lives in Berlin", "I live in Berlin"."""
    clause = third(spelled(summary)).rstrip(" .")
    if "the user" not in clause.lower():
        clause = f"the user {clause[:1].lower()}{clause[1:]}"
    clause = re.sub(r"^(?:The )?[Uu]ser(?='s |\s)", "the user", clause)
    found = claim(clause, order=False)
    told = found.told if found is not None else ()
    return Known(id, category, importance, summary, version, clause, told, content(summary))


def of_claim(found: Claim, *, importance: Importance) -> Known:
    """Return a claim to include as a known memory, for the rest of the conversation."""
    words = content(found.summary)
    return Known(
        "", found.category, importance, found.summary, 0, found.summary.rstrip("."), found.told, words
    )


def about(
    topic: str, among: Sequence[Known], *, categories: Collection[Category], everything: bool
) -> list[Known]:
    """Return the memories that a topic means, by what its words stand for or by shared words.

    That is the one that fits best, or none if several fit equally well; with ``everything`` all that fit.
    """
    scored = [(_fit(topic, one), one) for one in among if one.category in categories]
    fitting = [(score, one) for score, one in scored if score >= ENOUGH]
    if everything:
        return [one for _, one in fitting]
    best = max((score for score, _ in fitting), default=0.0)
    first = [one for score, one in fitting if score == best]
    return first if len(first) == 1 else []


def _fit(topic: str, one: Known) -> float:
    words = content(topic)
    shared = len(words & one.words) / len(words) if words else 0.0
    for said, slots in grammar().topics:
        if said.search(topic) and any(told.slot.startswith(slot) for told in one.told for slot in slots):
            return 1.0 + shared
    return shared


def telling(told: Told, among: Iterable[Known]) -> list[Known]:
    """Return the memories that tell the same: the same slot, and a value that is part of the other."""
    return [one for one in among if any(_same(told, other) for other in one.told)]


def _same(told: Told, other: Told) -> bool:
    if told.slot != other.slot:
        return False
    return told.key <= other.key or other.key <= told.key


def holding(words: str, among: Iterable[Known]) -> list[Known]:
    """Return the memories that contain these words, in their order."""
    pattern = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)", re.IGNORECASE)
    return [one for one in among if pattern.search(one.summary)]


def shown_in(text: str, among: Iterable[Known]) -> list[Known]:
    """Return the memories whose words are mostly in the text: the basis of an assistant's answer."""
    said = content(text)
    return [one for one in among if one.words and len(one.words & said) / len(one.words) > ENOUGH]
