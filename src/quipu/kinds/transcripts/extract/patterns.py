"""The families of patterns and the guards against them, as ``patterns.toml`` has them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from quipu.kinds.transcripts.extract.model import Category

_FILE: Final = Path(__file__).with_name("patterns.toml")


@dataclass(frozen=True, slots=True)
class Wording:
    """Expressions of which one fits: those for the beginning of a sentence, and those for anywhere in it.

    They are kept apart because the first need not be tried at every letter.
    """

    beginning: re.Pattern[str] | None
    anywhere: re.Pattern[str] | None

    def fits(self, text: str) -> bool:
        """Return True if the sentence is worded so."""
        if self.beginning is not None and self.beginning.match(text):
            return True
        return self.anywhere is not None and self.anywhere.search(text) is not None


@dataclass(frozen=True, slots=True)
class Family:
    """One way to say something that lasts. ``explicitness``: 0 to 1, how surely it is meant to."""

    name: str
    category: Category
    explicitness: float
    guards: tuple[str, ...]
    wording: Wording


@dataclass(frozen=True, slots=True)
class Patterns:
    """All families, in the order in which they are tried, and the guards by name."""

    families: tuple[Family, ...]
    guards: Mapping[str, Wording]


@cache
def patterns() -> Patterns:
    """Return the patterns, read from their file the first time."""
    data: dict[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))
    words: dict[str, str] = data["words"]
    guards = {name: _any(listed, words) for name, listed in data["guards"].items()}
    return Patterns(tuple(_family(one, words) for one in data["family"]), guards)


def _family(one: Mapping[str, Any], words: Mapping[str, str]) -> Family:
    category = cast(Category, one["category"])
    return Family(one["name"], category, one["explicitness"], tuple(one["unless"]), _any(one["any"], words))


def _any(listed: Sequence[str], words: Mapping[str, str]) -> Wording:
    """Return all expressions of a list as one wording; ``{name}`` stands for an entry of the words."""
    filled = [re.sub(r"\{([a-z]+)\}", lambda match: words[match[1]], one) for one in listed]
    return Wording(
        _one_of([one[1:] for one in filled if one.startswith("^")]),
        _one_of([one for one in filled if not one.startswith("^")]),
    )


def _one_of(listed: Sequence[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(f"(?:{one})" for one in listed)) if listed else None
