"""The families of sayings and the guards against them, as ``grammar.toml`` has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from quipu.kernel.prose.gate import guards as of_prose
from quipu.kernel.prose.lexicon import beside
from quipu.kinds.longterm.model import Category

_USER: Final = "the user"
_NAMED = re.compile(r"\{([a-z]+)\}")
_VALUE = re.compile(r"(?<![\w\\])V(?!\w)")
_THOUGHT: Final = (
    r"(?P<v>(?:[^,;:.!?()]|[.,:](?=[^\s]))(?:[^,;:.!?()]|[.,:](?=[^\s])){0,79}?)"
    r"(?=\s*(?:$|[,;:!?()]|\.(?:\s|$)|\s(?:so|but|because|since|which|who|whose|where|if|though"
    r"|although|while"
    r"|whereas|btw|if|unless|and\s(?:the\suser|it|he|she|they))\b))"
)


@dataclass(frozen=True, slots=True)
class Family:
    """One thing that people say of themselves; ``slot`` and ``summary`` with {v} and {s} to be filled in.

    ``single``: it has one value at a time. ``denies``: it says the opposite of its slot. ``order``: it is
    said to the assistant. ``quiet``: it may correct a memory, but makes none. ``ends``: slots that no longer
    hold once it is said.
    """

    name: str
    category: Category
    slot: str
    summary: str | None
    single: bool
    denies: bool
    order: bool
    quiet: bool
    unless: tuple[str, ...]
    ends: tuple[str, ...]
    sayings: tuple[re.Pattern[str], ...]

    def said(self, clause: str) -> re.Match[str] | None:
        """Return the match of the first saying that fits the clause, if any."""
        return next((match for one in self.sayings if (match := one.match(clause))), None)


@dataclass(frozen=True, slots=True)
class Grammar:
    """All families, in the order in which they are tried, the guards by name, and the words by name.

    ``elsewhere`` are the sayings that need not begin with "the user": of most clauses only these are tried.
    """

    families: tuple[Family, ...]
    elsewhere: tuple[Family, ...]
    guards: Mapping[str, re.Pattern[str]]
    words: Mapping[str, str]
    topics: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]

    def of(self, clause: str) -> tuple[Family, ...]:
        """Return the families that a clause may fit by its first words."""
        return self.families if clause[: len(_USER)].lower() == _USER else self.elsewhere

    def guarded(self, names: Iterable[str], text: str) -> bool:
        """Return True if one of the guards fits."""
        return any(self.guards[name].search(text) for name in names)


@cache
def grammar() -> Grammar:
    """Return the grammar, read from its file the first time."""
    data: dict[str, Any] = beside(__file__, "grammar")
    words: dict[str, str] = data["words"]
    guards = {
        name: re.compile("|".join(f"(?:{filled(one, words)})" for one in listed), re.IGNORECASE)
        for name, listed in data["guards"].items()
    }
    guards |= of_prose()
    topics = tuple((re.compile(said, re.IGNORECASE), tuple(slots)) for said, slots in data["topics"].items())
    families = tuple(_family(one, words) for one in data["family"])
    elsewhere = (
        replace(one, sayings=tuple(each for each in one.sayings if not each.pattern.startswith(f"^{_USER}")))
        for one in families
    )
    return Grammar(families, tuple(one for one in elsewhere if one.sayings), guards, words, topics)


def filled(saying: str, words: Mapping[str, str]) -> str:
    """Return the expression with its words in place, and a value in place of V."""
    named = _NAMED.sub(lambda match: words.get(match[1], match[0]), saying)
    return _VALUE.sub(lambda _: _THOUGHT, named)


def _family(one: Mapping[str, Any], words: Mapping[str, str]) -> Family:
    return Family(
        name=one["name"],
        category=one["category"],
        slot=one["slot"],
        summary=one.get("summary"),
        single=one.get("single", False),
        denies=one.get("denies", False),
        order=one.get("order", False),
        quiet=one.get("quiet", False),
        unless=tuple(one.get("unless", ())),
        ends=tuple(one.get("ends", ())),
        sayings=tuple(re.compile(filled(saying, words), re.IGNORECASE) for saying in one["any"]),
    )
